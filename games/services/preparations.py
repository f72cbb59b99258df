"""What organisers prepare for matches: checked before it is kept, and never changed."""

from __future__ import annotations

from django.db import transaction
from django.db.models import ProtectedError

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, NotFound, Refusal
from core.text import one_line
from games.audience import may_prepare
from games.engine.capabilities import SupplyReport, supplier, supply_of
from games.models import Challenge, HostedMatch, Preparation
from games.rulesets import REGISTRY

NAME_MAX = 60
MAX_BYTES = 256 * 1024
AT_MOST = 200  # of one organiser


def preparation_validate(*, ruleset_id: str, key: str, data: bytes) -> SupplyReport:
    """What an uploaded text is worth; nothing is kept.

    Raises Refusal ``setup.ruleset``, ``setup.supply``, ``preparation.too-large``,
    ``preparation.not-text``.
    """
    ruleset = REGISTRY.get(ruleset_id)
    supply = supply_of(ruleset, key)
    if len(data) > MAX_BYTES:
        most = f"A file has at most {MAX_BYTES // 1024} KiB."
        raise Refusal("preparation.too-large", most)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(
            "preparation.not-text", "This is not a text file; its letters must be in UTF-8."
        ) from None
    return supplier(ruleset).validate_supply(supply.key, text)


def must_be_allowed_to_prepare(acting_user: User) -> None:
    """Raises Refusal ``preparation.not-allowed``."""
    if not may_prepare(acting_user):
        raise Forbidden("preparation.not-allowed", "Only organisers may prepare matches.")


@transaction.atomic
def preparation_create(
    *, acting_user: User, ruleset_id: str, key: str, name: str, data: bytes
) -> Preparation:
    """Keep a text for one of a ruleset's supplies under a name.

    Raises Refusal ``preparation.not-allowed``, ``preparation.name-missing``,
    ``preparation.name-too-long``, ``preparation.faulty``, ``preparation.name-taken``,
    ``preparation.too-many`` and as `preparation_validate` does.
    """
    must_be_allowed_to_prepare(acting_user)
    name = one_line(name)
    if not name:
        raise Refusal("preparation.name-missing", "Please give it a name.")
    if len(name) > NAME_MAX:
        raise Refusal("preparation.name-too-long", f"A name has at most {NAME_MAX} characters.")
    found = preparation_validate(ruleset_id=ruleset_id, key=key, data=data)
    if found.faults:
        raise Refusal("preparation.faulty", " ".join(found.faults))
    # One lock per owner, so that name and number hold against two requests at once.
    User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    own = Preparation.objects.filter(owner=acting_user)
    if own.filter(ruleset=ruleset_id, key=key, name=name).exists():
        raise Refusal("preparation.name-taken", f"You keep something called “{name}” already.")
    if own.count() >= AT_MOST:
        raise Refusal("preparation.too-many", "You keep too much already. Delete something first.")
    kept = Preparation.objects.create(
        owner=acting_user, ruleset=ruleset_id, key=key, name=name, value=found.value
    )
    audit_record(
        acting_user=acting_user,
        action="preparation.create",
        target=kept,
        data={"ruleset": ruleset_id, "key": key, "name": name},
    )
    return kept


@transaction.atomic
def preparation_delete(*, acting_user: User, preparation_id: int) -> None:
    """Delete one's own preparation.

    Raises Refusal ``preparation.none``, and ``preparation.in-use`` where an open challenge, a
    hosted match that has not begun or a death match was made with it. What has been played keeps
    its own copy.
    """
    own = Preparation.objects.visible_to(acting_user).select_for_update(no_key=True)
    kept = own.filter(pk=preparation_id).first()
    if kept is None:
        raise NotFound("preparation.none", "You have prepared nothing of the kind.")
    audit_record(
        acting_user=acting_user,
        action="preparation.delete",
        target=kept,
        data={"ruleset": kept.ruleset, "key": kept.key, "name": kept.name},
    )
    # A challenge that is closed needs it no longer; its match has a copy.
    closed = Challenge.objects.filter(preparation=kept).exclude(status=Challenge.Status.OPEN)
    closed.update(preparation=None)
    pending = (HostedMatch.Status.OPEN, HostedMatch.Status.AGREED)
    hosted = HostedMatch.objects.filter(preparation=kept).exclude(status__in=pending)
    hosted.update(preparation=None)
    try:
        kept.delete()
    except ProtectedError:
        raise Refusal(
            "preparation.in-use",
            "An open challenge, a match that you host or a death match uses this, so it must stay.",
        ) from None
