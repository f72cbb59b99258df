"""What a format of seasons is.

A format says what it is like (whether its rounds are there from the beginning, whether the
eliminated give items), and answers what only it can know. And it is told of every turning point of
a season and does what is its own: it places, pairs, brings in and puts out. What reaches beyond
(somebody who is not there loses, a season is over) it says in what it returns, and whoever told it
does that: formats know death matches, and nothing of what is done with results
(`services.results`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

import msgspec
from django.db.models import Model

from accounts.models import User
from core.refusals import NotFound, Refusal, Together
from tournaments.course import Course
from tournaments.formats.numbering import NumberedRound, must_have_keys
from tournaments.formats.options import FormatOptions
from tournaments.formats.simulation import SimulatedSeason
from tournaments.lifecycle import SeasonStatus
from tournaments.models import Contestant, DeathMatch, Round, Season


class Task(NamedTuple):
    """Something that waits for an organiser: what, the page of the season where it is done (its
    name and the arguments after the season's), what its button says, and how pressing it is (2:
    now). ``url``: where it is done, if that is no page of the season. ``does``: the action on a
    round that it is, and the round's number, where its page is called otherwise."""

    words: str
    page: str
    action: str
    pressing: int = 1
    args: tuple[Any, ...] = ()
    url: str = ""
    does: tuple[str, int] | None = None


class Sweep(NamedTuple):
    """What time asks of seasons of a format, by itself: ``find`` the rows that are due at an
    instant, so many at most, and ``act`` on each at that instant (whether anything was done).
    ``job`` is what it is called where one that fails is set aside."""

    job: str
    find: Callable[[datetime, int], Iterable[Model]]
    act: Callable[[datetime, Any], bool]


class Walkover(NamedTuple):
    """A death match, of which nothing is being played, that somebody is to win because the other
    has left."""

    death_match: DeathMatch
    winner: Contestant
    why: str


class Follows(msgspec.Struct, frozen=True):
    """What is to be done after a step: ``walkovers``, one after another; ``settles``, a round that
    may have nothing left to be played; and whether the season ``concludes``, if it can."""

    walkovers: tuple[Walkover, ...] = ()
    settles: Round | None = None
    concludes: bool = False


NOTHING = Follows()


class Format(ABC):
    """One format; what it does not say is as most formats have it. Every step is called under the
    season's lock, inside the transaction of what is done, and may raise Refusal: then it is not
    done."""

    key: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    #: How many contestants are needed.
    least: ClassVar[int] = 2
    course_type: ClassVar[type[Course[Any]]]

    # -- what it is like -------------------------------------------------------------------------

    #: Whether all its rounds are there from the beginning; else one is opened after another, on
    #: the results of the one before.
    rounds_ahead: ClassVar[bool] = False
    #: Whether who has lost once cannot win any more, and may still play for a place behind.
    loses_once: ClassVar[bool] = False
    #: Whether somebody meets one opponent in a round at most.
    once_a_round: ClassVar[bool] = True
    #: Whether a round is paired of everybody who is in: who comes later plays from the next one.
    pairs_everybody: ClassVar[bool] = False
    #: Whether the eliminated give items for what is still to be played: a part of the format.
    gifts: ClassVar[bool] = False
    #: Whether it has episodes, in which an EC chooses whom to meet.
    episodes: ClassVar[bool] = False
    #: Whether contestants challenge each other.
    challenges: ClassVar[bool] = False
    #: Whether organisers have it pair one round after another.
    paired: ClassVar[bool] = False
    #: Whether organisers may pair a whole round themselves.
    by_hand: ClassVar[bool] = False
    #: Whether a season ends by an order that can be asked for at any time; else with one result.
    ends_by_order: ClassVar[bool] = True

    # -- what its pages are like -------------------------------------------------------------------

    #: Templates with what is its own, on the season's page, on that of the standings and on the
    #: desk, with the season as pages read it as `sheet`. Empty: nothing.
    season_template: ClassVar[str] = ""
    standings_template: ClassVar[str] = ""
    desk_template: ClassVar[str] = ""
    #: Whether a bracket is drawn of it once it has begun.
    draws_bracket: ClassVar[bool] = False
    #: What is said where nothing is to be played yet.
    waits: ClassVar[str] = "The next round brings some."

    #: What time asks of its seasons.
    sweeps: ClassVar[tuple[Sweep, ...]] = ()

    @property
    def options_type(self) -> type[FormatOptions]:
        """What its organisers choose."""
        return self.course_type.options_type

    def tasks(self, course: Any) -> Iterable[Task]:
        """What waits for the organisers of a running season, besides its death matches."""
        del course
        return ()

    def faults(
        self, *, season: Season, death_matches: Sequence[DeathMatch], lenient: bool
    ) -> Iterable[str]:
        """What does not hold of a season, as sentences; ``death_matches`` are those that are not
        void. ``lenient``: organisers may have had a round paired where it could not be."""
        del season, death_matches, lenient
        return ()

    # -- what only it knows ------------------------------------------------------------------------

    def gives_items(self, season: Season) -> bool:
        """Whether who is out may give items in this season."""
        del season
        return True

    def advantage_by_items(self, played: Round) -> bool | None:
        """Whether items decide who begins at an advantage in a round; None: as the variant says
        that is played."""
        del played
        return None

    def must_be_endable(
        self, *, season: Season, open_matches: int, acting_user: User | None
    ) -> None:
        """Whether a season can end, but for its ``open_matches``. Raises Refusal
        ``season.not-concluded``, ``season.own``, and ``season.tied`` where whoever ends it has to
        say who has won."""
        if season.status != SeasonStatus.RUNNING:
            return
        course = self.course_type.of(season)
        if season.rounds.count() < course.rounds:
            raise Refusal("season.not-concluded", "There are rounds to be played first.")
        if open_matches:
            return
        faults = Together()
        with faults.of():
            course.must_not_share_first(acting_user)
        with faults.of():
            course.must_have_one_first()
        faults.settle()

    def must_be_closable(self, *, round: Round) -> None:  # noqa: A002
        """Raises Refusal where organisers cannot close a round of which nothing is open."""
        del round

    def must_be_voidable(self, *, death_match: DeathMatch) -> None:
        """Raises Refusal where a death match cannot be called off."""
        del death_match

    def must_admit(self, *, season: Season) -> None:
        """Raises Refusal where nobody can enter a season that is running, or enter it any more."""
        del season

    def places(self, course: Any) -> dict[int, int] | None:
        """Where everybody ends, by id, to be written down at the end; None where that is done all
        along."""
        return {pk: rank for rank, pk in course.ordered}

    # -- challenges --------------------------------------------------------------------------------

    def must_take_challenges(self) -> None:
        """Whether contestants of its seasons challenge each other at all. Raises Refusal
        ``ladder.no-ladder``."""
        if not self.challenges:
            raise closed_to_challenges()

    def must_be_able_to_challenge(
        self, *, course: Any, challenger: Contestant, acting_user: User
    ) -> None:
        """Whether there is somebody whom a contestant can challenge now. Raises Refusal as
        `must_take_challenges` does."""
        del course, challenger, acting_user
        self.must_take_challenges()

    def challenge_open(
        self,
        *,
        acting_user: User,
        season: Season,
        challenger: Contestant,
        defender: Contestant,
    ) -> DeathMatch:
        """Have one contestant challenge another: for themselves, or an organiser for somebody. It
        locks the season itself. Raises Refusal ``ladder.no-ladder``."""
        del acting_user, season, challenger, defender
        raise closed_to_challenges()

    # -- pairing by hand ---------------------------------------------------------------------------

    def must_be_pairs(
        self, pairings: Sequence[tuple[Contestant | None, Contestant | None]] | None
    ) -> None:
        """Whether these can be paired by hand, however the season stands; a side is None where it
        is not known. No pairings at all: the format is to pair. Raises Refusal
        ``pairing.not-by-hand``, and what is wrong with rows."""
        if pairings is not None:
            raise Refusal("pairing.not-by-hand", "This format pairs by itself.")

    def must_be_pairable(self, *, season: Season) -> None:
        """Whether organisers can have the next round of a running season paired now. Raises
        Refusal ``round.not-paired``."""
        del season
        if not self.paired:
            raise Refusal("round.not-paired", "This format pairs by itself.")

    def must_pair_by_hand(self) -> None:
        """Whether organisers may pair a whole round of its seasons themselves, ever. Raises Refusal
        ``pairing.not-by-hand``."""
        if not self.by_hand:
            raise Refusal("pairing.not-by-hand", "This format pairs by itself.")

    def must_be_pairable_by_hand(self, *, season: Season, acting_user: User) -> None:
        """Whether somebody can pair the whole next round of a running season themselves. Raises
        Refusal ``pairing.not-by-hand``."""
        del season, acting_user
        self.must_pair_by_hand()

    def proposed(self, course: Any) -> Sequence[tuple[Contestant, Contestant]]:
        """How the next round would be paired, for whoever pairs it by hand; byes left out."""
        del course
        return ()

    # -- steps -------------------------------------------------------------------------------------

    @abstractmethod
    def on_started(self, *, season: Season, acting_user: User | None, at: datetime) -> Follows:
        """The season has just begun; contestants are active and seeded: open the first round."""

    def round_open(
        self, *, season: Season, acting_user: User, lenient: bool, at: datetime
    ) -> tuple[Round, Follows]:
        """Open the next round with all that is in it. ``lenient``: bend what cannot be kept to.
        Raises Refusal ``round.not-paired`` where an organiser does not."""
        del season, acting_user, lenient, at
        raise Refusal("round.not-paired", "This format pairs by itself.")

    def round_open_by_hand(
        self,
        *,
        season: Season,
        acting_user: User,
        pairings: Sequence[tuple[Contestant, Contestant]],
        at: datetime,
    ) -> tuple[Round, list[DeathMatch], Follows]:
        """The round with these pairings (`must_be_pairs` has let them pass), and their death
        matches in that order."""
        del season, acting_user, pairings, at
        raise Refusal("pairing.not-by-hand", "This format pairs by itself.")

    def on_decided(self, *, death_match: DeathMatch, at: datetime) -> Follows:
        """A death match has a winner: whatever follows for its two sides."""
        del death_match, at
        return NOTHING

    def rests_on(self, *, death_match: DeathMatch) -> Sequence[DeathMatch]:
        """What was built on a result that will not stand, and falls with it. Raises Refusal where
        it cannot."""
        del death_match
        return ()

    def must_be_undoable(self, *, death_match: DeathMatch) -> None:
        """Raises Refusal where others have built on a result, so that it cannot be taken back."""
        self.rests_on(death_match=death_match)

    def on_undone(self, *, death_match: DeathMatch, at: datetime) -> None:
        """The winner that a death match still names will not stand, and what rests on it has
        fallen: take back what `on_decided` did. `must_be_undoable` has let it pass.

        Where results are only counted, nobody has a place any more.
        """
        del at
        death_match.round.season.contestants.exclude(place=None).update(place=None)

    def on_voided(self, *, death_match: DeathMatch, at: datetime) -> None:
        """A death match that is not decided was called off as a whole."""
        del death_match, at

    @abstractmethod
    def complete(self, *, round: Round, at: datetime) -> Follows:  # noqa: A002
        """Nothing of this open or reopened round is left to be played."""

    def on_entered(self, *, season: Season) -> None:
        """Somebody, or several, entered a season that is running."""
        del season

    def on_left(self, *, contestant: Contestant, at: datetime) -> Follows:
        """Somebody left a running season; their open death matches are walkovers already."""
        del contestant, at
        return NOTHING

    def on_replaced(self, *, old: Contestant, new: Contestant, at: datetime) -> None:
        """``new`` sits in the open death matches of ``old`` already."""
        del old, new, at

    # -- simulations (`tournaments.simulation`) ---------------------------------------------------

    def simulate(self, run: SimulatedSeason) -> None:
        """Have bots play a season that has just begun, to its end or as far as ``run`` goes on."""
        run.play_rounds()

    # -- documents (`tournaments.documents`) -----------------------------------------------------

    def must_number(self, *, season: Season, rounds: Sequence[NumberedRound]) -> None:
        """A season that has begun was read from a document, with these rounds: are they, and their
        death matches, numbered and named as it is done here? Raises Refusal ``document.wrong``.

        Most formats give no keys.
        """
        del season
        must_have_keys(rounds, lambda _number: "")


def closed_to_challenges() -> Refusal:
    """What whoever would challenge somebody is told where nobody does."""
    return NotFound("ladder.no-ladder", "Nobody challenges anybody here.")


def closed_to_late_entries() -> Refusal:
    """What whoever would enter late is told where the field is fixed."""
    return Refusal("entry.closed", "Nobody can enter late here; somebody can be replaced instead.")
