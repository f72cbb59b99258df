"""What is written down when a second factor comes, goes or is used up: the sign-in library changes
them, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import (
    authenticator_added,
    authenticator_removed,
    authenticator_reset,
    authenticator_used,
)
from django.db import transaction

from accounts.models import User
from accounts.services import audit_record, rights_announce_change
from accounts.signin.notices import owner_tell


def connect() -> None:
    """Hear of them, from the start of the site on."""
    for signal, receiver in (
        (authenticator_added, on_added),
        (authenticator_removed, on_removed),
        (authenticator_reset, on_reset),
        (authenticator_used, on_used),
    ):
        signal.connect(receiver, dispatch_uid=f"accounts.factors.{receiver.__name__}")


def on_added(*, user: User, authenticator: Authenticator, **_more: Any) -> None:
    """A factor, or the first recovery codes."""
    _note(user, "user.second_factor_add", authenticator)


def on_removed(*, user: User, authenticator: Authenticator, **_more: Any) -> None:
    """A factor, or recovery codes with the last one."""
    _note(user, "user.second_factor_remove", authenticator)


def on_reset(*, user: User, authenticator: Authenticator, **_more: Any) -> None:
    """New recovery codes in place of old ones."""
    _note(user, "user.recovery_codes_renew", authenticator)


def on_used(*, user: User, authenticator: Authenticator, **_more: Any) -> None:
    """A recovery code is gone: its owner hears of it by mail, and how many are left. Whoever has
    found the codes has then been in."""
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        return
    with transaction.atomic():
        _note(user, "user.recovery_code_use", authenticator)
        # As it stands now: the one that was handed on may be from before it was used.
        left = len(Authenticator.objects.get(pk=authenticator.pk).wrap().get_unused_codes())
        owner_tell(user, "recovery_code_used", {"left": left}, of="mfa")


def factors_let_go(_keep: User, duplicate: User) -> Mapping[str, int]:
    """A part of merges (`accounts.moderation.merging`): nobody signs in to the account that is
    closed, so its secrets open nothing and are not kept."""
    Authenticator.objects.filter(user=duplicate).delete()
    return {}


def _note(user: User, action: str, authenticator: Authenticator) -> None:
    with transaction.atomic():
        audit_record(
            acting_user=user, action=action, target=user, data={"kind": str(authenticator.type)}
        )
        user.has_second_factor = None
        # What they may do may have changed with it.
        rights_announce_change(user.pk)
