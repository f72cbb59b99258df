"""Everything that changes users. Each service is one transaction: the change and its audit entry.

Services take who asks (`acting_user`), raise Refusal when that person can put the matter right, and
change nothing then.
"""

import secrets
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction

from accounts import hooks
from accounts.addresses import own_address, pending_addresses
from accounts.models import (
    AccountDeletion,
    AccountMerge,
    AuditEntry,
    DiscordLink,
    PushSubscription,
    User,
    UserSession,
)
from accounts.names.impostors import refuse_impersonation
from accounts.names.validators import normalise_display_name, validate_not_reserved
from accounts.roles import (
    Role,
    forget_roles,
    is_administrator,
    is_moderator,
    is_protected_from,
)
from core.hooks import send
from core.refusals import Forbidden, Refusal


class Unset:
    """Tells "leave as it is" from every value."""


UNSET: Final = Unset()


def audit_record(
    *,
    acting_user: User | None,
    action: str,
    target: models.Model | None = None,
    data: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Append one entry to the audit log.

    `acting_user` None means the system itself; `action` reads `<entity>.<action>`; `target` is the
    saved row concerned, if any; `data` must be JSON. Call it inside the transaction of the action:
    then there is never one without the other. Raises RuntimeError outside of a transaction, and
    ValueError for an unsaved target or an empty action: both are bugs of the caller.
    """
    return audit_records(acting_user=acting_user, action=action, targets=[(target, data)])[0]


def audit_records(
    *,
    acting_user: User | None,
    action: str,
    targets: Iterable[tuple[models.Model | None, Mapping[str, Any] | None]],
) -> list[AuditEntry]:
    """Append an entry for each of several actions of one kind, given as target and data, with a
    single query. Everything else as in `audit_record`."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("an audit entry belongs into the transaction of its action")
    if not action:
        raise ValueError("an audit entry needs an action")
    entries = []
    for target, data in targets:
        if target is not None and target.pk is None:
            raise ValueError("an audit entry cannot point at an unsaved row")
        entries.append(
            AuditEntry(
                who=acting_user,
                action=action,
                target_type="" if target is None else target._meta.label_lower,
                target_id="" if target is None else str(target.pk),
                data=dict(data or {}),
            )
        )
    return AuditEntry.objects.bulk_create(entries)


@transaction.atomic
def user_register(
    *, username: str, email: str, password: str | None, display_name: str = ""
) -> User:
    """Create an account for the person who asks for it and return it. Without a password: whoever
    signs in by another site.

    The name is stored in lower case. Raises Refusal ``username.taken``, ``username.reserved``,
    ``email.taken``, as `refuse_impersonation` does, and the codes of the field validators. Whether
    the password is good enough is for the form to judge, which can show all that is wrong with it.
    """
    user = User(
        username=User.normalize_username(username.strip()),
        email=email.strip().lower(),
        display_name=normalise_display_name(display_name),
    )
    user.set_password(password)
    for name in ("username", "email", "display_name"):
        _validate_field(name, getattr(user, name))
    try:
        validate_not_reserved(user.username)
    except ValidationError as error:
        raise Refusal("username.reserved", error.messages[0], field="username") from error
    refuse_impersonation(user)
    try:
        # Uniqueness is left to the database: of two who register at once, one is refused here.
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        if "user_email_unique" in str(error):
            sentence = "This email address belongs to another account."
            raise Refusal("email.taken", sentence, field="email") from error
        sentence = "This username is taken."
        raise Refusal("username.taken", sentence, field="username") from error
    audit_record(acting_user=user, action="user.register", target=user)
    return user


@transaction.atomic
def guest_create() -> User:
    """Create who plays without an account, in the browser that asks, and return them. Nobody can
    sign in as them."""
    while True:
        guest = User(username=f"guest-{secrets.token_hex(5)}", display_name="Guest", is_guest=True)
        guest.set_unusable_password()
        try:
            with transaction.atomic():
                guest.save()
        except IntegrityError:  # somebody is called so
            continue
        audit_record(acting_user=guest, action="guest.create", target=guest)
        return guest


@transaction.atomic
def guest_join(*, guest: User, user: User) -> None:
    """Whoever played as ``guest`` has signed in to an account: nobody plays as the guest any more,
    and after commit the rest of the site makes what they have played the account's."""
    locked = User.objects.select_for_update(no_key=True).get(pk=guest.pk)
    if not locked.is_guest or not locked.is_active or user.is_guest:
        return
    locked.is_active = False
    locked.save(update_fields=["is_active"])
    audit_record(acting_user=user, action="guest.join", target=locked)
    joined = partial(send, hooks.guest_joined, User, guest_id=guest.pk, user_id=user.pk)
    transaction.on_commit(joined, robust=True)


@transaction.atomic
def user_update_profile(
    *,
    acting_user: User,
    user: User,
    display_name: str | Unset = UNSET,
    time_zone: str | Unset = UNSET,
    sound_muted: bool | Unset = UNSET,
    theme: str | Unset = UNSET,
    shown_in_lobby: bool | Unset = UNSET,
    phrases_only: bool | Unset = UNSET,
) -> User:
    """Change the given parts of a profile and return the user.

    People change their own; moderators may change anybody's (an offensive name). Raises Refusal
    ``account.not-yours``, ``account.deleted``, as `refuse_impersonation` does, and the codes of the
    field validators (`accounts.names.validators`). An audit entry says which fields changed, from
    what to what.
    """
    if acting_user.pk != user.pk and not is_moderator(acting_user):
        raise Forbidden("account.not-yours", "Only its owner may change this profile.")
    given = {
        "display_name": display_name,
        "time_zone": time_zone,
        "sound_muted": sound_muted,
        "theme": theme,
        "shown_in_lobby": shown_in_lobby,
        "phrases_only": phrases_only,
    }
    wanted = {name: value for name, value in given.items() if not isinstance(value, Unset)}
    if "display_name" in wanted:
        wanted["display_name"] = normalise_display_name(str(wanted["display_name"]))
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    must_not_be_deleted(locked)
    changes = {
        name: {"from": getattr(locked, name), "to": value}
        for name, value in wanted.items()
        if getattr(locked, name) != value
    }
    if not changes:
        return locked
    for name, change in changes.items():
        _validate_field(name, change["to"])
        setattr(locked, name, change["to"])
    if "display_name" in changes:
        refuse_impersonation(locked)
    locked.save(update_fields=list(changes))
    audit_record(acting_user=acting_user, action="user.update_profile", target=locked, data=changes)
    return locked


def user_note_device_zone(*, user: User, zone: str) -> None:
    """Note in which time zone a browser of theirs is. Raises Refusal ``time-zone.unknown``. Nothing
    that somebody decides, so no audit entry says so."""
    _validate_field("device_zone", zone)
    User.objects.filter(pk=user.pk).exclude(device_zone=zone).update(device_zone=zone)


def users_lock(users: Iterable[User | int]) -> dict[int, User]:
    """Lock accounts until the transaction ends, and return them by their keys, as they are now.

    Whoever gives an account a place somewhere (a seat, a challenge, a part in a season) does this
    before looking whether it is open: else it could be closed or merged meanwhile. In one order
    everywhere, so that no two wait for each other.
    """
    keys = {user if isinstance(user, int) else user.pk for user in users}
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk")
    return {user.pk: user for user in rows}


@transaction.atomic
def role_grant(*, acting_user: User | None, user: User, role: Role) -> None:
    """Give a role; nobody acts where a command on the server does. Raises Refusal
    ``account.not-administrator``, ``account.closed``, ``account.powerless`` and
    ``account.role-held``."""
    if acting_user is not None:
        must_administer(acting_user)
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    must_lack_role(locked, role)
    group, _created = Group.objects.get_or_create(name=role.value)
    locked.groups.add(group)
    forget_roles(user)
    audit_record(
        acting_user=acting_user, action="user.grant_role", target=locked, data={"role": role.value}
    )
    rights_announce_change(locked.pk)


@transaction.atomic
def role_revoke(*, acting_user: User, user: User, role: Role) -> None:
    """Take a role away. Raises Refusal ``account.not-administrator`` and
    ``account.role-not-held``."""
    must_administer(acting_user)
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    locked.groups.remove(must_hold_role(locked, role))
    forget_roles(user)
    audit_record(
        acting_user=acting_user, action="user.revoke_role", target=locked, data={"role": role.value}
    )
    rights_announce_change(locked.pk)


@transaction.atomic
def user_close(*, acting_user: User, user: User, reason: str) -> User:
    """Close an account: its owner cannot sign in any more; what they did stays.

    Moderators close others' accounts; only superusers close a moderator's or a superuser's.
    Raises Refusal ``account.not-moderator``, ``account.reason-missing``, ``account.own-account``,
    ``account.protected`` and ``account.closed``.
    """
    locked = _lock_for_moderation(acting_user, user)
    must_give_a_reason(reason)
    must_not_be_closed(locked)
    return _set_active(acting_user, locked, active=False, reason=reason)


@transaction.atomic
def user_reopen(*, acting_user: User, user: User, reason: str) -> User:
    """Open a closed account again.

    Raises Refusal as `user_close` does, ``account.open``, and ``account.merged`` or
    ``account.deleted``: nothing is left of it.
    """
    locked = _lock_for_moderation(acting_user, user)
    must_give_a_reason(reason)
    must_be_reopenable(locked)
    return _set_active(acting_user, locked, active=True, reason=reason)


def must_not_be_closed(user: User) -> None:
    """Whether an account is open. Raises Refusal ``account.closed``."""
    if not user.is_active:
        raise Forbidden("account.closed", "This account is closed already.")


def must_not_be_deleted(user: User) -> None:
    """Whether anything is left of an account. Raises Refusal ``account.deleted``."""
    if user.is_former:
        raise Refusal("account.deleted", "Its owner had this account deleted.")


def must_be_reopenable(user: User) -> None:
    """Whether an account can be reopened. Raises Refusal ``account.open``, ``account.deleted`` and
    ``account.merged``."""
    if user.is_active:
        raise Refusal("account.open", "This account is not closed.")
    must_not_be_deleted(user)
    if AccountMerge.objects.filter(duplicate=user).exists():
        raise Refusal("account.merged", "This account was merged into another for good.")


def must_moderate(acting_user: User, user: User) -> None:
    """Whether somebody may close or reopen this account. Raises Refusal
    ``account.not-moderator``, ``account.own-account`` and ``account.protected``."""
    if not is_moderator(acting_user):
        raise Forbidden("account.not-moderator", "Only moderators may close or reopen accounts.")
    if acting_user.pk == user.pk:
        raise Forbidden("account.own-account", "Nobody closes or reopens their own account here.")
    if is_protected_from(acting_user, user):
        raise Forbidden("account.protected", "Only an administrator may do this to a moderator.")


def _lock_for_moderation(acting_user: User, user: User) -> User:
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    must_moderate(acting_user, locked)
    return locked


def must_give_a_reason(reason: str) -> None:
    """Raises Refusal ``account.reason-missing``."""
    if not reason.strip():
        raise Refusal("account.reason-missing", "Please give a reason.", field="reason")


def _set_active(acting_user: User, user: User, *, active: bool, reason: str) -> User:
    user.is_active = active
    user.save(update_fields=["is_active"])
    audit_record(
        acting_user=acting_user,
        action="user.reopen" if active else "user.close",
        target=user,
        data={"reason": reason.strip()},
    )
    if not active:
        PushSubscription.objects.filter(user=user).delete()
    happened = hooks.account_reopened if active else hooks.account_closed
    transaction.on_commit(partial(send, happened, User, user_id=user.pk), robust=True)
    return user


@transaction.atomic
def user_set_password(
    *,
    user: User,
    password: str,
    forgotten: bool = False,
    device_id: int | None = None,
    session_key: str = "",
    keeps_sessions: bool = False,
) -> None:
    """Give somebody the password that they have chosen, and end what they have open: whoever had
    got hold of the old one may be among it. Whether it is good enough is for the form to judge.

    Their devices are told nothing more but for ``device_id``, at which they do it. ``forgotten``:
    they have shown by mail who they are, maybe since somebody else is in their account. Then no
    device stays, and neither does a Discord account by which one could sign in, unless that was
    the only way in.

    All sessions end but that of ``session_key``, where they do it, unless they want the others to
    go on (``keeps_sessions``). Whoever had got in may also have asked for another address, which is
    dropped, and, where it was ``forgotten``, for the account to be deleted: it stays then.
    """
    ends_link = forgotten and user.has_usable_password()
    user.set_password(password)
    user.save(update_fields=["password"])
    others = UserSession.objects.filter(user=user).exclude(session_key=session_key)
    if keeps_sessions:
        others.stay_open(user.get_session_auth_hash())
    else:
        others.end()
    audit_record(
        acting_user=user,
        action="user.set_password",
        target=user,
        data={"keeps_sessions": True} if keeps_sessions else None,
    )
    _end_what_others_hold(
        user, user, device_id=None if forgotten else device_id, ends_link=ends_link
    )
    # Without any other address, it is by this one that they have shown who they are.
    if not forgotten or own_address(user):
        address_change_drop(acting_user=user, user=user)
    if forgotten:
        deletion_drop(acting_user=user, user=user)


@transaction.atomic
def password_void(*, user: User) -> None:
    """Somebody has shown by a letter that another is in their account: its password is worth
    nothing from now on, and what it could have been used for ends, as with a new one by mail. Their
    sessions are for the caller to end."""
    ends_link = user.has_usable_password()
    user.set_unusable_password()
    user.save(update_fields=["password"])
    audit_record(acting_user=user, action="user.void_password", target=user)
    _end_what_others_hold(user, user, device_id=None, ends_link=ends_link)
    address_change_drop(acting_user=user, user=user)
    deletion_drop(acting_user=user, user=user)


@transaction.atomic
def password_given(*, acting_user: User, user: User) -> None:
    """An administrator has given somebody another password, or taken theirs away: note it, and end
    whatever others may hold of the account."""
    UserSession.objects.filter(user=user).end()
    audit_record(acting_user=acting_user, action="user.admin_password", target=user)
    _end_what_others_hold(acting_user, user, device_id=None, ends_link=True)
    address_change_drop(acting_user=acting_user, user=user)
    deletion_drop(acting_user=acting_user, user=user)


def _end_what_others_hold(
    acting_user: User, user: User, *, device_id: int | None, ends_link: bool
) -> None:
    devices = PushSubscription.objects.filter(user=user)
    (devices if device_id is None else devices.exclude(pk=device_id)).delete()
    link = DiscordLink.objects.filter(user=user).first() if ends_link else None
    if link is not None:
        discord_link_end(acting_user=acting_user, link=link)
    rights_announce_change(user.pk)


def address_change_drop(*, acting_user: User, user: User) -> bool:
    """Have an account's address not change, if somebody has asked for that; say whether they had.
    The links in the mails that would confirm it are good for nothing then. Call it inside a
    transaction that has the account locked."""
    dropped, _ = pending_addresses(user).delete()
    if dropped:
        audit_record(acting_user=acting_user, action="user.drop_address_change", target=user)
    return bool(dropped)


def deletion_drop(*, acting_user: User, user: User) -> bool:
    """Have an account stay, if it was to be deleted; say whether it was. Call it inside a
    transaction that has the account locked."""
    dropped, _ = AccountDeletion.objects.filter(user=user).delete()
    if dropped:
        audit_record(acting_user=acting_user, action="user.keep", target=user)
    return bool(dropped)


def discord_link_end(*, acting_user: User | None, link: DiscordLink) -> None:
    """Take a link to Discord off its account. Call it inside a transaction."""
    user, discord_id = link.user, link.discord_id
    audit_record(
        acting_user=acting_user,
        action="user.unlink_discord",
        target=user,
        data={"discord_id": discord_id, "name": link.name},
    )
    link.delete()
    unlinked = partial(send, hooks.discord_unlinked, User, user_id=user.pk, discord_id=discord_id)
    transaction.on_commit(unlinked, robust=True)


def rights_announce_change(user_id: int) -> None:
    """After commit: what somebody has open must ask again what it may do."""
    announce = partial(send, hooks.rights_changed, User, user_id=user_id)
    transaction.on_commit(announce, robust=True)


def must_lack_role(user: User, role: Role) -> None:
    """Whether somebody can be given a role. Raises Refusal ``account.closed``,
    ``account.powerless`` (a bot or a guest) and ``account.role-held``."""
    if not user.is_active:
        raise Forbidden("account.closed", "A closed account cannot be given a role.")
    if user.is_bot or user.is_guest:
        raise Forbidden("account.powerless", "A bot or a guest cannot be given a role.")
    if user.groups.filter(name=role.value).exists():
        raise Refusal("account.role-held", "This person already has the role.")


def must_hold_role(user: User, role: Role) -> Group:
    """The group of a role that somebody has. Raises Refusal ``account.role-not-held``."""
    group = user.groups.filter(name=role.value).first()
    if group is None:
        raise Refusal("account.role-not-held", "This person does not have the role.")
    return group


def must_administer(acting_user: User) -> None:
    """Raises Refusal ``account.not-administrator``."""
    if not is_administrator(acting_user):
        raise Forbidden(
            "account.not-administrator", "Only an administrator of the site may do this."
        )


def _validate_field(name: str, value: Any) -> None:
    try:
        User._meta.get_field(name).clean(value, None)  # type: ignore[union-attr]
    except ValidationError as error:
        first = error.error_list[0]
        raise Refusal(first.code or "invalid", error.messages[0], field=name) from error
