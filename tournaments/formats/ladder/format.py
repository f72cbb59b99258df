"""Challenge somebody above; beat them and take their rung."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.functional import cached_property

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, Refusal, Together
from games.engine.chance import below
from tournaments import audience
from tournaments.course import Course
from tournaments.formats.base import NOTHING, Follows, Format
from tournaments.formats.field import Rung
from tournaments.formats.ladder import rules
from tournaments.formats.ladder.options import LadderOptions
from tournaments.formats.numbering import NumberedRound, must_have_keys, wrong
from tournaments.formats.registry import format_of
from tournaments.formats.rounds import round_announce, round_create
from tournaments.formats.simulation import SimulatedSeason
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.rights import Right
from tournaments.services import deathmatches
from tournaments.services.guards import (
    RowByRow,
    instant,
    must_be_running,
    must_not_be_archived,
    season_lock,
    season_lock_managed,
)
from tournaments.services.repertoire import game_of_round


class LadderCourse(Course[LadderOptions]):
    """A ladder."""

    options_type = LadderOptions

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """The top rung first."""
        made = sorted(self.known, key=lambda known: known[0].number)
        results = [result for _, result in made if result.settled]
        return rules.rungs_of(self.players, results, self.withdrawn)

    @property
    def ordered(self) -> list[tuple[int, int]]:
        """By their rungs."""
        return list(enumerate(self.ladder, start=1))

    @property
    def ladder(self) -> tuple[int, ...]:
        """Who stands on the rungs, from the top."""
        return tuple(rung.player for rung in self.rungs)

    def in_reach(self, challenger: int) -> tuple[int, ...]:
        """Whom somebody may challenge now, nearest first."""
        return rules.in_reach(self.ladder, challenger, self.reach, self.busy)

    @property
    def reach(self) -> int:
        """How many rungs up a challenge may go."""
        return self.options.challenge_reach


class Ladder(Format):
    """One round, which is open to challenges until the season ends."""

    key = "ladder"
    name = "Ladder"
    summary = "Challenge somebody above; beat them and take their rung."
    course_type = LadderCourse
    once_a_round = False
    challenges = True
    season_template = "tournaments/formats/ladder/season.html"
    standings_template = "tournaments/formats/ladder/standings.html"
    desk_template = "tournaments/formats/ladder/desk.html"
    waits = "Somebody has to challenge somebody above them."

    def must_be_able_to_challenge(
        self, *, course: Any, challenger: Contestant, acting_user: User
    ) -> None:
        """Somebody is in reach. Raises Refusal as `must_be_a_ladder` does, and
        ``ladder.out-of-reach``."""
        must_be_a_ladder(course.season)
        if not course.in_reach(challenger.pk):
            own = challenger.user_id == acting_user.pk
            raise Refusal(
                "ladder.out-of-reach",
                "Nobody above you can be challenged at the moment."
                if own
                else f"{challenger} can challenge nobody at the moment.",
            )

    def challenge_open(
        self,
        *,
        acting_user: User,
        season: Season,
        challenger: Contestant,
        defender: Contestant,
    ) -> DeathMatch:
        """As `ladder_challenge`."""
        return ladder_challenge(
            acting_user=acting_user, season=season, challenger=challenger, defender=defender
        )

    def must_be_closable(self, *, round: Round) -> None:  # noqa: A002
        """Refused (``round.ladder``)."""
        del round
        raise Refusal("round.ladder", "A ladder is open to challenges until the season ends.")

    def must_be_pairs(
        self, pairings: Sequence[tuple[Contestant | None, Contestant | None]] | None
    ) -> None:
        """Challenges; of rows ``ladder.self``. Raises Refusal ``pairing.needed`` for none."""
        if not pairings:
            sentence = "On a ladder it must be said who challenges whom."
            raise Refusal("pairing.needed", sentence)
        faults = Together()
        for number, (challenger, defender) in enumerate(pairings):
            if challenger is not None and defender is not None:
                with faults.of(number):
                    rules.must_be_two(challenger.pk, defender.pk)
        faults.settle()

    def round_open_by_hand(
        self,
        *,
        season: Season,
        acting_user: User,
        pairings: Sequence[tuple[Contestant, Contestant]],
        at: datetime,
    ) -> tuple[Round, list[DeathMatch], Follows]:
        """One challenge after another. Raises, of rows, what `ladder_challenge` refuses."""
        made, faults = [], RowByRow()
        for number, (challenger, defender) in enumerate(pairings):
            with faults.of(number):
                made.append(
                    ladder_challenge(
                        acting_user=acting_user,
                        season=season,
                        challenger=challenger,
                        defender=defender,
                        at=at,
                    )
                )
        faults.settle()
        return season.rounds.get(), made, NOTHING

    def on_started(self, *, season: Season, acting_user: User | None, at: datetime) -> Follows:
        """The only round opens."""
        del acting_user
        opened = round_create(season=season, number=1, name="Challenges", at=at)
        round_announce(opened=opened, at=at)
        return NOTHING

    def complete(self, *, round: Round, at: datetime) -> Follows:  # noqa: A002
        """Nothing: the next challenge may come at any time."""
        del round, at
        return NOTHING

    def simulate(self, run: SimulatedSeason) -> None:
        """Challenges: as many as were planned, or two for each contestant and then the end."""
        for _ in range(run.rounds or 2 * len(run.active())):
            course = LadderCourse.of(run.season)
            ladder = [course.holders[pk] for pk in course.ladder]
            low = 1 + below(run.chance, len(ladder) - 1)
            high = max(0, low - 1 - below(run.chance, course.reach))
            death_match = ladder_challenge(
                acting_user=run.organiser,
                season=run.season,
                challenger=ladder[low],
                defender=ladder[high],
                at=run.later(hours=12),
            )
            run.play(death_match)
        if run.rounds is None:
            run.conclude()

    def must_number(self, *, season: Season, rounds: Sequence[NumberedRound]) -> None:
        """One round, and challenges that are counted."""
        del season
        if len(rounds) != 1:
            raise wrong("rounds", "a ladder has one round")
        numbers = sorted(number for number, _key in rounds[0].death_matches)
        if numbers != list(range(1, len(numbers) + 1)):
            raise wrong("rounds[0]", "challenges are numbered from 1 without gaps")
        must_have_keys(rounds, _key_of)


def _key_of(number: int) -> str:
    """What the challenge of that number is called: pairs meet again on a ladder, so the round's
    "once a round" must not hold for them."""
    return f"challenge-{number}"


FORMAT = Ladder()


def must_be_a_ladder(season: Season) -> None:
    """Whether people can challenge each other now. Raises Refusal ``ladder.no-ladder``,
    ``season.archived`` and ``season.not-running``."""
    format_of(season.format).must_take_challenges()
    must_not_be_archived(season)
    must_be_running(season)


@transaction.atomic
def ladder_challenge(
    *,
    acting_user: User,
    season: Season,
    defender: Contestant,
    challenger: Contestant | None = None,
    at: datetime | None = None,
) -> DeathMatch:
    """Challenge somebody above on a ladder; the challenger has seat 0.

    A contestant challenges for themselves; an organiser names the ``challenger``. Raises Refusal as
    `guards.season_lock_managed` does, ``season.not-running``, ``ladder.no-ladder``,
    ``ladder.not-in`` (the user is no contestant), ``season.not-organiser``, ``ladder.unknown``,
    ``ladder.self``, ``ladder.not-above``, ``ladder.out-of-reach``, ``ladder.busy``.
    """
    locked = season_lock(season.pk)
    must_be_a_ladder(locked)
    own = audience.contestant_of(locked, acting_user)
    if challenger is None:
        challenger = own
    elif own is None or challenger.pk != own.pk:
        season_lock_managed(locked, acting_user, Right.EPISODES)
    if challenger is None:
        raise Forbidden("ladder.not-in", "You are not on this ladder.")
    course = LadderCourse.of(locked)
    rules.check(
        course.ladder,
        challenger=challenger.pk,
        defender=defender.pk,
        reach=course.reach,
        busy=course.busy,
        names={each.pk: each.shown_name for each in (challenger, defender)},
    )
    only = locked.rounds.get()
    number = only.death_matches.count() + 1
    game = game_of_round(locked, number)
    made = deathmatches.death_match_create(
        round=only,
        home=course.holders[challenger.pk],
        away=course.holders[defender.pk],
        number=number,
        key=_key_of(number),
        games=[game] if game else [],
        at=instant(at),
    )
    audit_record(
        acting_user=acting_user,
        action="ladder.challenge",
        target=made,
        data={"season": locked.pk, "challenger": challenger.pk, "defender": defender.pk},
    )
    return made
