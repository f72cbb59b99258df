"""What only some rulesets can do: each a protocol, and how to ask whether a ruleset has it.

A ruleset that can do it names the protocol among its bases. The runtime asks by the functions below
and never which ruleset it is; each answer is kept, since some are asked at every entry.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final, Literal, Protocol, get_args, runtime_checkable

import msgspec

from core.refusals import NotFound, Refusal
from games.engine.chance import RandomSource
from games.engine.decisions import Decision
from games.engine.errors import EngineFault
from games.engine.lessons import Card, LessonStep
from games.engine.naming import UNNAMED, Names
from games.engine.ruleset import Ruleset

# -- moves that an organiser rules on ------------------------------------------------------------


class Dispute(msgspec.Struct, frozen=True):
    """What an organiser who is to rule on a challenge should know: what the program thinks of it,
    and a picture of the position with the evidence, as an SVG document."""

    words: str
    picture: str


class Ruling(msgspec.Struct, frozen=True):
    """One of the two ways to rule: what the organiser's button says, what follows from it, and what
    the log says of it, both as sentences."""

    title: str
    means: str
    log: str


@runtime_checkable
class Disputes(Protocol):
    """Matches can stand still until an organiser has ruled on what was challenged."""

    valid: ClassVar[Ruling]
    invalid: ClassVar[Ruling]

    @abstractmethod
    def in_dispute(self, state: Any) -> bool:
        """Whether there is something to rule on: asked after every entry, so it must be cheap."""
        ...

    @abstractmethod
    def dispute(self, state: Any, names: Names = UNNAMED) -> Dispute | None:
        """What is to be ruled on, for the organiser's eyes only; None while nothing is."""
        ...

    @abstractmethod
    def rule(self, state: Any, valid: bool) -> Any:
        """The state after the organiser's ruling. Asked only while `in_dispute`."""
        ...

    @abstractmethod
    def suspended(self, state: Any) -> tuple[Decision, ...]:
        """Decisions that cannot be answered just now, and whose clocks stand still until
        `decisions` lists them again: what they are about is being ruled on."""
        ...


@cache
def disputes_of(ruleset: Ruleset[Any, Any]) -> Disputes | None:
    """The ruleset as one whose matches organisers rule on, or None."""
    return ruleset if isinstance(ruleset, Disputes) else None


def ruling_of(ruleset: Ruleset[Any, Any], valid: bool) -> Ruling:
    """What that ruling is called. Raises EngineFault where organisers rule on nothing."""
    disputes = disputes_of(ruleset)
    if disputes is None:
        raise EngineFault(f"nobody rules on moves of {ruleset.id}")
    return disputes.valid if valid else disputes.invalid


def ruled(ruleset: Ruleset[Any, Any], state: Any, valid: bool) -> Any:
    """The state after the organiser's ruling on what was challenged. Raises Refusal
    ``organiser.nothing-to-rule``."""
    return _in_dispute(ruleset, state).rule(state, valid)


def dispute_of(ruleset: Ruleset[Any, Any], state: Any, names: Names = UNNAMED) -> Dispute:
    """What is to be ruled on, for the organiser's eyes only; ``state`` None: nothing is being
    played. Raises Refusal ``organiser.nothing-to-rule``."""
    found = _in_dispute(ruleset, state).dispute(state, names)
    if found is None:
        raise EngineFault(f"{ruleset.id} does not say what is in dispute")
    return found


def _in_dispute(ruleset: Ruleset[Any, Any], state: Any) -> Disputes:
    disputes = disputes_of(ruleset)
    if disputes is None or state is None or not disputes.in_dispute(state):
        raise Refusal("organiser.nothing-to-rule", "There is no challenge to rule on.")
    return disputes


# -- random play in one go -----------------------------------------------------------------------


@runtime_checkable
class Simulates(Protocol):
    """Random play in a form of the ruleset's own, faster than step by step: most of what a playout
    costs is the immutable state between two steps, which nobody looks at."""

    @abstractmethod
    def simulate(self, state: Any, random: RandomSource, most: int) -> tuple[Any, int]:
        """As many random steps at once as can be made so, at most ``most`` of them: the state then,
        and how many there were; none where the next one is left to the plain rules, or there is
        none. Exactly the states that `games.engine.playouts.step` leads to with these draws."""
        ...


@cache
def simulates_of(ruleset: Ruleset[Any, Any]) -> Simulates | None:
    """The ruleset as one that plays on at random in one go, or None."""
    return ruleset if isinstance(ruleset, Simulates) else None


# -- bots ----------------------------------------------------------------------------------------


Level = Literal["novice", "club", "strong"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""How strong bots are: each beats the one before, and the novice the greedy baseline."""


@runtime_checkable
class Thinks(Protocol):
    """Bots of all `LEVELS` play it."""

    @abstractmethod
    def decide(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        level: Level,
        random: RandomSource,
        may_go_on: Callable[[], bool],
    ) -> Any:
        """A legal answer to a decision that is open to the seat whose view this is. Nothing else is
        known: the same view gets the same answers with the same chances.

        ``may_go_on`` is asked now and then, and when it says no the best answer found by then is
        given: a little later, however seldom it is asked.
        """
        ...


@cache
def thinks_of(ruleset: Ruleset[Any, Any]) -> Thinks | None:
    """The ruleset as one that bots play, or None."""
    return ruleset if isinstance(ruleset, Thinks) else None


# -- puzzles -------------------------------------------------------------------------------------


class Brought(msgspec.Struct, frozen=True):
    """What an answer to a puzzle brings: exactly so, by the rules. ``words`` are sentences on it,
    ``line`` the moves that follow if both sides play as well as can be."""

    value: int
    words: str
    line: tuple[Any, ...] = ()


@runtime_checkable
class Solves(Protocol):
    """Puzzles can be made of its positions: what an answer brings can be told exactly, for any
    legal one, from what its seat can see."""

    @abstractmethod
    def posed(self, view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
        """The view as a puzzle shows it; None where there is none to be made of this."""
        ...

    @abstractmethod
    def promising(self, state: Any, decision: Decision, random: RandomSource) -> Sequence[Any]:
        """Legal answers, each once: all of them where they can be listed, and else the best that
        can be found; none where that would take too long."""
        ...

    @abstractmethod
    def brought(self, state: Any, decision: Decision, move: Any) -> Brought:
        """What a legal answer brings. Of what is hidden from the seat nothing is looked at."""
        ...

    @abstractmethod
    def target(self, best: int) -> int | None:
        """What an answer must bring to be right, where that is the most that any was found to
        bring; None where that is no puzzle."""
        ...

    @abstractmethod
    def question(self, target: int) -> str:
        """What is asked, as a sentence."""
        ...


@cache
def solves_of(ruleset: Ruleset[Any, Any]) -> Solves | None:
    """The ruleset as one that puzzles are made of, or None."""
    return ruleset if isinstance(ruleset, Solves) else None


@runtime_checkable
class Supposes(Protocol):
    """What follows an answer to one of its puzzles may hang on what is hidden."""

    @abstractmethod
    def supposed(self, state: Any, decision: Decision, line: Sequence[Any]) -> Any:
        """A state that looks the same to the seat that is asked, and in which the ``line`` of what
        an answer brought can follow it."""
        ...


# -- lessons -------------------------------------------------------------------------------------


@runtime_checkable
class Teaches(Protocol):
    """It can be learned step by step, on its own board."""

    @abstractmethod
    def lesson(self, variant_id: str) -> Sequence[LessonStep]:
        """The steps of the lesson for a variant, in order."""
        ...

    @abstractmethod
    def cards(self, variant_id: str) -> Sequence[Card]:
        """The rules of a variant on cards, each of which fits a phone's screen."""
        ...


@cache
def teaches_of(ruleset: Ruleset[Any, Any]) -> Teaches | None:
    """The ruleset as one that can be learned step by step, or None."""
    return ruleset if isinstance(ruleset, Teaches) else None


# -- moves that cost reserve ---------------------------------------------------------------------


@runtime_checkable
class Penalties(Protocol):
    """Some moves, a wrong challenge for instance, cost reserve by the rules."""

    @abstractmethod
    def reserve_costs(self, before: Any, after: Any) -> tuple[int, int]:
        """What the step from ``before`` to ``after`` costs each seat's reserve, in milliseconds,
        whatever the clocks say; a reserve never falls below 0."""
        ...


@cache
def penalties_of(ruleset: Ruleset[Any, Any]) -> Penalties | None:
    """The ruleset as one that takes reserve away, or None."""
    return ruleset if isinstance(ruleset, Penalties) else None


# -- moves as pictures ---------------------------------------------------------------------------


class Painted(msgspec.Struct, frozen=True):
    """A move that a painted picture may stand for, and an SVG document of what was understood."""

    move: Any
    picture: str


@runtime_checkable
class Painting(Protocol):
    """Decisions can be answered by painting on a picture of the position."""

    @abstractmethod
    def template(self, state: Any, decision: Decision) -> str:
        """An SVG document of the position to paint an answer to ``decision`` on. Raises Refusal
        ``picture.not-taken`` where answers are not painted."""
        ...

    @abstractmethod
    def read_picture(
        self, state: Any, decision: Decision, template: bytes, upload: bytes
    ) -> Sequence[Painted]:
        """Every legal move that a painted copy of the template may stand for, at least one; both
        pictures as files, the template as PNG. Raises Refusal ``picture.*`` for a file that cannot
        be read or understood, else as `Ruleset.validate`."""
        ...


@cache
def painting_of(ruleset: Ruleset[Any, Any]) -> Painting | None:
    """The ruleset as one that takes painted answers, or None."""
    return ruleset if isinstance(ruleset, Painting) else None


# -- what an organiser prepares ------------------------------------------------------------------


class Supply(msgspec.Struct, frozen=True):
    """Something that an organiser may prepare instead of leaving it to chance: its key, its name
    and a sentence for people, what its files end in, and the keys of the options it stands for.
    ``variants`` empty means every variant. ``drawn``: its editor takes outlines out of drawings.
    ``kinds``: of which kinds the draws are whose outcomes it may be; nobody can supply another one.
    """

    key: str
    name: str
    help: str
    suffix: str = ".txt"
    options: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    drawn: bool = False
    kinds: tuple[str, ...] = ()


class SupplyPart(msgspec.Struct, frozen=True):
    """A part of a prepared text, whatever is wrong with it, for the ruleset's own editor: what it
    is called there, a few words on it for people, and what the editor draws it by."""

    name: str
    note: str
    data: Any = None


class SupplyReport(msgspec.Struct, frozen=True):
    """What a prepared text turned out to be: its canonical text (empty where there are faults),
    everything that is wrong with it, a sentence each, what an organiser should know all the same,
    an SVG document with the faults marked (empty where nothing could be drawn), and its parts."""

    value: str
    faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    picture: str = ""
    parts: tuple[SupplyPart, ...] = ()


class Supplied(msgspec.Struct, frozen=True):
    """What a prepared value means for a match: options to set, as records have them, and outcomes
    of chance in their record texts, each for a draw that a match makes once."""

    options: Mapping[str, Any] = {}
    outcomes: tuple[str, ...] = ()


@runtime_checkable
class Supplies(Protocol):
    """An organiser may prepare what would be drawn otherwise."""

    supplies: ClassVar[tuple[Supply, ...]]

    @abstractmethod
    def validate_supply(self, key: str, text: str) -> SupplyReport:
        """Check a prepared text for the supply of that key; never raises for what it holds."""
        ...

    @abstractmethod
    def supplied(self, key: str, value: str, variant_id: str) -> Supplied:
        """What a value that `validate_supply` gave means for a match of that variant."""
        ...

    @abstractmethod
    def supply_files(self, key: str) -> Mapping[str, str]:
        """Texts to begin from, by name: ``"example"``, which is sound, and perhaps ``"blank"``."""
        ...


@cache
def supplies_of(ruleset: Ruleset[Any, Any]) -> tuple[Supply, ...]:
    """What may be prepared for matches of the ruleset; perhaps nothing."""
    return ruleset.supplies if isinstance(ruleset, Supplies) else ()


def supply_of(ruleset: Ruleset[Any, Any], key: str, variant_id: str = "") -> Supply:
    """The supply of that key, if the variant takes it (any, where none is given). Raises NotFound
    ``setup.supply``."""
    for supply in supplies_of(ruleset):
        fits = not variant_id or not supply.variants or variant_id in supply.variants
        if supply.key == key and fits:
            return supply
    where = f"{ruleset.name} ({variant_id})" if variant_id else ruleset.name
    raise NotFound("setup.supply", f"{where} is supplied with no {key!r}.")


def may_supply(ruleset: Ruleset[Any, Any], variant_id: str, kind: str) -> bool:
    """Whether an organiser can supply an outcome of draws of that kind in matches of a variant."""
    return any(
        kind in supply.kinds
        for supply in supplies_of(ruleset)
        if not supply.variants or variant_id in supply.variants
    )


def supplier(ruleset: Ruleset[Any, Any]) -> Supplies:
    """A ruleset that has a supply. Raises EngineFault for any other."""
    if not isinstance(ruleset, Supplies):
        raise EngineFault(f"{ruleset.id} is supplied with nothing")
    return ruleset


# -- answers before their decision ---------------------------------------------------------------


@runtime_checkable
class Premoves(Protocol):
    """Some decisions can be answered before they open: whether such an answer can stand, and what
    it does, hangs on nothing that the other seat may do before that."""

    premoves: ClassVar[frozenset[str]]  # the kinds of those decisions


@cache
def premoves_of(ruleset: Ruleset[Any, Any]) -> frozenset[str]:
    """The kinds of decisions that can be answered before they open; perhaps none."""
    return ruleset.premoves if isinstance(ruleset, Premoves) else frozenset()


# -- what records only name ----------------------------------------------------------------------


@runtime_checkable
class BuiltIns(Protocol):
    """Records may name something that comes with the program instead of holding it."""

    @abstractmethod
    def built_in(self) -> Mapping[str, Any]:
        """Documents by the name that records have for them, each as the option has it that would
        carry one. Whoever replays a record elsewhere needs them."""
        ...


def built_in_of(ruleset: Ruleset[Any, Any]) -> Mapping[str, Any]:
    """What records of the ruleset only name; perhaps nothing."""
    return ruleset.built_in() if isinstance(ruleset, BuiltIns) else {}
