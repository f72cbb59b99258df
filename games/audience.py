"""Who a reader of a match is, what they may do there, and where their frames go: in one place."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from accounts.models import User
from accounts.roles import (
    Role,
    holds_role,
    is_administrator,
    is_moderator,
    is_organiser,
    rests,
)
from games.engine.decisions import ROOM, Audience, Seat
from games.models import (
    ChatMessage,
    Match,
    MatchCommentator,
    MatchEntry,
    MatchPlayer,
    MatchReferee,
)

AUDIENCES: tuple[Audience, ...] = (0, 1, ROOM)

#: Whom a reader belongs to: an audience, or the spectators of a match that they see late. Those are
#: told what the room was told so much earlier; in the room itself is then only who may organise it.
Reading: TypeAlias = Audience | Literal["late"]
LATE: Literal["late"] = "late"
READINGS: tuple[Reading, ...] = (*AUDIENCES, LATE)


def seat_of(match: Match, user: Any) -> Seat | None:
    """The seat of ``user`` in ``match``, or None. Costs one query unless players are fetched."""
    if user is None or not getattr(user, "is_authenticated", False):
        return None
    return next((p.seat for p in match.players.all() if p.user_id == user.pk), None)


def audience_of(match: Match, user: Any) -> Reading:
    """The audience that ``user`` (or nobody) belongs to while the match is on."""
    seat = seat_of(match, user)
    if seat is not None:
        return _as_audience(seat)
    return LATE if match.late_s and not may_organise(match, user) else ROOM


def as_seat(reading: Reading) -> Literal[0, 1] | None:
    """The seat of a reader; None for all who watch."""
    return reading if reading == 0 or reading == 1 else None  # noqa: PLR1714  (narrows)


def _as_audience(seat: Seat) -> Audience:
    return 1 if seat else 0


def may_organise(match: Match, user: Any) -> bool:
    """Whether ``user`` may pause, correct and rule: the referees that the match names, or every
    organiser where it names none; superusers always; nobody in their own match, nor in
    practice."""
    if not _may_judge(match, user):
        return False
    if is_administrator(user):
        return True
    named = [referee.user_id for referee in match.referees.all()]
    return _may_referee(user, named=bool(named), referee=user.pk in named)


def would_organise(match: Match, user: Any) -> bool:
    """The same, also of whoever must set up a second factor first: they can at any time."""
    if not _may_judge(match, user):
        return False
    if user.is_superuser:
        return True
    named = [referee.user_id for referee in match.referees.all()]
    return user.pk in named if named else holds_role(user, Role.ORGANISER)


def _may_judge(match: Match, user: Any) -> bool:
    if not isinstance(user, User) or not user.is_active or seat_of(match, user) is not None:
        return False
    return not match.is_practice


def _may_referee(user: User, *, named: bool, referee: bool) -> bool:
    """Of a match that names somebody, or nobody, as its referees, and this user or not."""
    return referee and not rests(user, Role.ORGANISER) if named else is_organiser(user)


def organised_by(matches: QuerySet[Match], user: Any) -> QuerySet[Match]:
    """Those of ``matches`` that ``user`` may organise, by the same rule as `may_organise`."""
    if not isinstance(user, User) or not user.is_active:
        return matches.none()
    matches = matches.exclude(Exists(MatchPlayer.objects.filter(match=OuterRef("pk"), user=user)))
    if is_administrator(user):
        return matches
    referees = MatchReferee.objects.filter(match=OuterRef("pk"))
    named = MatchReferee.objects.filter(match__in=matches, user=user)
    if rests(
        user, Role.ORGANISER, given=lambda: holds_role(user, Role.ORGANISER) or named.exists()
    ):
        return matches.none()
    may = Q(Exists(referees.filter(user=user)))
    return matches.filter(may | ~Q(Exists(referees)) if is_organiser(user) else may)


def standing_in(match: QuerySet[Match], user: Any) -> tuple[Reading, bool] | None:
    """Which audience of a match ``user`` (or nobody) belongs to, and whether they may organise it,
    as `audience_of` and `may_organise` say; None where there is no such row. Of hundreds who come
    each is asked this: one statement, and one for their roles."""
    if not isinstance(user, User):
        late_s = match.values_list("late_s", flat=True).first()
        return None if late_s is None else (LATE if late_s else ROOM, False)
    # Hundreds at once: for the ORM's own subqueries it takes longer to write them than to ask.
    row = match.annotate(
        seat=RawSQL(_SEAT, (user.pk,)),  # noqa: S611  (constants only)
        named=RawSQL(_NAMED, ()),  # noqa: S611  (constants only)
        referee=RawSQL(_REFEREE, (user.pk,)),  # noqa: S611  (constants only)
    ).values_list("seat", "named", "referee", "late_s")
    found = row.first()
    if found is None:
        return None
    seat, named, referee, late_s = found
    if seat is not None:
        return _as_audience(seat), False
    may = user.is_active and (
        is_administrator(user) or _may_referee(user, named=named, referee=referee)
    )
    return LATE if late_s and not may else ROOM, may


_SEAT: Final = "SELECT seat FROM games_matchplayer WHERE match_id = games_match.id AND user_id = %s"
_NAMED: Final = "SELECT EXISTS (SELECT FROM games_matchreferee WHERE match_id = games_match.id)"
_REFEREE: Final = (
    "SELECT EXISTS (SELECT FROM games_matchreferee"
    " WHERE match_id = games_match.id AND user_id = %s)"
)


def organisers_of(match: Match) -> QuerySet[User]:
    """Whom to tell that a match waits for a ruling: its referees, or every organiser where it
    names none; not the superusers, who may do everything but were not asked to."""
    playing = MatchPlayer.objects.filter(match=match, user__isnull=False).values("user")
    people = User.objects.filter(is_active=True).exclude(pk__in=playing)
    if match.referees.exists():
        return people.filter(matches_refereed__match=match)
    return people.filter(groups__name=Role.ORGANISER)


def concerned_with(match: Match) -> QuerySet[User]:
    """Whom to write to that a match waits for a ruling: of those who are told of it, its referees;
    where it names none, whoever has organised it before or prepared what it is played with. All the
    others find it in their queue."""
    people = organisers_of(match)
    if match.referees.exists():
        return people
    acted = MatchEntry.objects.filter(match=match, by__isnull=False).values("by")
    return people.filter(pk__in=acted)


def may_plan(match: Match, user: Any) -> bool:
    """Whether ``user`` may keep a plan of ``match`` and read it: whoever holds a seat of it now,
    also while it waits and when it is over. It is theirs, not the seat's: whoever takes a seat over
    finds none there, and whoever left it cannot come back to theirs."""
    return seat_of(match, user) is not None


def may_practise(match: Match, user: Any) -> bool:
    """Whether ``user`` may be given hints in ``match``, and take moves back: whoever sits in
    practice."""
    return match.is_practice and seat_of(match, user) is not None


def may_name_commentators(match: Match, user: Any) -> bool:
    """Whether ``user`` may say who comments on a match: whoever may organise it."""
    return may_organise(match, user)


def may_comment(match: Match, user: Any) -> bool:
    """Whether ``user`` may write the commentary of a match: who is named for it and holds no seat
    in it."""
    if not isinstance(user, User) or not user.is_active or seat_of(match, user) is not None:
        return False
    return MatchCommentator.objects.filter(match=match, user=user).exists()


def may_predict(match: Match, user: Any) -> bool:
    """Whether ``user`` may say who will win a match: whoever only watches. Not its players, nor
    those who may organise it: they can decide who wins. Commentators may; they are told no more
    than everybody else who watches."""
    if not isinstance(user, User) or not user.is_active or seat_of(match, user) is not None:
        return False
    return not would_organise(match, user)


def may_read_predictions(*, seat: Seat | None, over: bool) -> bool:
    """Whether a reader may know how many think that who will win: players learn it after the
    end."""
    return seat is None or over


def may_prepare(user: Any) -> bool:
    """Whether ``user`` may prepare what matches are supplied with."""
    return is_organiser(user)


def may_host(user: Any) -> bool:
    """Whether ``user`` may host a match between two others."""
    return is_organiser(user)


def may_feature(match: Match, user: Any) -> bool:
    """Whether ``user`` may show a match to everybody in the best place, or no longer: every
    organiser, referees or not, since the place is the site's; nobody their own match."""
    if not isinstance(user, User) or not user.is_active or seat_of(match, user) is not None:
        return False
    return is_organiser(user)


def may_import(user: Any) -> bool:
    """Whether ``user`` may put a record on the site as a match to replay."""
    return is_organiser(user)


def may_moderate_chat(user: Any) -> bool:
    """Whether ``user`` may take a chat message away."""
    return is_moderator(user)


def chat_visible_to(user: Any) -> QuerySet[ChatMessage]:
    """The messages that ``user`` (or nobody) may read now: not those of the spectators and
    commentators of a running match in which they sit, moderators included."""
    said = ChatMessage.objects.all()
    if user is None or not getattr(user, "is_authenticated", False):
        return said
    return said.exclude(
        ~Q(room=ChatMessage.Room.PLAYERS),
        match__status=Match.Status.RUNNING,
        match__players__user=user,
    )


def own_running(user: User, match: str = "") -> Q:
    """The condition for rows of running matches in which ``user`` sits: out of their reach in the
    admin site, whatever else they are. ``match`` leads from the row to its match ("match")."""
    path = f"{match}__" if match else ""
    return Q(**{f"{path}status": Match.Status.RUNNING, f"{path}players__user": user})


def may_read_room(room: str, *, seat: Seat | None, over: bool) -> bool:
    """Whether a reader may read a chat room: players learn what spectators and commentators said
    after the end."""
    return room == ChatMessage.Room.PLAYERS or seat is None or over


def may_write_room(room: str, *, seat: Seat | None, over: bool, comments: bool = False) -> bool:
    """Whether a signed-in reader may write in a chat room. After the end everybody may write in
    the players' room too. The commentary is written by those alone who ``comments``, as
    `may_comment` says."""
    if room == ChatMessage.Room.COMMENTARY:
        return comments and seat is None
    if room == ChatMessage.Room.PLAYERS:
        return seat is not None or over
    return seat is None or over


def group_of(match_id: int, audience: Reading) -> str:
    """The channel group of one audience of a match."""
    return f"match.{match_id}.{audience}"


def chat_group_of(match_id: int, room: str) -> str:
    """The channel group of those who may read a chat room of a match."""
    return f"match.{match_id}.chat.{room}"


def user_group_of(user_id: int) -> str:
    """The channel group of everything one user has open."""
    return f"user.{user_id}"


def turns_group_of(user_id: int) -> str:
    """The channel group of pages that say which matches wait for one user: not of all that the user
    has open, since that is told at every turn."""
    return f"user.{user_id}.turns"


LOBBY_GROUP = "lobby"
#: Those who have the lobby itself open: people with an account, who are told who is there, and all
#: others, who are told how many.
HERE_GROUP = "lobby.here"
COUNT_GROUP = "lobby.count"
