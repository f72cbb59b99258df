"""What must hold of a bracket at every moment, told as sentences of what does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tournaments.course import Course
from tournaments.formats.brackets import Progress
from tournaments.formats.single_elimination import rules
from tournaments.lifecycle import ContestantStatus, SeasonStatus
from tournaments.models import DeathMatch


def faults_of(
    course: Course[Any], progress: Progress, death_matches: Sequence[DeathMatch]
) -> Iterator[str]:
    """In the first round of a bracket everybody is paired, later those who have won in the round
    before, and nobody else but for the match for third place, which its losers play."""
    small = {each.id for each in progress.bracket.matches if each.third_place}
    winners, losers = set(course.holders), set[int]()
    for played in course.season.rounds.order_by("number"):
        own = [each for each in death_matches if each.round_id == played.pk]
        for_third = [each for each in own if int(each.key) in small]
        others = [each for each in own if int(each.key) not in small]
        for due, pairs in ((winners, others), (losers, for_third)):
            paired = _holders(course, pairs)
            for pk in paired - due:
                yield f"{course.holder(pk)} has no part in {played}, and plays in it"
            # The losers of most rounds have nothing more to play.
            for pk in due - paired if pairs else ():
                yield f"{course.holder(pk)} is not paired in {played}"
        decided = [each for each in others if each.winner_id is not None]
        winners = {course.holder(each.winner_id).pk for each in decided if each.winner_id}
        losers = _holders(course, decided) - winners
    yield from _places(course, progress)


def _holders(course: Course[Any], pairs: Iterable[DeathMatch]) -> set[int]:
    """Who holds the places now that these death matches bring together."""
    sides = (pk for each in pairs for pk in (each.home_id, each.away_id))
    return {course.holder(pk).pk for pk in sides if pk is not None}


def _places(course: Course[Any], progress: Progress) -> Iterator[str]:
    """Who has lost for good is out, at the place that the results of the bracket say."""
    reached = {each.player: each.rank for each in rules.places(progress)}
    for pk, each in course.holders.items():
        # Who takes over from somebody that has left is out with the next result, if at all.
        if each.replaces_id is not None and course.season.status != SeasonStatus.FINISHED:
            continue
        if each.place != reached.get(pk):
            yield f"{each} has place {each.place}, not {reached.get(pk)}"
        if each.status == ContestantStatus.ACTIVE and reached.get(pk, 1) > 1:
            yield f"{each} has lost and is still in"
