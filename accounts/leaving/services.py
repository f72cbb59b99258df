"""Asking for one's account to be deleted, thinking again, and the deletion itself.

The row of an account stays, since what others have done with its owner does (results, the audit
log): blank, under a name that says nothing (`FORMER_PREFIX`), and shown as "Former player". What is
the person's own goes; what each app keeps with their name in it, it takes the name out of
(`accounts.leaving.parts`). The username is taken by nobody afterwards (`accounts.names.reserved`).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from copy import copy
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from accounts import hooks
from accounts.leaving import parts
from accounts.leaving.names import Names
from accounts.models import (
    AccountDeletion,
    AccountMerge,
    Announcement,
    AnnouncementChoice,
    ApiToken,
    AuditEntry,
    Block,
    DiscordLink,
    DiscordLinkRequest,
    PushSubscription,
    User,
    UserSession,
    WayIn,
)
from accounts.names.reserved import name_reserve
from accounts.names.validators import FORMER_NAME, FORMER_PREFIX
from accounts.roles import forget_roles
from accounts.services import audit_record, deletion_drop, rights_announce_change, users_lock
from accounts.signin.notices import owner_tell
from core.api.models import IdempotencyKey
from core.clock import now_utc
from core.hooks import send
from core.jobs import guard
from core.refusals import Forbidden, Refusal

#: How long somebody can think again who has done anything here, and who has not: nobody at once,
#: since it need not be the owner who asks.
WAIT: Final = timedelta(days=7)
WAIT_UNUSED: Final = timedelta(days=1)
#: How long one is told to wait who has done nothing: the next run of the worker.
ERASED: Final = "accounts.leaving.erase"


@transaction.atomic
def deletion_ask(*, acting_user: User) -> AccountDeletion:
    """Have one's own account deleted: after `WAIT`, or `WAIT_UNUSED` where nothing was ever played
    or run. A mail says so. Asked again nothing changes.

    Raises Refusal as `must_be_deletable` does.
    """
    user = users_lock([acting_user])[acting_user.pk]
    known = AccountDeletion.objects.filter(user=user).first()
    if known is not None:
        return known
    must_be_deletable(user)
    now = now_utc()
    due = now + (WAIT if _has_a_past(user) else WAIT_UNUSED)
    asked = AccountDeletion.objects.create(user=user, asked_at=now, due_at=due)
    audit_record(acting_user=user, action="user.ask_deletion", target=user)
    day = f"{asked.due_at.astimezone(user.zone):%-d %B %Y, %H:%M %Z}"
    url = f"{settings.GAUNTLET_ORIGIN}{reverse('accounts:deletion')}"
    owner_tell(user, "deletion_asked", {"day": day, "url": url})
    return asked


@transaction.atomic
def deletion_cancel(*, acting_user: User) -> None:
    """Keep one's account after all. Raises Refusal ``deletion.none``."""
    users_lock([acting_user])
    if not deletion_drop(acting_user=acting_user, user=acting_user):
        raise Refusal("deletion.none", "Nobody has asked for this account to be deleted.")


def deletions_let_go(_keep: User, duplicate: User) -> Mapping[str, int]:
    """A part of merges (`accounts.moderation.merging`): what its owner had wanted for the account
    that is closed is not wanted for the kept one, where they can ask again."""
    AccountDeletion.objects.filter(user=duplicate).delete()
    return {}


def must_be_deletable(user: User) -> None:
    """Whether an account can go. Raises Refusal ``deletion.closed``, ``deletion.guest``,
    ``deletion.last-administrator``, and as the obstacles of apps do (``deletion.playing``,
    ``deletion.in-season``, ``deletion.owns-season``, ``deletion.house-bot``)."""
    if user.is_guest:
        raise Forbidden("deletion.guest", "There is no account here to delete.")
    if not user.is_active:
        raise Forbidden("deletion.closed", "This account is closed. Please write to the operator.")
    _must_not_be_needed(user)


def _must_not_be_needed(user: User) -> None:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        sentence = "You are the only administrator. Make somebody else one first."
        raise Refusal("deletion.last-administrator", sentence)
    parts.must_be_free(user)


@transaction.atomic
def user_erase(*, user: User) -> User:
    """Delete an account, for good, and those that were merged into it; their rows stay, blank. One
    that was closed meanwhile goes, too: what moderators have decided stays.

    Raises Refusal as `must_be_deletable` does, but for ``deletion.closed``.
    """
    # Of those who could all go as the last administrator but one, only one at a time does.
    admins = User.objects.filter(is_superuser=True) if user.is_superuser else ()
    # Accounts that were merged into this one are the same person's.
    together = users_lock([user, *_merged_into(user), *admins])
    locked = together[user.pk]
    if locked.is_former:
        return locked
    _must_not_be_needed(locked)
    going = [locked, *(together.get(each.pk, each) for each in _merged_into(locked))]
    names = {name for each in going for name in _names_of(each)}
    # As they were, for the letter that is written when nothing here knows them any more.
    owner, address = copy(locked), EmailAddress.objects.get_primary_email(locked)
    for each in going:
        _erase(each, names)
    # Nothing in it says who it was.
    audit_record(acting_user=locked, action="user.delete", target=locked)
    transaction.on_commit(partial(send, hooks.account_closed, User, user_id=locked.pk), robust=True)
    rights_announce_change(locked.pk)
    if address:
        owner_tell(owner, "deletion_done", address=address)
    return locked


def _names_of(user: User) -> set[str]:
    return {user.username, user.shown_name, *_earlier_names(user), *parts.names_of(user)}


def _erase(user: User, names: set[str]) -> None:
    becomes = f"{FORMER_PREFIX}{secrets.token_hex(6)}"
    parts.erase(parts.Leaver(user, Names(user.username, names, becomes=becomes)))
    _forget_own(user)
    name_reserve(user.username)
    _make_blank(user, becomes)


def deletions_sweep() -> None:
    """Delete the accounts whose time has come; where something is in the way that is tried again
    with the next run, and the owner's page says what it is."""
    due = AccountDeletion.objects.filter(due_at__lte=now_utc())
    users = User.objects.filter(deletion__in=due).filter(guard.may_try(ERASED))
    keys = list(users.values_list("pk", flat=True))
    # By themselves: of somebody with many seasons it takes longer than a row of a job may.
    guard.each(ERASED, keys, _erase_due, target="accounts.user", limited=False)


def _erase_due(user_id: int) -> None:
    user = User.objects.get(pk=user_id)
    if AccountMerge.objects.filter(duplicate=user).exists():
        # It goes with the account that it was merged into, and not before.
        deletions_let_go(user, user)
        return
    try:
        user_erase(user=user)
    except Refusal:
        # Its owner plays, or is needed: that is theirs to end, and no fault.
        return


def _has_a_past(user: User) -> bool:
    """Whether anything here is about somebody besides their own settings."""
    # What they did to their own account: signing out somewhere, a second factor, taking their data.
    own = Q(target_type=User._meta.label_lower, target_id=str(user.pk))
    acted = AuditEntry.objects.filter(who=user).exclude(own)
    return acted.exists() or bool(parts.names_of(user))


def _earlier_names(user: User) -> set[str]:
    """The display names that somebody had before."""
    entries = AuditEntry.objects.filter(
        target_type=User._meta.label_lower,
        target_id=str(user.pk),
        action="user.update_profile",
        data__has_key="display_name",
    )
    changes = entries.values_list("data__display_name", flat=True)
    return {change["from"] for change in changes if change["from"]}


def _merged_into(user: User) -> Iterator[User]:
    for each in User.objects.filter(merged_into__keep=user):
        yield each
        yield from _merged_into(each)


def _forget_own(user: User) -> None:
    """Delete what is nobody else's."""
    # Before anything else: while they are signed in somewhere, more of it could come.
    UserSession.objects.filter(user=user).end()
    link = DiscordLink.objects.filter(user=user).first()
    if link is not None:
        # Not as somebody who unlinks it: that is written down with the name.
        discord_id = link.discord_id
        DiscordLinkRequest.objects.filter(discord_id=discord_id).delete()
        link.delete()
        unlinked = partial(
            send, hooks.discord_unlinked, User, user_id=user.pk, discord_id=discord_id
        )
        transaction.on_commit(unlinked, robust=True)
    Block.objects.filter(blocker=user).delete()
    Block.objects.filter(blocked=user).delete()
    application = get_application_model()
    let_in = set(
        get_access_token_model()
        .objects.filter(application__user=user)
        .values_list("user", flat=True)
    )
    for model in (
        get_grant_model(), get_refresh_token_model(), get_access_token_model(),
        get_id_token_model(), application,
    ):  # fmt: skip
        model.objects.filter(user=user).delete()
    for model in _OWN:
        model.objects.filter(user=user).delete()
    for other in let_in - {user.pk, None}:
        rights_announce_change(other)


# What points at its owner as `user`, and goes with them.
_OWN: Final[tuple[Any, ...]] = (
    AccountDeletion, Announcement, AnnouncementChoice, ApiToken, Authenticator, EmailAddress,
    IdempotencyKey, LogEntry, PushSubscription, SocialAccount, WayIn,
)  # fmt: skip


def _make_blank(user: User, username: str) -> None:
    user.groups.clear()
    user.user_permissions.clear()
    forget_roles(user)
    fresh = User()
    kept = {"id", "password", "is_bot", "is_guest"}
    # The year alone: to the microsecond, whoever has kept an answer of the API from before would
    # find in it who this was.
    joined = user.date_joined.astimezone(UTC)
    for field in User._meta.concrete_fields:
        if field.name not in kept:
            setattr(user, field.attname, getattr(fresh, field.attname))
    user.username, user.display_name = username, FORMER_NAME
    user.is_active, user.shown_in_lobby = False, False
    user.deleted_at = now_utc()
    user.last_login = None
    user.date_joined = datetime(joined.year, 1, 1, tzinfo=UTC)
    # Whoever is signed in anywhere is not any more: sessions stand by it.
    user.set_unusable_password()
    user.save()
