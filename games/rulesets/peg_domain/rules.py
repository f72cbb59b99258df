"""Peg Domain as the engine knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec

from games.engine.capabilities import (
    Brought,
    Level,
    Painted,
    Painting,
    Simulates,
    Solves,
    Supplied,
    Supplies,
    Supply,
    SupplyReport,
    Teaches,
    Thinks,
)
from games.engine.chance import Below, RandomSource, choose
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import Audience, Chance, Decision, Draw, Event, Outcome, Seat, other
from games.engine.errors import EngineFault
from games.engine.lessons import Card, LessonStep
from games.engine.naming import UNNAMED, Names, named
from games.engine.reasons import POINTS, TIE_BREAK, Reason
from games.engine.ruleset import (
    Chosen,
    ItemRule,
    Options,
    Ruleset,
    Seconds,
    Setup,
    Variant,
)
from games.engine.search import think
from games.rulesets.peg_domain import (
    drawing,
    estimate,
    events,
    guessing,
    lesson,
    notation,
    painting,
    saving,
    simulation,
    solving,
    supply,
    thinking,
    turns,
    validation,
)
from games.rulesets.peg_domain import state as states
from games.rulesets.peg_domain import view as views
from games.rulesets.peg_domain.boards import PALLET_SQUARES, PEGS, members
from games.rulesets.peg_domain.moves import (
    Choose,
    EndInspection,
    Extra,
    Finish,
    InspectionTimeout,
    Keep,
    Move,
    Order,
    PlaceCutOut,
    Rapid,
    Remove,
    Take,
)
from games.rulesets.peg_domain.picture import picture
from games.rulesets.peg_domain.search import some_turn
from games.rulesets.peg_domain.state import (
    LAST_ROUND_OF_ITEMS,
    PegDomainState,
    Preliminaries,
    outcome_of,
)


class PegOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Times in seconds. The reserve is spent in whole intervals. House rulings: the window for a
    removal, and that both may end the inspection early."""

    turn_time: Seconds = 120.0
    reserve: Seconds = 480.0
    interval: Seconds = 10.0
    inspection_time: Seconds = 180.0
    removal_window: Seconds = 20.0
    early_ready: Annotated[
        bool,
        msgspec.Meta(
            title="Ready before the time",
            description="Whether a player may end the inspection early by saying that they are "
            "ready.",
        ),
    ] = True


class PegDomain(
    Ruleset[PegDomainState, Move], Supplies, Painting, Simulates, Solves, Thinks, Teaches
):
    """Each player cuts plates with two pegs out of a pallet of their own and lays them over a
    shared board, whose squares they take over."""

    id: ClassVar[str] = "peg-domain"
    name: ClassVar[str] = "Peg Domain"
    summary: ClassVar[str] = (
        "Cut plates with two pegs out of your pallet and lay them over the domain: "
        "whoever owns more of it in the end wins."
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "gauntlet",
            "Gauntlet",
            "Two different pallets; cut-outs of any connected shape.",
        ),
        Variant(
            "final",
            "Final",
            "Two different pallets; cut-outs are paths, squares are removed in secret, and there "
            "are items.",
            advantage_by_items=True,
        ),
        Variant("tempo-up", "Tempo Up", "Two identical pallets; cut-outs are paths."),
    )
    options_type: ClassVar[type[Options]] = PegOptions
    reasons: ClassVar[tuple[Reason, ...]] = (POINTS, TIE_BREAK)
    items: ClassVar[tuple[ItemRule, ...]] = (
        ItemRule(
            "additional-peg",
            "Additional Peg",
            "During the inspection, name a square of a pallet that touches no peg: if that pallet "
            "becomes yours, it has a peg there as well.",
            variants=("final",),
        ),
        ItemRule(
            "rapid-removal",
            "Rapid Removal",
            "Once, up to round 10, remove three by three squares of your opponent's pallet instead "
            "of one; those that carry or touch a peg stay.",
            variants=("final",),
        ),
        ItemRule(
            "peg-subtraction",
            "Peg Subtraction",
            "Once, up to round 10, take a peg off the domain before you place a cut-out.",
            variants=("final",),
        ),
    )

    supplies: ClassVar[tuple[Supply, ...]] = (supply.PALLETS, supply.PALLET)

    # -- the course of a match -----------------------------------------------------------------

    def initial(self, setup: Setup) -> PegDomainState:
        self.variant(setup.variant)
        counts = [[0, 0, 0], [0, 0, 0]]
        for held in setup.items:
            counts[held.seat][states.ITEM_IDS.index(held.item)] += 1
        first, second = counts
        return PegDomainState(
            Preliminaries(
                setup.variant,
                setup.advantage,
                setup.options.early_ready,
                ((first[0], first[1], first[2]), (second[0], second[1], second[2])),
            ),
            "right",
        )

    def decisions(self, state: PegDomainState) -> tuple[Decision, ...]:
        return turns.decisions(state)

    def chance_due(self, state: PegDomainState) -> tuple[Draw, ...]:
        return drawing.due(state.frame) if state.phase == "pallets" else ()

    def outcome(self, state: PegDomainState) -> Outcome | None:
        return outcome_of(state)

    def scores(self, state: PegDomainState) -> tuple[int, int]:
        return state.scores

    def has_scored(self, scores: tuple[int, int]) -> bool:
        """Each begins with the squares under its own pegs."""
        return scores not in ((0, 0), (PEGS, PEGS))

    def validate(self, state: PegDomainState, decision: Decision, move: Move) -> None:
        validation.validate(state, decision, move)

    def apply(self, state: PegDomainState, chosen: Chosen[Move]) -> PegDomainState:
        if state.phase == "play":
            return self._turn(state, chosen)
        seat, move = chosen[0]
        match move:
            case Take():
                return states.took(state, move.right)
            case EndInspection() | InspectionTimeout():
                return states.inspected(state, seat)
            case Extra():
                return states.named_extra(state, seat, move.colour, move.square)
            case Order():
                return states.ordered(state, seat if move.first else other(seat))
            case Choose():
                return turns.begun(state, seat if move.colour == "red" else other(seat))
            case _:
                raise EngineFault(f"{move!r} during the phase {state.phase}")

    def _turn(self, state: PegDomainState, chosen: Chosen[Move]) -> PegDomainState:
        move: Move | None = None
        removal: Move | None = None
        for seat, each in chosen:
            if seat == state.mover:
                move = each
            else:
                removal = each
        if not isinstance(move, PlaceCutOut | Finish):
            raise EngineFault(f"a turn with {move!r}")
        return turns.played(state, move, removal)

    def settles(self, state: PegDomainState, decision: Decision, move: Move) -> bool:
        """Finishing, said or by running out of time, ends the turn at once: nothing is removed
        from a finished player."""
        return isinstance(move, Finish)

    def on_timeout(self, state: PegDomainState, decision: Decision) -> Move:
        """Running out of reserve is a finish. House rulings: whoever does not choose takes the
        order, goes first, plays red, removes nothing."""
        answers: dict[str, Move] = {
            "right": Take("order"),
            "inspection": InspectionTimeout(),
            "order": Order(True),
            "colour": Choose("red"),
            "turn": Finish(),
            "removal": Keep(),
        }
        return answers[decision.kind]

    # -- chance: the pallets -------------------------------------------------------------------

    def draw(self, state: PegDomainState, draw: Draw, below: Below) -> Chance:
        return drawing.draw(state.frame, draw, below)

    def apply_chance(self, state: PegDomainState, chance: Chance) -> PegDomainState:
        pegs = drawing.pegs_of(chance)
        colours = {"red": (0,), "blue": (1,), drawing.BOTH: (0, 1)}[str(chance.whose)]
        return states.drawn(state, colours, pegs)

    def parse_chance(self, text: str) -> Chance:
        return drawing.parse(text)

    # -- time ----------------------------------------------------------------------------------

    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        if not isinstance(options, PegOptions):
            raise EngineFault("these are the options of another ruleset")
        return {
            "choice": ClockPolicy(to_ms(options.choice_time)),
            "inspection": ClockPolicy(to_ms(options.inspection_time)),
            "turn": ClockPolicy(to_ms(options.turn_time), True, to_ms(options.interval)),
            "removal": ClockPolicy(to_ms(options.removal_window), lingers=True),
        }

    # -- text ----------------------------------------------------------------------------------

    def parse(self, text: str) -> Move:
        return notation.parse_move(text)

    def print(self, move: Move) -> str:
        return notation.print_move(move)

    # -- listing and sampling ------------------------------------------------------------------

    def enumerable(self, decision: Decision) -> bool:
        """Everything but a turn: a pallet has millions of cut-outs."""
        return decision.kind != "turn"

    def legal(self, state: PegDomainState, decision: Decision) -> Iterator[Move]:
        match decision.kind:
            case "right":
                yield Take("order")
                yield Take("colour")
            case "inspection":
                yield from self._during_inspection(state, decision.seat)
            case "order":
                yield Order(True)
                yield Order(False)
            case "colour":
                yield Choose("red")
                yield Choose("blue")
            case "removal":
                yield Keep()
                yield from map(Remove, members(turns.removable(state)))
                if turns.rapid_in_hand(state):
                    yield from map(Rapid, PALLET_SQUARES)
            case _:
                raise EngineFault("the placements of a turn are not listed")

    def _during_inspection(self, state: PegDomainState, seat: Seat) -> Iterator[Move]:
        frame = state.frame
        if frame.early_ready and (not frame.items[seat][0] or any(frame.extra[seat])):
            yield EndInspection()
        for square in members(validation.extra_squares(state, seat, 0)):
            yield Extra("red", square)
        for square in members(validation.extra_squares(state, seat, 1)):
            yield Extra("blue", square)

    def any_legal(self, state: PegDomainState, decision: Decision) -> bool:
        """A turn can always be a finish; whether it can be a placement as well is found by
        `games.rulesets.peg_domain.search.any_placement`."""
        if decision.kind != "inspection":
            return True
        return next(self._during_inspection(state, decision.seat), None) is not None

    def sample(self, state: PegDomainState, decision: Decision, random: RandomSource) -> Move:
        """Uniform where moves can be listed. On a turn: a finish now and then; else a random peg, a
        random square of the domain for it and a random rotation, and from there a search for
        another peg with random turns, at times with the path widened to another shape. Every
        cut-out and placement has a chance. A finish where there is no placement at all."""
        if decision.kind == "turn":
            return self._sample_turn(state, decision.seat, random)
        moves = list(self.legal(state, decision))
        # Where the inspection takes its full time there is nothing to submit.
        return choose(random, moves) if moves else EndInspection()

    def _sample_turn(self, state: PegDomainState, seat: Seat, random: RandomSource) -> Move:
        left = state.left[seat]
        return some_turn(
            left,
            state.frame.pegs[seat] & left,
            state.frame.listed[seat],
            state.standing,
            random,
            subtracts=state.turn <= LAST_ROUND_OF_ITEMS and state.in_hand(seat, 2) > 0,
            by_squares=state.frame.by_squares,
        )

    def simulate(
        self, state: PegDomainState, random: RandomSource, most: int
    ) -> tuple[PegDomainState, int]:
        """From the first turn on."""
        if state.phase != "play":
            return state, 0
        return simulation.simulate(state, random, most)

    # -- what people and bots see --------------------------------------------------------------

    def view(self, state: PegDomainState, audience: Audience) -> dict[str, Any]:
        return views.view(state, audience)

    def events(
        self, before: PegDomainState, chosen: Chosen[Move], after: PegDomainState
    ) -> Sequence[Event]:
        return events.events(before, chosen, after)

    def chance_events(
        self, before: PegDomainState, chance: Chance, after: PegDomainState
    ) -> Sequence[Event]:
        return events.chance_events(chance)

    def determinize(
        self, view: Mapping[str, Any], seat: Seat, random: RandomSource
    ) -> PegDomainState:
        return guessing.determinize(view, seat, random)

    def evaluate(self, state: PegDomainState, seat: Seat) -> float:
        return estimate.estimate(state, seat)

    def decide(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        level: Level,
        random: RandomSource,
        may_go_on: Callable[[], bool],
    ) -> Move:
        move: Move = think(
            self,
            view,
            decision,
            random,
            search=thinking.SEARCHES[level],
            suggest=thinking.suggest,
            may_go_on=may_go_on,
        )
        return move

    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        return picture(named(view, names))

    # -- lessons -------------------------------------------------------------------------------

    def lesson(self, variant_id: str) -> Sequence[LessonStep]:
        return lesson.lesson(self, self.variant(variant_id).id)

    def cards(self, variant_id: str) -> Sequence[Card]:
        return lesson.CARDS[self.variant(variant_id).id]

    # -- moves as pictures ---------------------------------------------------------------------

    def template(self, state: PegDomainState, decision: Decision) -> str:
        return painting.template(state, decision)

    def read_picture(
        self, state: PegDomainState, decision: Decision, template: bytes, upload: bytes
    ) -> Sequence[Painted]:
        return painting.read(state, decision, template, upload)

    # -- what an organiser prepares ------------------------------------------------------------

    def validate_supply(self, key: str, text: str) -> SupplyReport:
        return supply.validate_supply(key, text)

    def supplied(self, key: str, value: str, variant_id: str) -> Supplied:
        return Supplied(outcomes=tuple(value.splitlines()))

    def supply_files(self, key: str) -> Mapping[str, str]:
        return supply.files(key)

    # -- puzzles -------------------------------------------------------------------------------

    def posed(self, view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
        return solving.posed(view, decision)

    def promising(
        self, state: PegDomainState, decision: Decision, random: RandomSource
    ) -> Sequence[Move]:
        return solving.promising(state, decision, random)

    def brought(self, state: PegDomainState, decision: Decision, move: Move) -> Brought:
        return solving.brought(state, decision, move)

    def target(self, best: int) -> int | None:
        return solving.target(best)

    def question(self, target: int) -> str:
        return solving.question(target)

    # -- storage -------------------------------------------------------------------------------

    def encode(self, state: PegDomainState) -> bytes:
        return saving.encode(state)

    def decode(self, data: bytes) -> PegDomainState:
        return saving.decode(data)
