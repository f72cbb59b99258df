"""Blocks: whom somebody does not want to play, nor to read beside matches.

They are the blocker's own business. Nobody else is told of them, moderators included, but by the
audit log; who is blocked is answered as everybody is whom the other does not answer. What is
decided otherwise than by the two, such as the matches of a season, is played all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Q

from accounts import hooks
from accounts.models import Block, User
from accounts.services import audit_record, users_lock
from core.hooks import send
from core.refusals import NotFound, Refusal

BLOCKS_AT_MOST: Final = 500


@transaction.atomic
def block_create(*, acting_user: User, user: User) -> Block:
    """Block somebody; who is blocked already stays so.

    Raises Refusal ``block.yourself`` and ``block.too-many``.
    """
    must_be_somebody_else(acting_user, user)
    # One lock per owner, so that the limit holds against two requests at once.
    users_lock([acting_user])
    own = Block.objects.filter(blocker=acting_user)
    known = own.filter(blocked=user).first()
    if known is not None:
        return known
    if own.count() >= BLOCKS_AT_MOST:
        sentence = f"You have blocked {BLOCKS_AT_MOST} people already. Unblock one first."
        raise Refusal("block.too-many", sentence)
    block = Block.objects.create(blocker=acting_user, blocked=user)
    audit_record(acting_user=acting_user, action="block.create", target=user)
    transaction.on_commit(
        partial(send, hooks.person_blocked, User, blocker_id=acting_user.pk, blocked_id=user.pk),
        robust=True,
    )
    return block


@transaction.atomic
def block_remove(*, acting_user: User, user: User) -> None:
    """Unblock somebody. Raises Refusal ``block.none``."""
    deleted, _ = Block.objects.filter(blocker=acting_user, blocked=user).delete()
    if not deleted:
        raise NotFound("block.none", "You have not blocked this person.")
    audit_record(acting_user=acting_user, action="block.remove", target=user)


def must_be_somebody_else(acting_user: User, user: User) -> None:
    """Raises Refusal ``block.yourself``."""
    if acting_user.pk == user.pk:
        raise Refusal("block.yourself", "You cannot block yourself.")


def has_blocked(blocker: User, user: User) -> bool:
    """Whether one of two people has blocked the other."""
    return Block.objects.filter(blocker=blocker, blocked=user).exists()


def blocked_names(user: User) -> list[str]:
    """The usernames of those whom somebody has blocked: for their own pages alone."""
    names = Block.objects.visible_to(user).values_list("blocked__username", flat=True)
    return list(names.order_by("blocked__username"))


def blocked_keys(user: User | None) -> frozenset[int]:
    """The keys of those whom somebody has blocked; nobody has blocked anybody."""
    if user is None:
        return frozenset()
    return frozenset(Block.objects.visible_to(user).values_list("blocked", flat=True))


def is_apart_from_somebody(user: User) -> bool:
    """Whether somebody has blocked anybody, or has been blocked."""
    return Block.objects.filter(Q(blocker=user) | Q(blocked=user)).exists()


def pairs_apart(users: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Those of these people of whom one has blocked the other, each pair in both orders."""
    made = Block.objects.among(users).values_list("blocker_id", "blocked_id")
    return frozenset(pair for one, two in made for pair in ((one, two), (two, one)))


def blocks_move(keep: User, duplicate: User) -> int:
    """Have the kept account of a merge block, and be blocked, in the duplicate's place."""
    Block.objects.between(keep.pk, duplicate.pk).delete()
    made = Block.objects.filter(blocker=duplicate)
    made.filter(blocked__in=Block.objects.filter(blocker=keep).values("blocked")).delete()
    received = Block.objects.filter(blocked=duplicate)
    received.filter(blocker__in=Block.objects.filter(blocked=keep).values("blocker")).delete()
    return made.update(blocker=keep) + received.update(blocked=keep)
