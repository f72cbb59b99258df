"""Who comments on a match, and what they have said at which of its moments. What they say is a room
of the chat (`games.services.chat`)."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from accounts.blocking.services import has_blocked
from accounts.models import User
from accounts.moderation.standing import mute_of, suspension_of
from accounts.services import audit_record, users_lock
from core.refusals import Forbidden, NotFound, Refusal
from games.audience import chat_group_of, may_name_commentators, organisers_of, seat_of
from games.models import ChatMessage, Match, MatchCommentator, MatchEntry
from games.publishing.publish import Frame, publish
from games.services.chat import chat_history

#: Of one match.
AT_MOST: Final = 4


@transaction.atomic
def commentator_name(*, acting_user: User, match_id: int, user: User) -> MatchCommentator:
    """Name somebody to comment on a match that is not over.

    Raises Refusal ``match.none``, ``commentary.not-allowed``, ``match.over``,
    ``commentary.plays``, ``commentary.bot``, ``commentary.account-closed``,
    ``commentary.not-now``, ``commentary.named`` and ``commentary.too-many``.
    """
    person = users_lock([user])[user.pk]
    match = _lock(match_id)
    must_name_commentators(match, acting_user)
    if match.is_over:
        raise Refusal("match.over", "The match is over.")
    _must_be_able_to_comment(match, person, acting_user)
    named = MatchCommentator.objects.filter(match=match)
    if named.filter(user=person).exists():
        raise Refusal("commentary.named", f"{person.shown_name} comments on this match already.")
    if named.count() >= AT_MOST:
        sentence = f"At most {AT_MOST} people comment on one match."
        raise Refusal("commentary.too-many", sentence)
    commentator = MatchCommentator.objects.create(match=match, user=person, named_by=acting_user)
    _note("commentary.name", acting_user, match, person)
    return commentator


@transaction.atomic
def commentator_dismiss(*, acting_user: User, match_id: int, username: str) -> None:
    """Have somebody comment on a match no longer; what they said stays.

    Raises Refusal ``match.none``, ``commentary.not-allowed`` and ``commentary.none``.
    """
    match = _lock(match_id)
    must_name_commentators(match, acting_user)
    row = _named(match).filter(user__username=User.normalize_username(username)).first()
    if row is None:
        raise NotFound("commentary.none", "Nobody of that name comments on this match.")
    row.delete()
    _note("commentary.dismiss", acting_user, match, row.user)


def must_name_commentators(match: Match, acting_user: Any) -> None:
    """Whether somebody may say who comments on a match. Raises Refusal
    ``commentary.not-allowed``."""
    if not may_name_commentators(match, acting_user):
        sentence = "Only an organiser who is not playing may name commentators."
        raise Forbidden("commentary.not-allowed", sentence)


def commentators_of(match_id: int) -> list[dict[str, str]]:
    """Who comments on a match, as the protocol has it: the first who was named first."""
    return [
        {"name": each.user.shown_name, "username": each.user.username} for each in _named(match_id)
    ]


def is_commented(match: Match) -> bool:
    """Whether anybody has commented on a match."""
    said = ChatMessage.objects.filter(match=match, room=ChatMessage.Room.COMMENTARY)
    return said.exists()


def comments_of(*, match: Match, user: Any) -> list[dict[str, Any]]:
    """The latest comments on a match, oldest first: messages as the protocol has them, and the
    ``step`` of the replay that its author was seeing, once there is one (else None).

    Raises Refusal as `chat_history` does.
    """
    said = chat_history(match=match, room=ChatMessage.Room.COMMENTARY, user=user)
    if not match.is_over or not said:
        return [{**message, "step": None} for message in said]
    # A record, and so a replay, has nothing of what the service itself noted.
    entries = MatchEntry.objects.filter(match=match).exclude(actor=MatchEntry.Actor.SERVICE)
    instants = list(entries.order_by("seq").values_list("at", flat=True))
    at_once = (
        set(organisers_of(match).values_list("username", flat=True)) if match.late_s else set()
    )

    def step(message: dict[str, Any]) -> int:
        at = int(message["at"])
        # The end was told at once, and whatever was said from then on is about all of it.
        if instants and at < instants[-1] and message["username"] not in at_once:
            at -= 1000 * match.late_s
        return bisect_right(instants, at)

    return [{**message, "step": step(message)} for message in said]


def _must_be_able_to_comment(match: Match, person: User, acting_user: User) -> None:
    name = person.shown_name
    if seat_of(match, person) is not None:
        raise Refusal("commentary.plays", f"{name} plays in this match.")
    if person.is_bot:
        raise Refusal("commentary.bot", f"{name} is a bot.")
    if not person.is_active:
        raise Refusal("commentary.account-closed", f"The account of {name} is closed.")
    # Why is nobody else's business: they are suspended, may not write, or have blocked the other.
    if (
        suspension_of(person.pk) is not None
        or mute_of(person.pk) is not None
        or has_blocked(person, acting_user)
    ):
        raise Refusal("commentary.not-now", f"{name} cannot be named at the moment.")


def _named(match: Match | int) -> QuerySet[MatchCommentator]:
    rows = MatchCommentator.objects.filter(match=match).order_by("pk")
    return rows.select_related("user")


def _lock(match_id: int) -> Match:
    rows = Match.objects.select_for_update(no_key=True).defer("snapshot")
    match = rows.filter(pk=match_id).first()
    if match is None:
        raise NotFound("match.none", "There is no such match.")
    return match


def _note(action: str, acting_user: User, match: Match, person: User) -> None:
    """Write down who was named or dismissed, and tell those who watch, after commit."""
    audit_record(
        acting_user=acting_user, action=action, target=match, data={"commentator": person.pk}
    )
    frame = {
        "type": "commentators",
        "match": match.pk,
        "commentators": commentators_of(match.pk),
    }
    group = chat_group_of(match.pk, ChatMessage.Room.COMMENTARY)
    transaction.on_commit(partial(publish, [Frame(group, frame)]))
