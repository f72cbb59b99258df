"""The rules of Tetronogo."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.chance import RandomSource, choose
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import EVERYONE, Audience, Chance, Decision, Draw, Event, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.naming import PLAYERS, UNNAMED, Names, named
from games.engine.reasons import TIE_BREAK, Reason
from games.engine.ruleset import Chosen, Options, Ruleset, Seconds, Setup, Variant
from games.rulesets.tetronogo import view as views
from games.rulesets.tetronogo.bits import draw_member, members
from games.rulesets.tetronogo.moves import (
    SQUARES,
    Move,
    OutOfTime,
    Pick,
    Place,
    Start,
    parse_letter,
    parse_move,
    print_move,
)
from games.rulesets.tetronogo.picture import picture
from games.rulesets.tetronogo.pieces import NOWHERE, duel, names, squares_of
from games.rulesets.tetronogo.scoring import groups, points
from games.rulesets.tetronogo.state import (
    MOST_BOUTS,
    Bout,
    BoutHistory,
    Frame,
    History,
    State,
    over_frame,
    pick_frame,
    place_frame,
    starter_frame,
)

_CHANCE = re.compile(r"pick ([01]) ([a-z]+)")
_HISTORY = msgspec.json.Decoder(History)

_EXPECTED = {
    "pick": 'Pick a tetromino now, like "pick T".',
    "starter": 'Choose "first" or "second" now.',
    "place": 'Place your tetromino now, like "D4 90".',
}


TWO_IN_A_ROW = Reason(
    id="two-in-a-row",
    how="with two bouts in a row",
    how_lost="to two bouts in a row",
    room="{winner} won two bouts in a row.",
    winner="You won two bouts in a row, and the match.",
    loser="You lost: {winner} won two bouts in a row.",
)
TOTAL = Reason(
    id="total",
    how="on the total of all bouts",
    room="{winner} won by total points, {own} to {other}.",
    winner="You won by total points, {own} to {other}.",
    loser="You lost by total points, {own} to {other}.",
)


class TetronogoOptions(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Times in seconds. The reserve is for each bout. House ruling: 60 s for the secret pick."""

    turn_time: Seconds = 60.0
    reserve: Seconds = 120.0
    pick_time: Seconds = 60.0


class Tetronogo(Ruleset[State, Move]):
    """Up to four bouts of placing one tetromino each, scored by edges around empty groups."""

    id: ClassVar[str] = "tetronogo"
    name: ClassVar[str] = "Tetronogo"
    summary: ClassVar[str] = (
        "Pick a tetromino in secret, fill the board with copies of it, "
        "and fence off more empty squares than your opponent."
    )
    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("standard", "Standard", "Up to four bouts on a 12 by 12 board."),
    )
    options_type: ClassVar[type[Options]] = TetronogoOptions
    reasons: ClassVar[tuple[Reason, ...]] = (TWO_IN_A_ROW, TOTAL, TIE_BREAK)

    # -- the course of a match -----------------------------------------------------------------

    def initial(self, setup: Setup) -> State:
        self.variant(setup.variant)
        return State(pick_frame(setup.advantage, ()))

    def decisions(self, state: State) -> tuple[Decision, ...]:
        return state.frame.plies[len(state.placed)]

    def outcome(self, state: State) -> Outcome | None:
        return state.frame.outcome

    def scores(self, state: State) -> tuple[int, int]:
        """Points over the finished bouts; nothing of a bout in play."""
        return state.frame.totals

    def validate(self, state: State, decision: Decision, move: Move) -> None:
        if decision.kind == "place" and isinstance(move, Place):
            self._validate_place(state, decision.seat, move)
        elif decision.kind == "pick" and isinstance(move, Pick):
            used = state.frame.used(decision.seat)
            if move.letter in used:
                raise Refusal(
                    "pick.used",
                    f"You had {move.letter} in bout {used.index(move.letter) + 1} already.",
                )
        elif not (decision.kind == "starter" and isinstance(move, Start)):
            raise Refusal("move.wrong-kind", _EXPECTED[decision.kind])

    def _validate_place(self, state: State, seat: Seat, move: Place) -> None:
        piece = state.frame.duel.pieces[seat]
        number = piece.placement[move.turns][move.square]
        if number == NOWHERE:
            inside, _ = piece.reach(move)
            raise Refusal(
                "place.off-board",
                f"{piece.letter} at {print_move(move)} would stick out of the board.",
                names(inside),
            )
        if not state.mine >> number & 1:
            first, second = state.boards
            taken = names(squares_of(piece.boards[number] & (first | second)))
            verb = "is" if len(taken) == 1 else "are"
            raise Refusal(
                "place.overlap",
                f"{piece.letter} at {print_move(move)} would overlap: "
                f"{', '.join(taken)} {verb} not empty.",
                taken,
            )

    def canonical(self, state: State, decision: Decision, move: Move) -> Move:
        """A validated move in the form that is printed: the smallest of the rotations that look
        alike for the mover's tetromino."""
        if isinstance(move, Place):
            return state.frame.duel.pieces[decision.seat].canonical(move)
        return move

    def apply(self, state: State, chosen: Chosen[Move]) -> State:
        seat, move = chosen[0]
        if type(move) is Place:
            frame = state.frame
            _, placement, own, others = frame.duel.sides[seat]
            number = placement[move.turns][move.square]
            theirs = state.theirs & others[number]
            placed = state.placed + (number,)  # noqa: RUF005 (unpacking takes half as long again)
            if theirs:
                return State(frame, placed, theirs, state.mine & own[number])
            return _end_bout(frame, placed, None)
        if isinstance(move, Pick):
            first, second = [pick.letter for _, pick in chosen if isinstance(pick, Pick)]
            return State(starter_frame(state.frame, (first, second)))
        if isinstance(move, Start):
            return _begin_placing(state.frame, seat if move.order == "first" else 1 - seat)
        return _end_bout(state.frame, state.placed, seat)

    def on_timeout(self, state: State, decision: Decision) -> Move | Draw:
        """House rulings: a missing pick is drawn from the seat's unused tetrominoes; whoever does
        not choose a starter goes first. Out of time while placing loses the bout."""
        if decision.kind == "pick":
            return Draw("pick", decision.seat)
        if decision.kind == "starter":
            return Start("first")
        return OutOfTime()

    # -- chance: a pick for a player whose time ran out ----------------------------------------

    def draw(self, state: State, draw: Draw, random: RandomSource) -> Chance:
        seat = _seat_of_draw(draw)
        return Chance("pick", seat, (choose(random, state.frame.unused(seat)),))

    def check_chance(self, state: State, chance: Chance) -> None:
        seat = _seat_of_draw(chance.draw)
        if state.frame.phase != "pick":
            raise Refusal("chance.not-due", "No tetromino is being picked.")
        letters = state.frame.unused(seat)
        if len(chance.value) != 1 or chance.value[0] not in letters:
            raise Refusal(
                "chance.used",
                f"The {PLAYERS[seat]} player can only be dealt one of {', '.join(letters)}.",
            )

    def drawn_move(self, state: State, chance: Chance) -> Move:
        return Pick(chance.value[0])

    def parse_chance(self, text: str) -> Chance:
        match = _CHANCE.fullmatch(notation.tidy(text))
        if match is None:
            raise Refusal(
                "notation.chance", 'The only draw of Tetronogo is written like "pick 0 T".'
            )
        return Chance("pick", int(match[1]), (parse_letter(match[2]),))

    # -- time ----------------------------------------------------------------------------------

    def policies(self, options: Options) -> Mapping[str, ClockPolicy]:
        if not isinstance(options, TetronogoOptions):
            raise EngineFault("these are the options of another ruleset")
        return {
            "pick": ClockPolicy(to_ms(options.pick_time)),
            "choice": ClockPolicy(to_ms(options.choice_time)),
            "turn": ClockPolicy(to_ms(options.turn_time), uses_reserve=True),
        }

    def reserve_epoch(self, state: State) -> int:
        """The bout: each begins with a full reserve."""
        return state.frame.number

    # -- text ----------------------------------------------------------------------------------

    def parse(self, text: str) -> Move:
        return parse_move(text)

    def print(self, move: Move) -> str:
        return print_move(move)

    # -- listing and sampling ------------------------------------------------------------------

    def enumerable(self, decision: Decision) -> bool:
        return True

    def legal(self, state: State, decision: Decision) -> Iterator[Move]:
        """Placements by rotation, then row by row; tetrominoes in the order of the rules page."""
        if decision.kind == "pick":
            yield from map(Pick, state.frame.unused(decision.seat))
        elif decision.kind == "starter":
            yield Start("first")
            yield Start("second")
        else:
            moves = state.frame.duel.pieces[decision.seat].moves
            for number in members(state.mine):
                yield moves[number]

    def any_legal(self, state: State, decision: Decision) -> bool:
        return decision.kind != "place" or state.mine != 0

    def sample(self, state: State, decision: Decision, random: RandomSource) -> Move:
        mine = state.mine
        if mine:
            moves = state.frame.duel.sides[decision.seat][0]
            return moves[draw_member(mine, len(moves), random)]
        if decision.kind == "pick":
            return Pick(choose(random, state.frame.unused(decision.seat)))
        return Start("first") if random() < 0.5 else Start("second")

    # -- what people and bots see --------------------------------------------------------------

    def view(self, state: State, audience: Audience) -> dict[str, Any]:
        return views.view(state)

    def events(self, before: State, chosen: Chosen[Move], after: State) -> Sequence[Event]:
        seat, move = chosen[0]
        if isinstance(move, Pick):
            return [
                _pick_event(before, whose, pick) for whose, pick in chosen if isinstance(pick, Pick)
            ]
        if isinstance(move, Start):
            return [
                Event(
                    kind="starter",
                    seat=seat,
                    text=f"chose to go {move.order}",
                    data={"bout": before.frame.number, "starter": after.frame.starter},
                    seen_by=EVERYONE,
                )
            ]
        said = [_place_event(before, seat, move)] if isinstance(move, Place) else []
        if len(after.frame.bouts) > len(before.frame.bouts):
            said.append(_bout_event(after))
        return said

    def determinize(self, view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
        """Exactly the state that was viewed: nothing in a state is secret from anyone, since the
        opponent's sealed pick is not part of it."""
        return _replay(views.history_of(view))

    def evaluate(self, state: State, seat: Seat) -> float:
        """The share of the points, those of the bout in play guessed by who has more of the edges
        around each group; a bout just won counts a little more, since two in a row win."""
        frame = state.frame
        if frame.outcome is not None:
            return 1.0 if frame.outcome.winner == seat else -1.0
        totals = frame.totals
        ahead = float(totals[0] - totals[1])
        if frame.phase == "place":
            for group in groups(*state.boards):
                first, second = group.edges
                if first != second:
                    # The larger a group still is, the more it will be cut up and fought over.
                    size = len(group.squares)
                    ahead += (first - second) / (first + second) * size / (1 + size / 24)
        if frame.bouts and frame.bouts[-1].winner is not None:
            ahead += 8.0 if frame.bouts[-1].winner == 0 else -8.0
        value = math.tanh(ahead / 40)
        return value if seat == 0 else -value

    def picture(self, view: Mapping[str, Any], names: Names = UNNAMED) -> str:
        return picture(named(view, names))

    # -- storage -------------------------------------------------------------------------------

    def encode(self, state: State) -> bytes:
        return msgspec.json.encode(_history(state))

    def decode(self, data: bytes) -> State:
        try:
            history = _HISTORY.decode(data)
        except msgspec.DecodeError as error:
            raise EngineFault(f"not a state of Tetronogo: {error}") from error
        return _replay(history)


# -- the course of a bout ----------------------------------------------------------------------


def _begin_placing(frame: Frame, starter: Seat) -> State:
    placing = place_frame(frame, starter)
    pieces = placing.duel.pieces
    return State(placing, (), pieces[starter].everywhere, pieces[1 - starter].everywhere)


def _end_bout(frame: Frame, placed: tuple[int, ...], out_of_time: Seat | None) -> State:
    """The state after the bout in play, ended by time or by a turn with no placement.

    House ruling: whoever runs out of time scores nothing in the bout; the other player scores
    what the board gives at that moment.
    """
    starter = frame.starter or 0
    scored = points(*frame.duel.boards(starter, placed))
    if out_of_time is not None:
        scored = (0, scored[1]) if out_of_time == 0 else (scored[0], 0)
    first, second = frame.duel.pieces
    bout = Bout((first.letter, second.letter), starter, placed, out_of_time, scored)
    bouts = (*frame.bouts, bout)
    outcome = _outcome(frame.advantage, bouts)
    if outcome is not None:
        return State(over_frame(frame, bouts, outcome))
    return State(pick_frame(frame.advantage, bouts))


def _outcome(advantage: Seat, bouts: tuple[Bout, ...]) -> Outcome | None:
    """Two bouts won in a row; else, after the last bout, more points over all bouts, then the
    latest bout that was won, then (house ruling) the advantage."""
    totals = sum(bout.points[0] for bout in bouts), sum(bout.points[1] for bout in bouts)
    latest = bouts[-1].winner
    if latest is not None and len(bouts) > 1 and bouts[-2].winner == latest:
        return Outcome(latest, TWO_IN_A_ROW.id, totals)
    if len(bouts) < MOST_BOUTS:
        return None
    if totals[0] != totals[1]:
        return Outcome(0 if totals[0] > totals[1] else 1, TOTAL.id, totals)
    won = [bout.winner for bout in bouts if bout.winner is not None]
    return Outcome(won[-1] if won else advantage, TIE_BREAK.id, totals)


# -- the history, out of a state and back ------------------------------------------------------


def _history(state: State) -> History:
    frame = state.frame
    bouts = [
        _bout_history(bout.pieces, bout.starter, bout.placed, bout.out_of_time)
        for bout in frame.bouts
    ]
    if frame.pieces is not None:
        bouts.append(_bout_history(frame.pieces, frame.starter, state.placed, None))
    return History(frame.advantage, tuple(bouts))


def _bout_history(
    pieces: tuple[str, str], starter: Seat | None, placed: tuple[int, ...], late: Seat | None
) -> BoutHistory:
    tetrominoes = duel(*pieces).pieces
    codes = []
    for ply, number in enumerate(placed):
        move = tetrominoes[(starter or 0) ^ (ply & 1)].moves[number]
        codes.append(move.turns * SQUARES + move.square)
    return BoutHistory(pieces, starter, tuple(codes), late)


def _replay(history: History) -> State:
    """The state that a history leads to. Raises :class:`EngineFault` where it cannot be one."""
    state = State(pick_frame(history.advantage, ()))
    try:
        for bout in history.bouts:
            state = _replay_bout(state, bout)
    except (Refusal, ValueError) as error:  # ValueError: no such decision is open
        raise EngineFault(f"not a history of Tetronogo: {error}") from error
    return state


def _replay_bout(state: State, bout: BoutHistory) -> State:
    rules = Tetronogo()
    picks = tuple(enumerate(map(Pick, bout.pieces)))
    for decision, (_, pick) in zip(rules.decisions(state), picks, strict=True):
        rules.validate(state, decision, pick)
    state = rules.apply(state, picks)

    moves: list[Move] = []
    if bout.starter is not None:
        moves.append(Start("first" if bout.starter == state.frame.chooser else "second"))
    moves.extend(Place(code % SQUARES, code // SQUARES) for code in bout.placed)
    for move in moves:
        (decision,) = rules.decisions(state)
        rules.validate(state, decision, move)
        state = rules.apply(state, ((decision.seat, move),))
    if bout.out_of_time is not None:
        if bout.out_of_time != state.mover:
            raise ValueError("only the mover can run out of time")
        state = rules.apply(state, ((bout.out_of_time, OutOfTime()),))
    return state


# -- the log -----------------------------------------------------------------------------------


def _pick_event(before: State, seat: Seat, move: Pick) -> Event:
    return Event(
        kind="pick",
        seat=seat,
        text=f"picked {move.letter}",
        data={"bout": before.frame.number, "piece": move.letter},
        seen_by=EVERYONE,
    )


def _place_event(before: State, seat: Seat, move: Place) -> Event:
    piece = before.frame.duel.pieces[seat]
    placed = piece.canonical(move)
    return Event(
        kind="place",
        seat=seat,
        text=f"placed {piece.letter} at {print_move(placed)}",
        data={
            "bout": before.frame.number,
            "piece": piece.letter,
            "corner": placed.corner,
            "rotation": placed.turns * 90,
            "squares": list(names(piece.reach(placed)[0])),
        },
        seen_by=EVERYONE,
    )


def _bout_event(after: State) -> Event:
    bout = after.frame.bouts[-1]
    takers = [bout.taker(group) for group in bout.groups]
    number = len(after.frame.bouts)
    low, high = sorted(bout.points)
    if bout.winner is None:
        text = f"Bout {number} is drawn, {high} to {low}."
    elif bout.out_of_time is None:
        text = f"won bout {number}, {high} to {low}"
    else:
        text = f"won bout {number} on time, {high} to {low}"
    return Event(
        kind="bout",
        seat=bout.winner,
        text=text,
        data={
            "bout": number,
            "winner": bout.winner,
            "points": list(bout.points),
            "totals": list(after.frame.totals),
            "groups": [takers.count(0), takers.count(1), takers.count(None)],
            "out_of_time": bout.out_of_time,
        },
        seen_by=EVERYONE,
    )


def _seat_of_draw(draw: Draw) -> Seat:
    """The seat that a pick is drawn for. Raises :class:`EngineFault` for any other draw."""
    if draw.kind != "pick" or draw.whose not in (0, 1):
        raise EngineFault(f"Tetronogo has no draw {draw.kind!r} for {draw.whose!r}")
    return int(draw.whose)
