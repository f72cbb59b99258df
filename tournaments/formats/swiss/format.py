"""A fixed number of rounds; equals meet, and nobody meets twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal, Together
from tournaments.course import Course
from tournaments.formats import field
from tournaments.formats.base import Follows
from tournaments.formats.paired import PairedFormat, TableCourse
from tournaments.formats.rounds import round_announce
from tournaments.formats.swiss import invariants, rules
from tournaments.formats.swiss.options import SwissOptions
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.services import deathmatches
from tournaments.services.guards import must_not_play_in


class SwissCourse(TableCourse[SwissOptions]):
    """A Swiss season."""

    options_type = SwissOptions
    tie_breaks = ("points", "direct", "buchholz-cut", "buchholz", "sonneborn-berger", "wins")

    @property
    def rounds(self) -> int:
        """As many as its organisers chose."""
        return self.options.rounds


class Swiss(PairedFormat):
    """A fixed number of rounds between players with equal points."""

    key = "swiss"
    name = "Swiss"
    summary = "A fixed number of rounds; equals meet, and nobody meets twice."
    course_type = SwissCourse
    pairs_everybody = True
    by_hand = True

    def pairings(
        self, course: Course[Any], number: int, *, lenient: bool
    ) -> Sequence[field.Pairing]:
        """Equals who have not met. Raises Refusal ``pairing.too-few``, ``pairing.bye`` and
        ``pairing.rematch``."""
        players = [each for each in course.players if _plays(course.holders[each.id], number)]
        found = rules.pair_round(players, course.settled, number=number, lenient=lenient)
        return found.pairings

    def must_admit(self, *, season: Season) -> None:
        """Until the last round is paired: ``entry.too-late``."""
        if season.rounds.count() >= SwissCourse.of(season).rounds:
            raise Refusal("entry.too-late", "The last round has been paired already.")

    def must_be_pairs(
        self, pairings: Sequence[tuple[Contestant | None, Contestant | None]] | None
    ) -> None:
        """Nobody twice: of rows ``pairing.twice``."""
        pairings = pairings or ()
        times = Counter(side.pk for sides in pairings for side in sides if side is not None)
        faults = Together()
        for number, sides in enumerate(pairings):
            for side in sides:
                if side is not None and times[side.pk] > 1:
                    sentence = f"{side.shown_name} is paired twice in this round."
                    faults.note(Refusal("pairing.twice", sentence), number)
        faults.settle()

    def proposed(self, course: Course[Any]) -> Sequence[tuple[Contestant, Contestant]]:
        """Nothing where it cannot be paired without a rematch."""
        try:
            pairings = self.pairings(course, course.season.rounds.count() + 1, lenient=False)
        except Refusal:
            return ()
        return [
            (course.holders[each.home], course.holders[each.away])
            for each in pairings
            if each.away is not None
        ]

    def must_be_pairable_by_hand(self, *, season: Season, acting_user: User) -> None:
        """Also what keeps a round from being paired at all, ``pairing.too-few``, and
        ``death-match.own`` of whoever plays in it."""
        super().must_be_pairable_by_hand(season=season, acting_user=acting_user)
        self.must_be_pairable(season=season)
        playing = list(season.contestants.in_round(season.rounds.count() + 1))
        field.enough([each.pk for each in playing])
        must_not_play_in(playing, acting_user)

    def round_open_by_hand(
        self,
        *,
        season: Season,
        acting_user: User,
        pairings: Sequence[tuple[Contestant, Contestant]],
        at: datetime,
    ) -> tuple[Round, list[DeathMatch], Follows]:
        """Everybody who plays exactly once; one may be left over, and has a bye.

        Raises Refusal as `round_begin` does, ``pairing.too-few``, ``death-match.own``,
        ``pairing.stranger``, ``pairing.left-out``, ``pairing.rematch`` and ``pairing.bye``.
        """
        self.must_be_pairable_by_hand(season=season, acting_user=acting_user)
        opened = self.round_begin(season=season, at=at)
        playing = {each.pk: each for each in season.contestants.in_round(opened.number)}
        faults = Together()
        for number, side in ((n, side) for n, sides in enumerate(pairings) for side in sides):
            if side.pk not in playing:
                sentence = f"{side.shown_name} does not play in this round."
                faults.note(Refusal("pairing.stranger", sentence), number)
        faults.settle()
        paired = {side.pk for sides in pairings for side in sides}
        resting = [each for pk, each in playing.items() if pk not in paired]
        if len(resting) > 1:
            names = ", ".join(each.shown_name for each in resting)
            raise Refusal("pairing.left-out", f"These have no opponent: {names}.")
        _must_be_new(season, pairings, resting)
        made = [
            deathmatches.death_match_create(
                round=opened, home=playing[home.pk], away=playing[away.pk], at=at
            )
            for home, away in pairings
        ]
        for each in resting:
            deathmatches.bye_create(round=opened, home=each, at=at)
        round_announce(opened=opened, at=at)
        audit_record(
            acting_user=acting_user,
            action="round.pair",
            target=opened,
            data={"season": season.pk, "round": opened.number, "by_hand": True},
        )
        # Nothing may be left to play: a round of byes is complete at once.
        return opened, made, Follows(settles=opened)

    def faults(
        self, *, season: Season, death_matches: Sequence[DeathMatch], lenient: bool
    ) -> Iterator[str]:
        """Everybody who is in is paired in each round; nobody twice against the same, or with two
        byes."""
        yield from invariants.everybody_paired(season)
        if not lenient:
            yield from invariants.nobody_again(death_matches)


FORMAT = Swiss()


def _must_be_new(
    season: Season,
    pairings: Sequence[tuple[Contestant, Contestant]],
    resting: Sequence[Contestant],
) -> None:
    # Known by the places, as the format knows it: who takes one over has met whom it has met.
    known = rules.Field((), SwissCourse.of(season).settled)
    faults = Together()
    for number, (home, away) in enumerate(pairings):
        if known.met[frozenset({home.pk, away.pk})]:
            sentence = f"{home.shown_name} and {away.shown_name} have met before."
            faults.note(Refusal("pairing.rematch", sentence), number)
    faults.settle()
    for each in resting:
        if known.byes[each.pk]:
            raise Refusal("pairing.bye", f"{each.shown_name} has had a bye before.")


def _plays(contestant: Contestant, number: int) -> bool:
    return contestant.status == ContestantStatus.ACTIVE and contestant.since_round <= number
