"""Whether accounts are opened."""

from __future__ import annotations

from django.db import transaction

from accounts.models import RegistrationChange, User
from accounts.services import audit_record
from accounts.site.announcements import WORDS_MAX, must_speak_for_the_site
from core.clock import now_utc
from core.refusals import Refusal


def registration_now() -> RegistrationChange | None:
    """What was decided last; None: nothing ever, so it is open."""
    return RegistrationChange.objects.order_by("-pk").first()


def is_registration_open() -> bool:
    """Whether somebody without an account may open one."""
    last = registration_now()
    return last is None or last.is_open


@transaction.atomic
def registration_set(*, acting_user: User, is_open: bool, words: str = "") -> RegistrationChange:
    """Open or close registration; ``words`` are shown to whoever would register while it is closed.
    Whoever is registering just now is refused with what they have filled in. Raises Refusal
    ``account.not-moderator``, ``registration.unchanged`` and ``site.words-too-long``."""
    must_speak_for_the_site(acting_user)
    text = " ".join(words.split())
    if len(text) > WORDS_MAX:
        raise Refusal(
            "site.words-too-long", f"At most {WORDS_MAX} characters, please.", field="words"
        )
    last = registration_now()
    if is_open == (last is None or last.is_open) and (last is None or text == last.words):
        state = "open" if is_open else "closed"
        raise Refusal("registration.unchanged", f"Registration is {state} already.")
    row = RegistrationChange.objects.create(
        is_open=is_open, words=text, by=acting_user, at=now_utc()
    )
    audit_record(
        acting_user=acting_user,
        action="site.registration_open" if is_open else "site.registration_close",
        target=row,
        data={"words": text},
    )
    return row
