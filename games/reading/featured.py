"""The match in the best place: the one that organisers feature, else one that the site chooses.

Whatever is told of it the room of the match is told, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import structlog
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Case,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.expressions import RawSQL

from core.clock import now_ms
from games import store
from games.audience import AUDIENCES
from games.engine.decisions import ROOM
from games.engine.views import match_view
from games.models import FeaturedMatch, Match, MatchPlayer
from games.options.pace import HOUR, default_times
from games.presence import watched
from games.ratings.models import OVERALL, Rating
from games.reading.matches import SPECTATORS_VERSION
from games.reading.selectors import matches_as_shown
from games.rulesets import REGISTRY

log = structlog.get_logger("gauntlet.matches")

# Of those that run, the latest so many, and those that most are watching: however many there are,
# no reader waits for the ratings of them all.
AT_MOST: Final = 60


def match_featured(viewer: Any) -> QuerySet[Match]:
    """The match in the best place as ``viewer`` may see it, or none.

    What organisers feature comes first, as long as it runs. Else it is one at a live pace that has
    begun and is not paused: with the most spectators, then with the highest ratings of its two
    players together, then the latest.
    """
    counts = watched()
    running = Match.objects.visible_to(viewer).between_people().running()
    begun = running.filter(_live_pace(), waits_until__isnull=True, paused=False)
    latest = begun.order_by("-created_at", "-pk").values("pk")[:AT_MOST]
    most = sorted(counts, key=lambda pk: -counts[pk])[:AT_MOST]
    chosen = Q(Exists(FeaturedMatch.objects.filter(match=OuterRef("pk"))))
    candidates = Q(pk__in=latest) | Q(pk__in=begun.filter(pk__in=most).values("pk"))
    ratings = Rating.objects.filter(ladder=OVERALL, user__match_seats__match=OuterRef("pk"))
    together = ratings.order_by().values("ladder").annotate(sum=Sum("shown")).values("sum")
    return (
        running.filter(chosen | candidates)
        .alias(together=Subquery(together))
        .annotate(
            chosen=Case(When(chosen, then=1), default=0, output_field=IntegerField()),
            spectators=_spectators(counts),
        )
        .order_by(
            "-chosen", "-spectators", F("together").desc(nulls_last=True), "-created_at", "-pk"
        )[:1]
    )


def _live_pace() -> Q:
    """The condition for matches of less than an hour a turn (`games.options.pace.is_live`)."""
    live = [each.id for each in REGISTRY if default_times(each)["turn_time"] < HOUR]
    own = Q(options__has_key="turn_time")
    return Q(own, options__turn_time__lt=HOUR) | Q(~own, ruleset__in=live)


def _spectators(counts: Mapping[int, int]) -> Case | Value:
    if not counts:
        return Value(0)
    whens = [When(pk=pk, then=Value(count)) for pk, count in counts.items()]
    return Case(*whens, default=Value(0), output_field=IntegerField())


class Featured(NamedTuple):
    """What the card of the match in the best place shows: its row with the snapshot, in which the
    board is, the names of its players by seat, whether organisers have chosen it, and how many are
    watching."""

    match: Match
    called: Sequence[str]
    chosen: bool
    spectators: int


_COLUMNS: Final = [field.attname for field in Match._meta.concrete_fields]


def featured_on_card(matches: QuerySet[Match]) -> QuerySet[Match, dict[str, Any]]:
    """What `featured_of` makes a card's values of, in one statement."""
    players = MatchPlayer.objects.filter(match=OuterRef("pk")).order_by("seat")
    called: QuerySet[Any, Any] = matches.prefetch_related(None).annotate(
        called=ArraySubquery(players.values("name"))
    )
    return called.values(*_COLUMNS, "called", "chosen", "spectators")


def featured_of(row: dict[str, Any]) -> Featured:
    """The values of a card."""
    match = Match(**{name: row[name] for name in _COLUMNS})
    return Featured(match, row["called"], bool(row["chosen"]), row["spectators"])


def featured_as_shown(matches: QuerySet[Match]) -> QuerySet[Match, tuple[Any, ...]]:
    """Values that change whenever what the card of ``matches`` shows does: with what spectators are
    told, and not with a choice that is secret."""
    told = matches.annotate(version=RawSQL(SPECTATORS_VERSION, ()))  # noqa: S611  (constants only)
    return matches_as_shown(told, "version", "chosen", "spectators")


class Standing(NamedTuple):
    """How a running match stands for the room: its version, the score by seat (None before there is
    any board), and what each player is to do, as far as everybody knows."""

    version: int
    scores: tuple[int, int] | None
    words: str


def standing_of(match: Match, names: Sequence[str]) -> Standing:
    """How ``match`` stands for the room, of its row with the snapshot; ``names`` by seat."""
    try:
        return _standing_of(match, names)
    except Exception:
        # Whatever is wrong with it, the pages that show it first are to be found.
        log.exception("match.unreadable", match=match.pk)
        return Standing(0, None, "")


def _standing_of(match: Match, names: Sequence[str]) -> Standing:
    held = store.seen_by_spectators(match)
    view = match_view(held.ruleset, held.live, ROOM, at=now_ms())
    prompts = [f"{names[each['seat']]}: {each['prompt']}" for each in view["decisions"]]
    state = held.live.table.state
    return Standing(
        held.readers.versions[AUDIENCES.index(ROOM)],
        None if state is None or view["game"] is None else held.ruleset.scores(state),
        "" if view["paused"] else " · ".join(prompts),
    )
