"""Two accounts of one person made one.

`accounts` moves what is its own. Every other app registers a part that moves what it keeps about
people, in its `AppConfig.ready`:

    from accounts.moderation import merging

    merging.register("games", move_games)

    def move_games(keep: User, duplicate: User) -> Mapping[str, int]:
        if <they cannot be made one>:
            raise Refusal("merge.same-match", "Both sat in the same match.")
        seats = MatchPlayer.objects.filter(user=duplicate).update(user=keep)
        return {"match seats": seats}

A part runs inside the transaction of the merge, with both accounts locked. It changes rows that
point at `duplicate` so that they point at `keep`, and returns what it moved, in words, with how
many of each. Whatever must not be merged it refuses (`core.refusals.Refusal`), and then nothing
at all is changed. Rows that only ever grow (the audit log, entries of matches) stay as they are:
they say who did it at the time. Effects outside of the database belong into
`transaction.on_commit`, since a preview is a merge that is taken back.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction

from accounts import hooks, mail
from accounts.addresses import confirmed_addresses
from accounts.announcing.services import announcements_move
from accounts.blocking.services import blocks_move
from accounts.models import AccountMerge, Appeal, Report, Sanction, User
from accounts.moderation.ways import ways_move
from accounts.roles import Role, is_administrator, is_moderator, is_protected_from
from accounts.services import audit_record, must_not_be_deleted, users_lock
from core.clock import now_utc
from core.hooks import send
from core.refusals import Forbidden, Refusal

Part = Callable[[User, User], Mapping[str, int]]
_parts: dict[str, Part] = {}

Duty = Callable[[User], bool]
_duties: list[Duty] = []


def register(app: str, part: Part) -> None:
    """Have `part(keep, duplicate)` called in every merge; see the head of this module.

    Registering again under the same label replaces it. Parts run in the order of registration.
    """
    _parts[app] = part


def unregister(app: str) -> None:
    """Forget the part of an app, if there is one."""
    _parts.pop(app, None)


def register_duty(duty: Duty) -> None:
    """Have `duty(user)` asked whether somebody runs something: such accounts are merged by
    administrators only. Registering again changes nothing."""
    if duty not in _duties:
        _duties.append(duty)


@transaction.atomic
def user_merge(*, acting_user: User, keep: User, duplicate: User, reason: str) -> AccountMerge:
    """Move what `duplicate` has to `keep`, and close it for good. It cannot be undone.

    Its public page leads to the kept account's from then on. Sanctions move too, and of two that
    bind at the same time the longer one stands. Roles are not moved, and neither are addresses:
    whoever reads the mail of an address can set the password of the account that it belongs to, and
    who merges has only been told that both are one person's. The duplicate's addresses are let go,
    and the kept account's owner may take one, as any other, by confirming it; so is its Discord
    account, which signs in as well (`accounts.discord.services.discord_let_go`). Both owners are
    told.

    Raises Refusal ``account.not-moderator``, ``account.own-account``, ``account.protected`` (a
    moderator's or a superuser's account, for all but superusers), ``merge.organiser`` (the account
    of somebody who organises or belongs to the staff, likewise), ``merge.reason-missing``,
    ``merge.reason-too-long``, ``merge.same``, ``merge.keep-closed``, ``merge.merged-before``, and
    those of the registered parts.
    """
    addresses = confirmed_addresses([keep, duplicate])
    moved = _merge(acting_user, keep, duplicate, reason)
    merge = AccountMerge.objects.create(
        keep=keep, duplicate=duplicate, by=acting_user, reason=reason.strip(), moved=moved
    )
    details = {"reason": merge.reason, "moved": moved}
    audit_record(
        acting_user=acting_user,
        action="user.merge",
        target=keep,
        data={**details, "duplicate": duplicate.pk},
    )
    audit_record(
        acting_user=acting_user,
        action="user.close_merged",
        target=duplicate,
        data={**details, "keep": keep.pk},
    )
    transaction.on_commit(
        partial(send, hooks.account_closed, User, user_id=duplicate.pk), robust=True
    )
    transaction.on_commit(partial(send, hooks.account_merged, User, user_id=keep.pk), robust=True)
    transaction.on_commit(partial(send, hooks.writing_changed, User, user_id=keep.pk), robust=True)
    for user in (keep, duplicate):
        tell = partial(mail.merge_announce, merge.pk, user.pk, addresses.get(user.pk))
        transaction.on_commit(tell, robust=True)
    return merge


def merge_preview(*, acting_user: User, keep: User, duplicate: User) -> dict[str, int]:
    """What a merge would move now, in words, with how many of each; it changes nothing.

    It is the merge itself, taken back. Raises Refusal as `user_merge` does.
    """
    with transaction.atomic():
        moved = _merge(acting_user, keep, duplicate, "a preview")
        transaction.set_rollback(True)
    return moved


def _merge(acting_user: User, keep: User, duplicate: User, reason: str) -> dict[str, int]:
    _must_be_moderator(acting_user)
    reason = reason.strip()
    if not reason:
        sentence = "Please say how you know that both are one person's."
        raise Refusal("merge.reason-missing", sentence, field="reason")
    if len(reason) > 500:
        sentence = "At most 500 characters, please."
        raise Refusal("merge.reason-too-long", sentence, field="reason")
    if keep.pk == duplicate.pk:
        raise Refusal("merge.same", "These are not two accounts but one.", field="keep")
    locked = users_lock([keep, duplicate])
    keep, duplicate = locked[keep.pk], locked[duplicate.pk]
    for user in (keep, duplicate):
        must_be_mergeable(acting_user, user)
    if not keep.is_active:
        raise Refusal("merge.keep-closed", "The account to keep is closed.", field="keep")
    moved: dict[str, int] = {}
    for part in (_move_own, *_parts.values()):
        for words, count in part(keep, duplicate).items():
            moved[words] = moved.get(words, 0) + count
    duplicate.is_active = False
    duplicate.save(update_fields=["is_active"])
    return {words: count for words, count in moved.items() if count}


def _must_be_moderator(acting_user: User) -> None:
    if not is_moderator(acting_user):
        raise Forbidden("account.not-moderator", "Only moderators may merge accounts.")


def must_be_mergeable(acting_user: User, user: User) -> None:
    """Whether somebody may merge this account, as either of two. Raises Refusal
    ``account.not-moderator``, ``account.own-account``, ``account.protected``, ``account.deleted``,
    ``merge.organiser`` and ``merge.merged-before``."""
    _must_be_moderator(acting_user)
    must_not_be_deleted(user)
    if acting_user.pk == user.pk:
        raise Forbidden("account.own-account", "Nobody merges their own accounts.")
    if is_protected_from(acting_user, user):
        sentence = "Only an administrator may merge a moderator's account."
        raise Forbidden("account.protected", sentence)
    if not is_administrator(acting_user) and _runs_something(user):
        sentence = "Only an administrator may merge the account of somebody who organises."
        raise Refusal("merge.organiser", sentence)
    if AccountMerge.objects.filter(duplicate=user).exists():
        sentence = f"@{user.username} was merged into another account before."
        raise Refusal("merge.merged-before", sentence)


def _runs_something(user: User) -> bool:
    """Whether what somebody may do would fall to whoever has the kept account."""
    if user.is_staff or user.groups.filter(name=Role.ORGANISER.value).exists():
        return True
    return any(duty(user) for duty in _duties)


def _move_own(keep: User, duplicate: User) -> Mapping[str, int]:
    _let_addresses_go(duplicate)
    return {
        "appeals": _move_appeals(keep, duplicate),
        "sanctions": _move_sanctions(keep, duplicate),
        "reports": _move_reports(keep, duplicate),
        "blocks": blocks_move(keep, duplicate),
        "announcements": announcements_move(keep, duplicate),
        "ways in": ways_move(keep, duplicate),
    }


def _let_addresses_go(duplicate: User) -> None:
    """Belong to nobody from now on, so that their reader may confirm them for another account."""
    EmailAddress.objects.filter(user=duplicate).delete()
    duplicate.email = ""
    duplicate.save(update_fields=["email"])


def _move_sanctions(keep: User, duplicate: User) -> int:
    """All but those that the kept account itself gave, which would then be its own judge's."""
    now = now_utc()
    for kind in (Sanction.Kind.MUTE, Sanction.Kind.SUSPENSION):
        binding = Sanction.objects.in_force(now).filter(user__in=[keep, duplicate], kind=kind)
        # The one that ends first gives way; PostgreSQL sorts "no end" last.
        *shorter, _longest = binding.order_by("until") or [None]
        for sanction in shorter:
            assert sanction is not None  # noqa: S101  (only the placeholder is, and it is last)
            sanction.lifted_at = now
            sanction.lifted_by = sanction.by
            sanction.lifted_why = "The account was merged with one under a longer sanction."
            sanction.save(update_fields=["lifted_at", "lifted_by", "lifted_why"])
    return Sanction.objects.filter(user=duplicate).exclude(by=keep).update(user=keep)


def _move_appeals(keep: User, duplicate: User) -> int:
    """They go with their sanctions. One that the kept account has taken on would be its own."""
    moving = Appeal.objects.filter(sanction__user=duplicate).exclude(sanction__by=keep)
    moving.unanswered().filter(claimed_by=keep).update(claimed_by=None, claimed_at=None)
    return moving.count()


def _move_reports(keep: User, duplicate: User) -> int:
    """Those that either side of the merge did not file against the other."""
    made = Report.objects.filter(reporter=duplicate).exclude(about=keep)
    # The same thing reported from both accounts, and both still open, would be one too many.
    twice = Report.objects.open().filter(reporter=keep).values("target_type", "target_id")
    for target in twice:
        made = made.exclude(closed_at__isnull=True, **target)
    about = Report.objects.filter(about=duplicate).exclude(reporter=keep)
    return made.update(reporter=keep) + about.update(about=keep)


def merge_summary(moved: Mapping[str, Any]) -> str:
    """As "3 match seats, 1 email address"; "nothing" where there was nothing to move."""
    return ", ".join(f"{count} {words}" for words, count in moved.items()) or "nothing"
