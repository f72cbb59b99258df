"""A small ruleset for tests of the engine: every kind of decision, draw and clock there is.

Both seats get ready (side by side, not sealed), then pick a card from 1 to 5 (sealed), the
advantage seat says who starts, a die makes the heap, and the seats take 1 to 3 from the heap in
turn until it is empty. Taking 1 asks for a mark as well: a second submission within the same
decision. Instead of taking, a seat may dare the organiser to rule. Two rounds; the reserve is full
again in the second. What is taken counts; the higher card counts one more at the round's end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from core.refusals import Refusal
from games.engine.capabilities import Dispute, Disputes, Ruling
from games.engine.chance import Below, RandomSource, choose, chosen_by
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import (
    ALL,
    EVERYONE,
    Audience,
    Chance,
    Decision,
    Draw,
    Event,
    Outcome,
    Seat,
    other,
)
from games.engine.errors import EngineFault
from games.engine.naming import UNNAMED, Names
from games.engine.reasons import POINTS, TIE_BREAK, TIMEOUT, Reason
from games.engine.ruleset import (
    Chosen,
    ItemRule,
    Options,
    Ruleset,
    Seconds,
    Setup,
    Variant,
)

CARDS = (1, 2, 3, 4, 5)
ROUNDS = 2


class ToyOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``interval`` 0 spends the reserve continuously; ``mild``: out of time only loses the turn."""

    turn_time: Seconds = 120.0
    reserve: Seconds = 60.0
    pick_time: Seconds = 60.0
    look_time: Seconds = 180.0
    window_time: Seconds = 20.0
    interval: Seconds = 0.0
    mild: bool = False


class Ready(msgspec.Struct, frozen=True, tag=True):
    pass


class Pick(msgspec.Struct, frozen=True, tag=True):
    card: int


class Order(msgspec.Struct, frozen=True, tag=True):
    order: Literal["first", "second"]


class Take(msgspec.Struct, frozen=True, tag=True):
    """``count`` 0 is "take all", which the state turns into a number."""

    count: int


class Mark(msgspec.Struct, frozen=True, tag=True):
    letter: Literal["a", "b"]


class Dare(msgspec.Struct, frozen=True, tag=True):
    pass


class OutOfTime(msgspec.Struct, frozen=True, tag=True):
    pass


Move: TypeAlias = Ready | Pick | Order | Take | Mark | Dare | OutOfTime
Phase: TypeAlias = Literal["look", "pick", "order", "die", "turn", "ruling", "over"]


class State(msgspec.Struct, frozen=True, kw_only=True):
    advantage: Seat
    variant: str
    mild: bool
    phase: Phase = "look"
    round: int = 1
    ready: tuple[bool, bool] = (False, False)
    cards: tuple[int, int] = (0, 0)
    mover: Seat = 0
    heap: int = 0
    turn: int = 1
    marking: bool = False
    points: tuple[int, int] = (0, 0)
    lost: Seat | None = None


_replace = msgspec.structs.replace
_TEXT = re.compile(
    r"(?P<word>ready|dare|first|second)|pick (?P<card>[0-9])|take (?P<count>[1-9]|all)"
    r"|mark (?P<letter>[ab])"
)
_CHANCE = re.compile(r"pick (?P<seat>[01]) (?P<card>[0-9])|die (?P<die>[0-9])")


class Toy(Ruleset[State, Move], Disputes):
    id: ClassVar[str] = "toy"
    name: ClassVar[str] = "Toy"
    summary: ClassVar[str] = "Take from a heap."
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("standard", "Standard", "Picks have their own time."),
        Variant("costly", "Costly", "Picks use the reserve, and a missing pick is card 1."),
        Variant(
            "guarded", "Guarded", "Seat 0 picks on its turn time, while seat 1 guesses at leisure."
        ),
    )
    options_type: ClassVar[type[Options]] = ToyOptions
    valid: ClassVar[Ruling] = Ruling("Dare taken", "Two are taken.", "The organiser took the dare.")
    invalid: ClassVar[Ruling] = Ruling("No dare", "None is taken.", "The organiser took no dare.")
    reasons: ClassVar[tuple[Reason, ...]] = (POINTS, TIE_BREAK, TIMEOUT)
    items: ClassVar[tuple[ItemRule, ...]] = (
        ItemRule("tie-advantage", "Tie Advantage", "Wins a tie."),
        ItemRule("cheap-picks", "Cheap Picks", "Only for show.", variants=("costly",)),
    )

    def initial(self, setup: Setup) -> State:
        if setup.options.turn_time == 13:
            raise Refusal("setup.unlucky", "Nobody plays with 13 s.")
        return State(advantage=setup.advantage, variant=setup.variant, mild=setup.options.mild)

    def decisions(self, state: State) -> tuple[Decision, ...]:
        number = state.round
        if state.phase == "look":
            return tuple(
                Decision(f"look.{seat}", seat, "ready", "look", "Look around.")
                for seat in (0, 1)
                if not state.ready[seat]
            )
        if state.phase == "pick" and state.variant == "guarded":
            barrier = f"{number}.pick"
            return (
                Decision(barrier, 0, "pick", "turn", "Pick.", barrier),
                Decision(barrier, 1, "pick", "window", "Guess.", barrier, changeable=True),
            )
        if state.phase == "pick":
            clock = "turn" if state.variant == "costly" else "pick"
            # Both seats' questions carry the same id: an id is a seat's own.
            return tuple(
                Decision(f"{number}.pick", seat, "pick", clock, "Pick.", f"{number}.pick")
                for seat in (0, 1)
            )
        if state.phase == "order":
            return (Decision(f"{number}.order", state.advantage, "order", "choice", "Who starts?"),)
        if state.phase == "turn":
            return (
                Decision(f"{number}.turn.{state.turn}", state.mover, "take", "turn", "Take some."),
            )
        return ()

    def chance_due(self, state: State) -> tuple[Draw, ...]:
        return (Draw("die"),) if state.phase == "die" else ()

    def outcome(self, state: State) -> Outcome | None:
        if state.lost is not None:
            return Outcome(other(state.lost), TIMEOUT.id, state.points)
        if state.phase != "over":
            return None
        first, second = state.points
        if first == second:
            return Outcome(state.advantage, TIE_BREAK.id, state.points)
        return Outcome(0 if first > second else 1, POINTS.id, state.points)

    def scores(self, state: State) -> tuple[int, int]:
        return state.points

    def validate(self, state: State, decision: Decision, move: Move) -> None:
        fits = {
            "ready": (Ready,),
            "pick": (Pick,),
            "order": (Order,),
            "take": (Mark,) if state.marking else (Take, Dare),
        }[decision.kind]
        if not isinstance(move, fits):
            raise Refusal("move.wrong-kind", "This is not what is asked for.")
        if isinstance(move, Pick) and move.card not in CARDS:
            raise Refusal("pick.unknown", "There is no such card.")
        if isinstance(move, Take) and move.count > min(3, state.heap):
            raise Refusal("take.too-many", "That is more than may be taken.")
        if isinstance(move, Take) and move.count == 0 and state.heap > 3:
            raise Refusal("take.too-many", "That is more than may be taken.")

    def canonical(self, state: State, decision: Decision, move: Move) -> Move:
        return Take(state.heap) if move == Take(0) else move

    def apply(self, state: State, chosen: Chosen[Move]) -> State:
        seat, move = chosen[0]
        match move:
            case Ready():
                ready = (state.ready[0] or seat == 0, state.ready[1] or seat == 1)
                return _replace(state, ready=ready, phase="pick" if all(ready) else "look")
            case Pick():
                cards = [0, 0]
                for whose, pick in chosen:
                    cards[whose] = pick.card if isinstance(pick, Pick) else 0
                return _replace(state, cards=(cards[0], cards[1]), phase="order")
            case Order():
                mover = seat if move.order == "first" else other(seat)
                return _replace(state, mover=mover, phase="die")
            case Take(count=1):
                return _replace(state, marking=True)
            case Take():
                return _taken(state, move.count)
            case Mark():
                return _taken(_replace(state, marking=False), 1)
            case Dare():
                return _replace(state, phase="ruling")
            case OutOfTime():
                if not state.mild:
                    return _replace(state, lost=seat, phase="over")
                return _taken(_replace(state, marking=False), 0)

    def on_timeout(self, state: State, decision: Decision) -> Move | Draw:
        if decision.kind == "pick" and state.variant == "costly":
            return Pick(1)
        if decision.kind == "pick" and state.variant == "guarded" and decision.seat == 0:
            return Pick(5)
        answers: dict[str, Move | Draw] = {
            "ready": Ready(),
            "pick": Draw("pick", decision.seat),
            "order": Order("first"),
            "take": OutOfTime(),
        }
        return answers[decision.kind]

    def settles(self, state: State, decision: Decision, move: Move) -> bool:
        return state.variant == "guarded" and decision.seat == 0 and move == Pick(5)

    def drawn_move(self, state: State, chance: Chance) -> Move:
        return Pick(int(chance.value[0]))

    def check_chance(self, state: State, chance: Chance) -> None:
        if int(chance.value[0]) not in CARDS:
            raise Refusal("chance.impossible", "There is no such card.")

    def apply_chance(self, state: State, chance: Chance) -> State:
        die = int(chance.value[0])
        if not 1 <= die <= 6:
            raise Refusal("chance.impossible", "A die shows 1 to 6.")
        return _replace(state, heap=4 + die, phase="turn")

    def draw(self, state: State, draw: Draw, below: Below) -> Chance:
        if draw.kind == "pick":
            return Chance("pick", draw.whose, (str(chosen_by(below, CARDS)),))
        return Chance("die", None, (str(1 + below(6)),))

    def draw_label(self, state: State, draw: Draw) -> str:
        return f"{super().draw_label(state, draw)} {state.round}"

    def in_dispute(self, state: State) -> bool:
        return state.phase == "ruling"

    def dispute(self, state: State, names: Names = UNNAMED) -> Dispute | None:
        return Dispute(f"{names[0]} or {names[1]} was daring.", "<svg/>")

    def suspended(self, state: State) -> tuple[Decision, ...]:
        return ()

    def rule(self, state: State, valid: bool) -> State:
        return _taken(_replace(state, phase="turn"), 2 if valid else 0)

    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        assert isinstance(options, ToyOptions)
        return {
            "look": ClockPolicy(to_ms(options.look_time)),
            "pick": ClockPolicy(to_ms(options.pick_time)),
            "window": ClockPolicy(to_ms(options.window_time), lingers=True),
            "choice": ClockPolicy(to_ms(options.choice_time)),
            "turn": ClockPolicy(to_ms(options.turn_time), True, to_ms(options.interval)),
        }

    def reserve_epoch(self, state: State) -> int:
        return state.round

    def parse(self, text: str) -> Move:
        match = _TEXT.fullmatch(text)
        if match is None:
            raise Refusal("notation.unreadable", "This is no move of the toy.")
        if match["card"]:
            return Pick(int(match["card"]))
        if match["count"]:
            return Take(0 if match["count"] == "all" else int(match["count"]))
        if match["letter"]:
            return msgspec.convert({"letter": match["letter"], "type": "Mark"}, Mark)
        if match["word"] == "ready":
            return Ready()
        if match["word"] == "dare":
            return Dare()
        return Order("first" if match["word"] == "first" else "second")

    def print(self, move: Move) -> str:
        match move:
            case Ready():
                return "ready"
            case Pick():
                return f"pick {move.card}"
            case Order():
                return move.order
            case Take():
                return f"take {move.count or 'all'}"
            case Mark():
                return f"mark {move.letter}"
            case Dare():
                return "dare"
            case OutOfTime():
                raise EngineFault("nobody writes this")

    def parse_chance(self, text: str) -> Chance:
        match = _CHANCE.fullmatch(text.strip())
        if match is None:
            return super().parse_chance(text)
        if match["die"]:
            return Chance("die", None, (match["die"],))
        return Chance("pick", int(match["seat"]), (match["card"],))

    def enumerable(self, decision: Decision) -> bool:
        return True

    def legal(self, state: State, decision: Decision) -> Iterator[Move]:
        if decision.kind == "ready":
            yield Ready()
        elif decision.kind == "pick":
            yield from map(Pick, CARDS)
        elif decision.kind == "order":
            yield Order("first")
            yield Order("second")
        elif state.marking:
            yield Mark("a")
            yield Mark("b")
        else:
            yield from (Take(count) for count in range(1, min(3, state.heap) + 1))

    def any_legal(self, state: State, decision: Decision) -> bool:
        return True

    def sample(self, state: State, decision: Decision, random: RandomSource) -> Move:
        return choose(random, list(self.legal(state, decision)))

    def view(self, state: State, audience: Audience) -> dict[str, Any]:
        return {
            "phase": state.phase,
            "round": state.round,
            "ready": list(state.ready),
            "mover": state.mover,
            "heap": state.heap,
            "turn": state.turn,
            "marking": state.marking,
            "points": list(state.points),
            "advantage": state.advantage,
            "variant": state.variant,
            "mild": state.mild,
            "lost": state.lost,
            "cards": [
                card if audience in (seat, ALL) or not card else "?"
                for seat, card in enumerate(state.cards)
            ],
        }

    def events(self, before: State, chosen: Chosen[Move], after: State) -> Sequence[Event]:
        return [_event(seat, move) for seat, move in chosen]

    def chance_events(self, before: State, chance: Chance, after: State) -> Sequence[Event]:
        text = f"The heap is {after.heap}."
        return [Event(kind="die", seat=None, text=text, seen_by=EVERYONE)]

    def step_notes(self, events: Sequence[Event]) -> dict[str, Any]:
        return {"took": [event.data["took"] for event in events if "took" in event.data]}

    def determinize(self, view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
        cards = [choose(random, CARDS) if card == "?" else card for card in view["cards"]]
        return msgspec.convert({**view, "cards": cards}, State)

    def evaluate(self, state: State, seat: Seat) -> float:
        outcome = self.outcome(state)
        if outcome is not None:
            return 1.0 if outcome.winner == seat else -1.0
        total = sum(state.points)
        return 0.0 if not total else 2 * state.points[seat] / total - 1

    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"'
            ' viewBox="0 0 100 100"><title>Toy</title>'
            f"<desc>{view['heap']} are left.</desc></svg>"
        )

    def encode(self, state: State) -> bytes:
        return msgspec.json.encode(state)

    def decode(self, data: bytes) -> State:
        try:
            return msgspec.json.decode(data, type=State)
        except msgspec.MsgspecError as error:
            raise EngineFault("not a toy") from error


def _taken(state: State, count: int) -> State:
    """``count`` go to the mover; the turn passes, or the round ends with the heap."""
    count = min(count, state.heap)
    points = list(state.points)
    points[state.mover] += count
    heap = state.heap - count
    state = _replace(
        state,
        points=(points[0], points[1]),
        heap=heap,
        mover=other(state.mover),
        turn=state.turn + 1,
    )
    if heap:
        return state
    first, second = state.cards
    if first != second:
        points[0 if first > second else 1] += 1
    return _replace(
        state,
        points=(points[0], points[1]),
        phase="pick" if state.round < ROUNDS else "over",
        round=min(ROUNDS, state.round + 1),
        cards=(0, 0) if state.round < ROUNDS else state.cards,
        turn=1,
    )


def _event(seat: Seat, move: Move) -> Event:
    match move:
        case Pick():
            return Event(
                kind="pick",
                seat=seat,
                text=f"picked {move.card}",
                data={"card": move.card},
                seen_by=(0,) if seat == 0 else (1,),
                public_text="picked a card",
            )
        case Take() | Mark():
            data: dict[str, object] = {"took": 1 if isinstance(move, Mark) else move.count}
            return Event(kind="take", seat=seat, text="took some", data=data, seen_by=EVERYONE)
        case _:
            return Event(kind="other", seat=seat, text="went on", seen_by=EVERYONE)


TOY = Toy()
