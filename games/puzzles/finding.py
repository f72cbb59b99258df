"""Puzzles out of the matches that people have played here: which of them are looked through, a few
each day and each once, and what becomes of what is found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from datetime import time as hour
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, OuterRef

from core import chance
from core.clock import now_utc
from core.jobs import guard
from games.engine import puzzling
from games.engine.chance import RandomSource
from games.jobs import puzzles_enqueue
from games.models import Match
from games.puzzles.making import matches_for_puzzles, puzzles_of_match
from games.puzzles.models import Puzzle, PuzzleSearch
from games.puzzles.services import puzzles_add
from games.rulesets import REGISTRY
from games.thinking import processor_time

#: The name under which a match is set aside that cannot be looked through.
SEARCHED: Final = "puzzles.search"
NIGHT: Final = 2  # the hour, UTC, from which on a day's matches are looked through
RECENT: Final = timedelta(days=7)  # how long ago a match may have ended that is looked through then
MATCHES: Final = 60  # that are looked through in a day
PUZZLES: Final = 10  # that may come of them


def search_next(*, since: datetime | None = None) -> int | None:
    """The match to be looked through next: of the game of which the fewest were today, the latest
    to end that has not been yet, nor before ``since``."""
    today = PuzzleSearch.objects.filter(at__gte=_midnight()).values("match__ruleset").order_by()
    count = dict(today.annotate(many=Count("pk")).values_list("match__ruleset", "many"))
    rows = matches_for_puzzles().filter(
        ~Exists(PuzzleSearch.objects.filter(match=OuterRef("pk"))), guard.may_try(SEARCHED)
    )
    if since is not None:
        rows = rows.filter(finished_at__gte=since)
    for ruleset in sorted(REGISTRY, key=lambda each: count.get(each.id, 0)):
        found: int | None = rows.filter(ruleset=ruleset.id).values_list("pk", flat=True).first()
        if found is not None:
            return found
    return None


def search_due() -> int | None:
    """The match that a worker is to look through now; None before the night has begun, where enough
    was done today, and where there is none."""
    if now_utc().astimezone(UTC).hour < NIGHT:
        return None
    begin = _midnight()
    if PuzzleSearch.objects.filter(at__gte=begin).count() >= MATCHES:
        return None
    made = Puzzle.objects.filter(source=Puzzle.Source.MATCHES, created_at__gte=begin)
    if made.count() >= PUZZLES:
        return None
    return search_next(since=now_utc() - RECENT)


def searches_hand_out() -> None:
    """Have a worker go on, where there is anything to be done today."""
    if search_due() is not None:
        puzzles_enqueue()


def match_search(*, match_id: int, random: RandomSource = chance.system) -> int:
    """Look through a match, for `GAUNTLET_STUDY_SLICE_SECONDS` of this thread's processor time
    (`processor_time`) or a little more, and add the puzzle that is found; returns how many were
    added, one or none. Of two who do the same match at a time the first is believed. What it finds
    names nobody and does not say which match it came from."""
    match = matches_for_puzzles().filter(pk=match_id).first()
    if match is None:
        return 0
    has_time = processor_time(settings.GAUNTLET_STUDY_SLICE_SECONDS)
    found = puzzles_of_match(match, random, may_go_on=has_time)
    return _keep(match, [] if found is None else [found])


@transaction.atomic
def _keep(match: Match, found: list[puzzling.Puzzle]) -> int:
    _, is_first = PuzzleSearch.objects.get_or_create(match=match)
    if not is_first:
        return 0
    return puzzles_add(ruleset=REGISTRY.get(match.ruleset), puzzles=found)


def _midnight() -> datetime:
    return datetime.combine(now_utc().astimezone(UTC).date(), hour.min, tzinfo=UTC)
