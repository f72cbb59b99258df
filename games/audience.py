"""Who a reader of a match is, what they may do there, and where their frames go: in one place."""

from __future__ import annotations

from typing import Any

from accounts.roles import is_moderator, is_organiser
from games.engine.decisions import ROOM, Audience, Seat
from games.models import ChatMessage, Match

AUDIENCES: tuple[Audience, ...] = (0, 1, ROOM)


def seat_of(match: Match, user: Any) -> Seat | None:
    """The seat of ``user`` in ``match``, or None. Costs one query unless players are fetched."""
    if user is None or not getattr(user, "is_authenticated", False):
        return None
    return next((p.seat for p in match.players.all() if p.user_id == user.pk), None)


def audience_of(match: Match, user: Any) -> Audience:
    """The audience that ``user`` (or nobody) belongs to while the match is on."""
    seat = seat_of(match, user)
    return ROOM if seat is None else _as_audience(seat)


def _as_audience(seat: Seat) -> Audience:
    return 1 if seat else 0


def may_organise(match: Match, user: Any) -> bool:
    """Whether ``user`` may pause, correct and rule: organisers, not in their own match."""
    return is_organiser(user) and seat_of(match, user) is None


def may_import(user: Any) -> bool:
    """Whether ``user`` may put a record on the site as a match to replay."""
    return is_organiser(user)


def may_moderate_chat(user: Any) -> bool:
    """Whether ``user`` may take a chat message away."""
    return is_moderator(user)


def may_read_room(room: str, *, seat: Seat | None, over: bool) -> bool:
    """Whether a reader may read a chat room: players learn what spectators said after the end."""
    return room == ChatMessage.Room.PLAYERS or seat is None or over


def may_write_room(room: str, *, seat: Seat | None, over: bool) -> bool:
    """Whether a signed-in reader may write in a chat room. After the end everybody may write in
    the players' room too."""
    if room == ChatMessage.Room.PLAYERS:
        return seat is not None or over
    return seat is None or over


def group_of(match_id: int, audience: Audience) -> str:
    """The channel group of one audience of a match."""
    return f"match.{match_id}.{audience}"


def chat_group_of(match_id: int, room: str) -> str:
    """The channel group of those who may read a chat room of a match."""
    return f"match.{match_id}.chat.{room}"


def user_group_of(user_id: int) -> str:
    """The channel group of everything one user has open."""
    return f"user.{user_id}"


LOBBY_GROUP = "lobby"
