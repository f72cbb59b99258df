"""What pages list: queries, each bounded, each through what the viewer may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import structlog
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Value,
    When,
    prefetch_related_objects,
)

from accounts.models import Block, User
from core.clock import instant_of, now_utc
from core.refusals import NotFound
from games import store
from games.audience import organised_by, seat_of
from games.engine import live as lives
from games.engine.acts import NO_REASON, REASON
from games.models import Challenge, HostedMatch, Match, MatchEntry, MatchPlayer, Preparation
from games.words import game_name

log = structlog.get_logger("gauntlet.matches")

# -- matches -------------------------------------------------------------------------------------


def matches_listed(viewer: Any) -> QuerySet[Match]:
    """The matches between people that ``viewer`` may see, fit for lists: with their players,
    without the snapshots, which are what makes a row large."""
    players = MatchPlayer.objects.select_related("user").order_by("seat")
    matches: QuerySet[Match] = Match.objects.visible_to(viewer).between_people()
    return matches.defer("snapshot").prefetch_related(Prefetch("players", queryset=players))


def matches_told_of(viewer: Any) -> QuerySet[Match]:
    """The same, with what was ruled on their results."""
    return matches_listed(viewer).select_related("rating_ruling")


def matches_live(viewer: Any) -> QuerySet[Match]:
    """Matches that are on, the latest first."""
    return matches_listed(viewer).filter(status=Match.Status.RUNNING)


def matches_over(viewer: Any) -> QuerySet[Match]:
    """Matches that are over, the latest to end first."""
    finished = matches_listed(viewer).filter(status=Match.Status.FINISHED)
    return finished.order_by("-finished_at", "-pk")


def matches_filtered(
    matches: QuerySet[Match], *, ruleset: str = "", player: User | None = None
) -> QuerySet[Match]:
    """Those of ``matches`` with this ruleset and this player, where given."""
    if ruleset:
        matches = matches.filter(ruleset=ruleset)
    if player is not None:
        matches = matches.filter(players__user=player)
    return matches


#: What cards of matches and challenges show. A turn changes none of it.
_OF_MATCHES: Final = (
    "pk", "ruleset", "variant", "options", "source", "status", "paused", "waits_until",
    "unrated", "late_s", "winner", "reason", "scores", "created_at", "finished_at",
)  # fmt: skip
_OF_CHALLENGES: Final = (
    "pk", "challenger", "opponent", "token", "ruleset", "variant", "options", "advantage", "rated",
    "late_s", "message", "status", "expires_at", "preparation", "preparation__key",
    "challenger__username", "challenger__display_name", "challenger__is_bot",
)  # fmt: skip


def matches_on_cards(matches: QuerySet[Match]) -> QuerySet[Match]:
    """``matches`` with what cards show of them, and nothing else; of their players nothing yet (see
    `players_onto_cards`)."""
    return matches.only(*_OF_MATCHES).prefetch_related(None)


def players_onto_cards(matches: Sequence[Match]) -> None:
    """Fetch the names of the players of all these matches, of however many lists, at once."""
    players = MatchPlayer.objects.only("match", "seat", "name").order_by("seat")
    prefetch_related_objects(matches, Prefetch("players", queryset=players))


def matches_as_shown(matches: QuerySet[Match], *more: str) -> QuerySet[Match, tuple[Any, ...]]:
    """The values that cards of ``matches`` show, and ``more``; two lists are the same if these
    are."""
    players = MatchPlayer.objects.filter(match=OuterRef("pk")).order_by("seat")
    return matches.prefetch_related(None).values_list(
        *_OF_MATCHES, *more, ArraySubquery(players.values("name"))
    )


class OwnMatch(NamedTuple):
    """A running match of somebody, and whether it waits for them (`store.waits_for`). ``deadline``
    is theirs; None while nothing of theirs is open, the clocks stand still, or it depends on when
    the opponent answers. One that ``begins`` waits for both to be there until then."""

    match: Match
    to_move: bool
    deadline: datetime | None
    begins: bool = False


def own_running(user: User, *, at_most: int = 50) -> list[OwnMatch]:
    """The running matches in which ``user`` sits, those that wait for them first.

    Only what concerns their own seat is read from a match: whether the opponent has made a secret
    choice is nobody's business.
    """
    rows = matches_live(user).defer(None).filter(players__user=user)
    # Those that wait for them are among them, however many others there are.
    rows = rows.alias(mine=Case(When(_waits_for_player("players__", ""), then=0), default=1))
    order = ("mine", F("deadline_at").asc(nulls_last=True), "-created_at", "-pk")
    own = [_own_match(match, user) for match in rows.order_by(*order)[:at_most]]
    never = datetime.max.replace(tzinfo=UTC)
    return sorted(own, key=lambda each: (not each.to_move, each.deadline or never))


def _waits_for_player(player: str, match: str) -> Q:
    """The condition that a match waits for a player: what leads to the columns of each."""
    return Q(**{f"{player}seat": 0, f"{match}to_move__in": (1, 3)}) | Q(
        **{f"{player}seat": 1, f"{match}to_move__in": (2, 3)}
    )


def matches_to_move(user: User, *, at_most: int = 50) -> list[int]:
    """The matches that wait for ``user``, in no order. One statement, for every page."""
    seats = MatchPlayer.objects.filter(
        user=user, match__status=Match.Status.RUNNING, match__bot_seats=0
    )
    waiting = seats.filter(_waits_for_player("", "match__")).order_by()
    return list(waiting.values_list("match", flat=True)[:at_most])


def match_next(user: User, *, after: int | None = None) -> Match | None:
    """The match that waits for ``user`` and has the least time left; ``after`` comes last."""
    waiting = [each.match for each in own_running(user) if each.to_move]
    return min(waiting, key=lambda match: match.pk == after, default=None)


def _own_match(match: Match, user: User) -> OwnMatch:
    try:
        held = store.held_of(match)
    except Exception:
        # Whatever is wrong with it, the reader's other matches are to be found.
        log.exception("match.unreadable", match=match.pk)
        return OwnMatch(match, to_move=False, deadline=None)
    waiting = held.live.waiting
    seat = seat_of(match, user)
    assert seat is not None  # noqa: S101  (`own_running` asks for theirs alone)
    to_move = store.waits_for(held.live, seat)
    if waiting is not None:
        return OwnMatch(match, to_move, instant_of(waiting.until), begins=True)
    deadline = lives.deadline_shown(held.ruleset, held.live, seat) if to_move else None
    moment = None if deadline is None else instant_of(deadline)
    return OwnMatch(match, to_move, moment)


def matches_missed(user: User, *, at_most: int = 5) -> QuerySet[Match]:
    """Matches that ended for ``user`` while they were away, and that they have not looked at
    since; the latest first."""
    seats = MatchPlayer.objects.filter(user=user, missed_end=True).values("match")
    return matches_over(user).filter(pk__in=seats)[:at_most]


def matches_to_rule(user: Any) -> QuerySet[Match]:
    """Running matches that wait for a ruling which ``user`` may give, the longest-waiting first."""
    waiting = matches_live(user).filter(awaits_ruling=True)
    return organised_by(waiting, user).order_by("pk")


def lacking_a_reason() -> Q:
    """Which matches wait for an organiser to say why something was done: as
    `acts.lacks_a_reason`."""
    done = MatchEntry.objects.filter(actor=MatchEntry.Actor.ORGANISER)
    given = done.filter(match=OuterRef("match"), text=REASON, seq__gt=OuterRef("seq"))
    lacking = done.filter(match=OuterRef("pk"), why=NO_REASON).exclude(Exists(given))
    return Q(Exists(lacking))


def matches_to_organise(user: Any) -> QuerySet[Match]:
    """Running matches that ``user`` may organise, the latest first."""
    return organised_by(matches_live(user), user)


def matches_to_comment(user: User) -> QuerySet[Match]:
    """Running matches that ``user`` is named to comment on, the latest first."""
    return matches_live(user).filter(commentators__user=user)


def practice_of(user: User) -> QuerySet[Match]:
    """What ``user`` has practised, what is on first, then the latest first."""
    players = MatchPlayer.objects.select_related("user").order_by("seat")
    matches = Match.objects.practice().of_user(user).defer("snapshot")
    return matches.prefetch_related(Prefetch("players", queryset=players)).order_by(
        "-status", "-created_at", "-pk"
    )


# -- challenges ----------------------------------------------------------------------------------


def challenges_listed() -> QuerySet[Challenge]:
    """Challenges with the people concerned."""
    return Challenge.objects.select_related("challenger", "opponent", "match", "preparation")


def _open_challenges() -> QuerySet[Challenge]:
    # Those that have lapsed stay "open" until the sweep closes them; nobody can accept them.
    return challenges_listed().filter(status=Challenge.Status.OPEN, expires_at__gt=now_utc())


def challenges_for_anybody(viewer: Any) -> QuerySet[Challenge]:
    """Open challenges that anybody may accept, those of ``viewer`` left out."""
    challenges = _open_challenges().filter(_to_anybody(viewer))
    if viewer.is_authenticated:
        challenges = challenges.exclude(challenger=viewer)
    return challenges


def _to_anybody(viewer: Any) -> Q:
    """The condition for challenges to anybody that ``viewer`` may see: an open one is nothing to
    those of whom one has blocked the other, who could not play it."""
    anybody = Q(opponent__isnull=True, token__isnull=True)
    if viewer.pk is None:
        return anybody
    apart = Exists(Block.objects.between(viewer.pk, OuterRef("challenger")))
    return anybody & (~Q(status=Challenge.Status.OPEN) | ~Q(apart))


def challenges_on_cards(challenges: QuerySet[Challenge]) -> QuerySet[Challenge]:
    """``challenges`` with what cards show of those that anybody may accept, and nothing else."""
    related = challenges.select_related(None).select_related("challenger", "preparation")
    return related.only(*_OF_CHALLENGES)


def challenges_as_shown(challenges: QuerySet[Challenge]) -> QuerySet[Challenge, tuple[Any, ...]]:
    """The values that cards of ``challenges`` show; two lists are the same if these are."""
    return challenges.select_related(None).values_list(*_OF_CHALLENGES)


def challenges_to(user: User) -> QuerySet[Challenge]:
    """Open challenges made to this player by name, but for those of people they have blocked."""
    return _open_challenges().filter(opponent=user).exclude(_kept_from(user))


def _kept_from(opponent: Any) -> Q:
    """The condition for challenges that are not shown to whom they are made, who has blocked the
    challenger: those they have not answered."""
    blocked = Exists(Block.objects.filter(blocker=opponent.pk, blocked=OuterRef("challenger")))
    answered = (Challenge.Status.ACCEPTED, Challenge.Status.DECLINED)
    return Q(opponent=opponent.pk) & ~Q(status__in=answered) & Q(blocked)


def challenges_by(user: User) -> QuerySet[Challenge]:
    """Open challenges of this player."""
    return _open_challenges().filter(challenger=user)


def challenges_visible(viewer: Any) -> QuerySet[Challenge]:
    """The challenges that ``viewer`` may see: one to anybody is for all who could play it, one to a
    named player is between those two, one by a link its challenger's (see `challenge_by_link`)."""
    anybody = _to_anybody(viewer)
    if viewer.pk is None:
        return challenges_listed().filter(anybody)
    seen = challenges_listed().filter(anybody | Q(challenger=viewer.pk) | Q(opponent=viewer.pk))
    return seen.exclude(_kept_from(viewer))


def challenge_visible(challenge_id: int, viewer: Any) -> Challenge | None:
    """The challenge, if ``viewer`` may see it."""
    return challenges_visible(viewer).filter(pk=challenge_id).first()


def challenge_by_link(token: str, viewer: Any) -> Challenge | None:
    """The challenge whose link has this token: that ``viewer`` has it is enough, unless it is open
    and its challenger has blocked them."""
    if not token:
        return None
    blocked = Exists(Block.objects.filter(blocker=OuterRef("challenger"), blocked=viewer.pk))
    open_to_others = Q(status=Challenge.Status.OPEN) & Q(blocked)
    return challenges_listed().filter(token=token).exclude(open_to_others).first()


# -- hosted matches ------------------------------------------------------------------------------


def hosted_listed(viewer: Any) -> QuerySet[HostedMatch]:
    """The hosted matches that ``viewer`` may see, with the people concerned."""
    related = ("host", "first", "second", "ended_by", "match", "preparation")
    return HostedMatch.objects.visible_to(viewer).select_related(*related).defer("match__snapshot")


def hosted_by(user: User) -> QuerySet[HostedMatch]:
    """What ``user`` hosts or has hosted, the latest first."""
    return hosted_listed(user).filter(host=user)


def invitations_awaiting(user: User) -> QuerySet[HostedMatch]:
    """Hosted matches to which ``user`` is invited and has not answered, the latest first."""
    unanswered = Q(first=user, first_accepted_at__isnull=True)
    unanswered |= Q(second=user, second_accepted_at__isnull=True)
    pending = hosted_listed(user).filter(status=HostedMatch.Status.OPEN, expires_at__gt=now_utc())
    return pending.filter(unanswered)


def answers_awaited(user: User, *, at_most: int) -> list[str]:
    """What waits for the answer of ``user``, in one statement: challenges by their numbers, and
    invitations to hosted matches by theirs with an ``h`` before it."""
    challenges = challenges_to(user).order_by("-created_at", "-pk")[:at_most]
    found = challenges.values_list(Value(""), "pk").union(
        invitations_awaiting(user).order_by("-pk").values_list(Value("h"), "pk")[:at_most], all=True
    )
    return [f"{kind}{pk}" for kind, pk in found]


def hosted_visible(hosted_id: int, viewer: Any) -> HostedMatch:
    """The hosted match, if ``viewer`` may see it. Raises Refusal ``hosted.none``."""
    found = hosted_listed(viewer).filter(pk=hosted_id).first()
    if found is None:
        raise NotFound("hosted.none", "There is no such hosted match.")
    return found


# -- preparations --------------------------------------------------------------------------------


def preparations_of(user: Any, *, ruleset: str = "", keys: Iterable[str] = ()) -> list[Preparation]:
    """What ``user`` has prepared, or of it what is for this ruleset, and for these keys."""
    rows = Preparation.objects.visible_to(user)
    if ruleset:
        rows = rows.filter(ruleset=ruleset)
    if keys:
        rows = rows.filter(key__in=keys)
    return list(rows)


def preparation_of(user: Any, preparation_id: int) -> Preparation:
    """One preparation of ``user``. Raises Refusal ``preparation.none``."""
    found = Preparation.objects.visible_to(user).filter(pk=preparation_id).first()
    if found is None:
        raise NotFound("preparation.none", "You have prepared nothing of the kind.")
    return found


# -- people --------------------------------------------------------------------------------------


class Tally(NamedTuple):
    """How somebody did in one game."""

    game: str
    won: int
    lost: int

    @property
    def played(self) -> int:
        """How many matches were decided."""
        return self.won + self.lost


def tallies_of(user: User, viewer: Any) -> list[Tally]:
    """Matches won and lost by game, of those that ``viewer`` may see; void ones count as neither,
    and so do imported ones, which name nobody of this site."""
    won = Case(When(match__winner=F("seat"), then=1), output_field=IntegerField())
    rows = (
        MatchPlayer.objects.filter(
            user=user,
            match__in=Match.objects.visible_to(viewer).between_people(),
            match__status=Match.Status.FINISHED,
            match__winner__isnull=False,
        )
        .values("match__ruleset", "match__variant")
        .annotate(won=Count(won), lost=Count("pk", filter=~Q(match__winner=F("seat"))))
        .order_by("match__ruleset", "match__variant")
    )
    return [
        Tally(game_name(row["match__ruleset"], row["match__variant"]), row["won"], row["lost"])
        for row in rows
    ]
