"""Everything that asks "may they, as things stand?" about a person under a sanction asks here.

Who is a moderator is a role (`accounts.roles`); what moderators do is in the modules beside this
one.
"""

from datetime import datetime
from typing import NamedTuple

from django.utils import timezone
from django.utils.formats import date_format

from accounts.models import AccountMerge, Sanction, SanctionQuerySet, User
from core.clock import now_utc

# A merged account may be merged again, and so on; no chain of real people comes near this.
_MERGES_AT_MOST = 20


class Silence(NamedTuple):
    """Whether somebody is kept from writing: why, in a sentence (empty: they are not), and until
    when (None: nobody knows)."""

    why: str = ""
    until: datetime | None = None

    @property
    def left_ms(self) -> int | None:
        """How long it lasts from now on, in ms; None where nobody knows."""
        if self.until is None:
            return None
        return max(0, round((self.until - now_utc()).total_seconds() * 1000))


def suspension_of(user_id: int) -> Sanction | None:
    """The suspension in force, or None."""
    return _longest(Sanction.objects.in_force().filter(user=user_id, kind=Sanction.Kind.SUSPENSION))


def mute_of(user_id: int) -> Sanction | None:
    """The mute in force, or None."""
    return _longest(Sanction.objects.in_force().filter(user=user_id, kind=Sanction.Kind.MUTE))


def is_suspended(user: User) -> bool:
    """Whether a suspension is in force. Free where the user came by `with_standing`."""
    known = user.suspended
    return suspension_of(user.pk) is not None if known is None else known


def why_silent(user: User) -> str:
    """The sentence that tells somebody why they may not write now, or an empty string: as
    `silence_of`."""
    return silence_of(user).why


def silence_of(user: User) -> Silence:
    """What keeps somebody from writing now.

    Asked anew each time, since the caller may hold a user from when a socket was opened. Costs two
    queries.
    """
    if not User.objects.filter(pk=user.pk, is_active=True).exists():
        return Silence("This account may not write.")
    binding = Sanction.objects.in_force().filter(user=user.pk)
    # Suspensions sort last by name, and they weigh more.
    sanction = binding.order_by("kind", "until").last()
    if sanction is None:
        return Silence()
    kind = "suspended" if sanction.kind == Sanction.Kind.SUSPENSION else "muted"
    why = (
        f"You are {kind} {end_text(sanction, user)}. The reason: {_with_full_stop(sanction.reason)}"
    )
    return Silence(why, sanction.until)


def end_text(sanction: Sanction, reader: User) -> str:
    """As "until 5 December 2026, 14:00 UTC", in the reader's zone, or "until it is lifted"."""
    if sanction.until is None:
        return "until a moderator lifts it"
    return f"until {moment_text(sanction.until, reader)}"


def moment_text(when: datetime, reader: User) -> str:
    """A moment in its reader's zone, which it names."""
    shown = timezone.localtime(when, reader.zone)
    return f"{date_format(shown, 'j F Y, H:i')} {shown.tzname()}"


def kept_account(user: User) -> User:
    """The account that somebody's account was merged into, or the account itself."""
    for _step in range(_MERGES_AT_MOST):
        merge = AccountMerge.objects.filter(duplicate=user).select_related("keep").first()
        if merge is None:
            return user
        user = merge.keep
    return user


def own_accounts(user: User) -> set[int]:
    """The keys of somebody's account and of all that were merged into it, in however many steps."""
    own, latest = {user.pk}, {user.pk}
    while latest:
        merged = AccountMerge.objects.filter(keep__in=latest).exclude(duplicate__in=own)
        latest = set(merged.values_list("duplicate", flat=True))
        own |= latest
    return own


def _longest(binding: SanctionQuerySet) -> Sanction | None:
    # PostgreSQL sorts "no end" last, where it belongs.
    return binding.order_by("until").last()


def _with_full_stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
