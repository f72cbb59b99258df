"""What a ruleset is: pure functions over an immutable, serialisable state.

A ruleset has no clock, no random generator and no I/O. Chance is a move whose outcome is handed
in; time is a move (`on_timeout`). The runtime asks a ruleset only what stands here, and never
which ruleset it is. Turn-taking, simultaneous secret picks and set-up choices are all decisions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, TypeAlias, TypeVar

import msgspec

from core.refusals import Refusal
from games.engine.chance import Below, RandomSource
from games.engine.clocks import ClockPolicy
from games.engine.decisions import Audience, Chance, Decision, Draw, Event, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.naming import UNNAMED, Names
from games.engine.reasons import COMMON, Reason

State = TypeVar("State")
Move = TypeVar("Move")

Chosen: TypeAlias = tuple[tuple[Seat, Move], ...]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=10**9)]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options every ruleset has. Times are seconds; a subclass sets the defaults."""

    turn_time: Seconds
    reserve: Seconds
    choice_time: Seconds = 60.0


class Variant(msgspec.Struct, frozen=True):
    """One way to play a ruleset: its id in records, its name and a sentence for people. Where the
    ``advantage_by_items`` is, whoever has more items has it unless something else was agreed."""

    id: str
    name: str
    summary: str
    advantage_by_items: bool = False


class ItemRule(msgspec.Struct, frozen=True):
    """An item a ruleset knows: its id in records, its name, what it does, and what may be done
    to it by the meta-items Copy and Block. ``variants`` empty means every variant."""

    id: str
    name: str
    text: str
    copyable: bool = True
    blockable: bool = True
    variants: tuple[str, ...] = ()


class HeldItem(msgspec.Struct, frozen=True):
    """One use of an item, held by a seat for this match."""

    seat: Seat
    item: str


class Setup(msgspec.Struct, frozen=True):
    """Everything that is fixed before the first decision opens."""

    variant: str
    options: Any
    advantage: Seat
    items: tuple[HeldItem, ...] = ()


class Ruleset(ABC, Generic[State, Move]):
    """The protocol of a ruleset. Subclasses are stateless; one instance serves every match. What
    only some can do besides is in `games.engine.capabilities`.

    Performance contract: `validate` never enumerates moves, `any_legal` is exact, and `sample`
    works without listing moves where a list would be long.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    variants: ClassVar[tuple[Variant, ...]]
    options_type: ClassVar[type[Options]]
    reasons: ClassVar[tuple[Reason, ...]]
    items: ClassVar[tuple[ItemRule, ...]] = ()
    # How many decisions players must have answered before a match says anything about them: one
    # that ends sooner, by whatever way, counts for no rating. Far below any match that is played
    # out; a game that begins with choices of set-up asks for more.
    least_answers: ClassVar[int] = 6

    # -- the course of a match -----------------------------------------------------------------

    @abstractmethod
    def initial(self, setup: Setup) -> State:
        """The state before anything has happened."""

    @abstractmethod
    def decisions(self, state: State) -> tuple[Decision, ...]:
        """The open decisions, at most one a seat; none once there is an outcome."""

    def chance_due(self, state: State) -> tuple[Draw, ...]:
        """The draws that must be made before the match can go on; any order is accepted."""
        return ()

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """How the match ended, or None while it is on."""

    @abstractmethod
    def scores(self, state: State) -> tuple[int, int]:
        """What the ruleset counts, per seat, as it stands."""

    def has_scored(self, scores: tuple[int, int]) -> bool:
        """Whether scores tell that somebody has scored: those with which every match begins do
        not."""
        return any(scores)

    def tells_score(self, reason_id: str, scores: tuple[int, int]) -> bool:
        """Whether a result is told with its score: it decided the match, or somebody had scored."""
        ways = (*self.reasons, *COMMON)
        return self.has_scored(scores) or any(
            each.by_score for each in ways if each.id == reason_id
        )

    @abstractmethod
    def validate(self, state: State, decision: Decision, move: Move) -> None:
        """Raise Refusal where ``move`` cannot answer ``decision`` in ``state``."""

    def canonical(self, state: State, decision: Decision, move: Move) -> Move:
        """The one form of a validated move that records, logs and `apply` use, where a move can
        be written in several ways that only the state tells to be alike."""
        return move

    @abstractmethod
    def apply(self, state: State, chosen: Chosen[Move]) -> State:
        """The state after the given validated moves: one, or those of a barrier, by seat. Of a
        barrier some may be missing where one of the others `settles` it, or where a decision that
        lingers was passed over."""

    def settles(self, state: State, decision: Decision, move: Move) -> bool:
        """Whether this sealed answer opens its barrier at once, answered or not behind it."""
        return False

    @abstractmethod
    def on_timeout(self, state: State, decision: Decision) -> Move | Draw:
        """What happens when ``decision`` runs out: a move (which may be one that no player can
        submit), or a draw whose outcome becomes the move (see `drawn_move`)."""

    def drawn_move(self, state: State, chance: Chance) -> Move:
        """The move that the outcome of a timeout's draw stands for."""
        raise EngineFault(f"{self.id} draws no moves")

    def apply_chance(self, state: State, chance: Chance) -> State:
        """The state after an outcome of one of `chance_due`. Raises Refusal."""
        raise EngineFault(f"{self.id} has no chance of its own")

    def check_chance(self, state: State, chance: Chance) -> None:
        """Raise Refusal where a timeout's draw cannot come out like this."""

    def draw(self, state: State, draw: Draw, below: Below) -> Chance:
        """An outcome for ``draw``, built on ``below`` alone. Records depend on how: whoever has the
        numbers must come to the same outcome for ever."""
        raise EngineFault(f"{self.id} draws nothing")

    def draw_label(self, state: State, draw: Draw) -> str:
        """What a draw is called among all of a match, in ASCII: the same when it is repeated after
        a take-back, and that of no other. By default its name, for a draw that is made once."""
        return draw.kind if draw.whose is None else f"{draw.kind} {draw.whose}"

    def is_agreed(self, state: State, draw: Draw) -> bool:
        """Whether what comes of a draw that is due was agreed on beforehand, so that nothing is
        drawn. Never, by default."""
        return False

    # -- time ----------------------------------------------------------------------------------

    @abstractmethod
    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        """The clock policies by the names that decisions use."""

    def reserve_epoch(self, state: State) -> int:
        """Both reserves are full again whenever this number changes."""
        return 0

    # -- text ----------------------------------------------------------------------------------

    @abstractmethod
    def parse(self, text: str) -> Move:
        """A move from text made tidy by `games.engine.notation.tidy` (lower case). Raises Refusal
        ``notation.*``."""

    @abstractmethod
    def print(self, move: Move) -> str:
        """The canonical text of a move: ``parse(tidy(print(m))) == m``."""

    def parse_chance(self, text: str) -> Chance:
        """An outcome from its record text. Raises Refusal ``notation.*``."""
        raise Refusal("notation.chance", "This ruleset has no such draw.")

    def print_chance(self, chance: Chance) -> str:
        """The record text of an outcome."""
        whose = () if chance.whose is None else (str(chance.whose),)
        return " ".join((chance.kind, *whose, *chance.value))

    # -- listing and sampling ------------------------------------------------------------------

    @abstractmethod
    def enumerable(self, decision: Decision) -> bool:
        """Whether `legal` may be asked for this kind of decision."""

    @abstractmethod
    def legal(self, state: State, decision: Decision) -> Iterator[Move]:
        """Every legal move, each once, in a fixed order."""

    @abstractmethod
    def any_legal(self, state: State, decision: Decision) -> bool:
        """Whether there is a legal move at all; exact."""

    @abstractmethod
    def sample(self, state: State, decision: Decision, random: RandomSource) -> Move:
        """One legal move (concessions aside): uniformly where moves are `enumerable`; elsewhere
        every legal move has some chance, and the ruleset says how it is drawn."""

    # -- what people and bots see --------------------------------------------------------------

    @abstractmethod
    def view(self, state: State, audience: Audience) -> dict[str, Any]:
        """What ``audience`` may know, built up from nothing; plain JSON values only. ``"all"``
        is everyone after the end."""

    @abstractmethod
    def events(self, before: State, chosen: Chosen[Move], after: State) -> Sequence[Event]:
        """What the log says of ``after == apply(before, chosen)``, in order."""

    def chance_events(self, before: State, chance: Chance, after: State) -> Sequence[Event]:
        """What the log says of an outcome of one of `chance_due`."""
        return ()

    def step_notes(self, events: Sequence[Event]) -> dict[str, Any]:
        """What the record checker adds to a step, from the events of that step (perhaps none)."""
        return {}

    @abstractmethod
    def determinize(self, view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
        """A state that looks to ``seat`` exactly like ``view``: hidden parts drawn at random."""

    @abstractmethod
    def evaluate(self, state: State, seat: Seat) -> float:
        """How good ``state`` looks for ``seat``, from -1 (lost) to 1 (won); a bot's estimate."""

    @abstractmethod
    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        """A view's board as a self-contained SVG document with a text alternative, in which the
        seats go by the players' names."""

    # -- storage -------------------------------------------------------------------------------

    @abstractmethod
    def encode(self, state: State) -> bytes:
        """The state as compact JSON; ``decode(encode(s)) == s``."""

    @abstractmethod
    def decode(self, data: bytes) -> State:
        """The state of an encoding. Raises EngineFault for what never was one."""

    # -- shared by all -------------------------------------------------------------------------

    def variant(self, variant_id: str) -> Variant:
        """The variant of that id. Raises Refusal ``setup.variant``."""
        for variant in self.variants:
            if variant.id == variant_id:
                return variant
        raise Refusal("setup.variant", f"{self.name} has no variant {variant_id!r}.")

    def reason(self, reason_id: str) -> Reason:
        """The way in which a match ended: one of the ruleset's own, or one that any match may have.
        Raises EngineFault for one that no match of it can have."""
        for reason in (*self.reasons, *COMMON):
            if reason.id == reason_id:
                return reason
        raise EngineFault(f"no match of {self.id} ends with {reason_id!r}")

    def item(self, item_id: str, variant_id: str) -> ItemRule:
        """The item of that id, if the variant knows it. Raises Refusal ``setup.item``."""
        for item in self.items:
            if item.id == item_id and (not item.variants or variant_id in item.variants):
                return item
        raise Refusal("setup.item", f"{self.name} ({variant_id}) has no item {item_id!r}.")
