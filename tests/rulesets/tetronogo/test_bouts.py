"""A bout from the picks to its end, one test a sentence of the rules."""

from __future__ import annotations

import pytest

from core.refusals import Refusal
from games.engine.chance import evenly
from games.engine.decisions import Chance, Draw, Seat
from games.engine.errors import EngineFault
from games.engine.ruleset import Setup
from games.rulesets.tetronogo.moves import LETTERS, OutOfTime, Pick, PlaceTetromino, Start
from games.rulesets.tetronogo.pieces import BOARD, TETROMINOES
from games.rulesets.tetronogo.rules import TetronogoOptions
from games.rulesets.tetronogo.state import MOST_BOUTS, TetronogoState
from tests.rulesets.tetronogo import reference
from tests.rulesets.tetronogo.helpers import (
    RULES,
    begin,
    bricks,
    decision_of,
    drawn_bout,
    full,
    picks,
    placing,
    read,
    run_out,
    say,
    source,
    start,
    strips,
    walk,
    won_on_time,
)


def _refused(state: TetronogoState, seat: Seat, text: str) -> Refusal:
    before = RULES.encode(state)
    with pytest.raises(Refusal) as refused:
        RULES.validate(state, decision_of(state, seat), read(text))
    assert RULES.encode(state) == before
    assert refused.value.sentence.endswith(".")
    return refused.value


# -- the secret picks --------------------------------------------------------------------------


def test_a_match_begins_with_both_players_picking_at_once() -> None:
    first, second = RULES.decisions(begin())
    assert (first.id, first.seat, first.kind, first.clock) == ("1.pick.0", 0, "pick", "pick")
    assert (second.id, second.seat, second.kind, second.clock) == ("1.pick.1", 1, "pick", "pick")
    assert first.barrier is not None
    assert first.barrier == second.barrier


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("seat", [0, 1])
def test_each_of_the_seven_can_be_picked_in_the_first_bout(seat: Seat, letter: str) -> None:
    state = begin()
    RULES.validate(state, decision_of(state, seat), Pick(letter))
    assert [RULES.print(move) for move in RULES.legal(state, decision_of(state, seat))] == [
        f"pick {each}" for each in LETTERS
    ]


def test_both_may_pick_the_same() -> None:
    assert picks(begin(), "T", "T").frame.pieces == ("T", "T")


def test_a_tetromino_of_an_earlier_bout_is_refused() -> None:
    state = begin()
    state = say(start(picks(state, "O", "O"), 0), *strips(0, winner=0))
    state = say(start(picks(state, "I", "I"), 1), *bricks(1))
    assert state.frame.number == 3
    refusal = _refused(state, 0, "pick O")
    assert refusal.code == "pick.used"
    assert refusal.sentence == "You had O in bout 1 already."
    assert _refused(state, 0, "pick I").sentence == "You had I in bout 2 already."
    assert [RULES.print(move) for move in RULES.legal(state, decision_of(state, 0))] == [
        "pick S", "pick Z", "pick L", "pick J", "pick T",
    ]  # fmt: skip


def test_the_opponents_earlier_tetromino_can_be_picked() -> None:
    state = run_out(start(picks(begin(), "T", "L"), 0))
    RULES.validate(state, decision_of(state, 0), Pick("L"))
    RULES.validate(state, decision_of(state, 1), Pick("T"))


def test_picks_are_revealed_together_before_the_starter_is_chosen() -> None:
    before = begin()
    chosen = ((0, Pick("T")), (1, Pick("L")))
    after = RULES.apply(before, chosen)
    told = [(event.kind, event.seat, event.text) for event in RULES.events(before, chosen, after)]
    assert told == [("pick", 0, "picked T"), ("pick", 1, "picked L")]
    assert [decision.kind for decision in RULES.decisions(after)] == ["starter"]
    assert RULES.view(after, "room")["pieces"] == ["T", "L"]


def test_a_pick_out_of_time_is_drawn_from_the_unused() -> None:
    state = run_out(start(picks(begin(), "T", "L"), 0))
    draw = RULES.on_timeout(state, decision_of(state, 1))
    assert draw == Draw("pick", 1)
    random = source(3)
    drawn = {RULES.draw(state, draw, evenly(random)).value[0] for _ in range(300)}
    assert drawn == set("OISZJT")
    chance = Chance("pick", 1, ("J",))
    RULES.check_chance(state, chance)
    assert RULES.drawn_move(state, chance) == Pick("J")


def test_a_used_tetromino_cannot_be_drawn() -> None:
    state = run_out(start(picks(begin(), "T", "L"), 0))
    with pytest.raises(Refusal) as refused:
        RULES.check_chance(state, Chance("pick", 1, ("L",)))
    assert refused.value.code == "chance.used"
    RULES.check_chance(state, Chance("pick", 0, ("L",)))


def test_a_drawn_tetromino_is_used_up_like_any_other() -> None:
    state = begin()
    chance = Chance("pick", 0, ("Z",))
    drawn = RULES.drawn_move(state, chance)
    state = run_out(start(RULES.apply(state, ((0, drawn), (1, Pick("T")))), 0))
    assert _refused(state, 0, "pick Z").code == "pick.used"


def test_nothing_is_drawn_once_the_picks_are_in() -> None:
    with pytest.raises(Refusal) as refused:
        RULES.check_chance(placing("T", "L"), Chance("pick", 0, ("O",)))
    assert refused.value.code == "chance.not-due"


@pytest.mark.parametrize("draw", [Draw("deck", 0), Draw("pick"), Draw("pick", "red")])
def test_no_other_draw_exists(draw: Draw) -> None:
    with pytest.raises(EngineFault):
        RULES.draw(begin(), draw, evenly(source(1)))


# -- who starts --------------------------------------------------------------------------------


@pytest.mark.parametrize("advantage", [0, 1])
def test_the_advantage_chooses_the_first_starter(advantage: Seat) -> None:
    (decision,) = RULES.decisions(picks(begin(advantage), "T", "L"))
    assert (decision.id, decision.seat) == ("1.starter", advantage)
    assert (decision.kind, decision.clock, decision.barrier) == ("starter", "choice", None)


@pytest.mark.parametrize("advantage", [0, 1])
@pytest.mark.parametrize(("order", "same"), [("first", True), ("second", False)])
def test_the_choice_is_for_the_chooser_themselves(advantage: Seat, order: str, same: bool) -> None:
    state = say(picks(begin(advantage), "T", "L"), order)
    assert state.mover == (advantage if same else 1 - advantage)


@pytest.mark.parametrize("advantage", [0, 1])
@pytest.mark.parametrize("winner", [0, 1])
def test_later_the_loser_of_the_bout_before_chooses(advantage: Seat, winner: Seat) -> None:
    state = say(start(picks(begin(advantage), "O", "O"), 0), *strips(0, winner=winner))
    (decision,) = RULES.decisions(picks(state, "T", "T"))
    assert (decision.id, decision.seat) == ("2.starter", 1 - winner)


@pytest.mark.parametrize("winner", [0, 1])
def test_who_lost_on_time_chooses_the_next_starter(winner: Seat) -> None:
    state = won_on_time(begin(winner), winner)
    (decision,) = RULES.decisions(picks(state, "T", "T"))
    assert decision.seat == 1 - winner


@pytest.mark.parametrize("advantage", [0, 1])
def test_after_a_drawn_bout_the_advantage_chooses(advantage: Seat) -> None:
    state = drawn_bout(won_on_time(begin(advantage), advantage, points=140), "L")
    (decision,) = RULES.decisions(picks(state, "T", "T"))
    assert decision.seat == advantage


def test_who_does_not_choose_goes_first() -> None:
    state = picks(begin(1), "T", "L")
    move = RULES.on_timeout(state, decision_of(state, 1))
    assert move == Start("first")
    assert RULES.apply(state, ((1, move),)).mover == 1


# -- placing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("starter", [0, 1])
def test_the_players_place_in_turn(starter: Seat) -> None:
    state = placing("T", "L", starter)
    for ply, text in enumerate(["A1 0", "D1 0", "G1 0", "J1 0"]):
        (decision,) = RULES.decisions(state)
        assert decision.seat == starter ^ (ply & 1)
        assert decision.id == f"1.place.{ply + 1}"
        assert (decision.kind, decision.clock, decision.barrier) == ("place", "turn", None)
        state = say(state, text)


@pytest.mark.parametrize("letter", LETTERS)
def test_each_player_places_their_own_tetromino(letter: str) -> None:
    other = "O" if letter == "T" else "T"
    state = placing(letter, other)
    placed = say(state, "D4 90", "I9 0")
    for seat, piece, corner, turns in ((0, letter, 39, 1), (1, other, 104, 0)):
        board = TETROMINOES[piece].boards[TETROMINOES[piece].placement[turns][corner]]
        assert placed.boards[seat] == board


def test_the_board_is_twelve_by_twelve() -> None:
    assert BOARD.bit_count() == 144
    state = placing("I", "I")
    for text in ("A1 0", "I1 0", "A12 0", "I12 0", "A1 90", "L1 90", "A9 90", "L9 90"):
        RULES.validate(state, decision_of(state, 0), read(text))


@pytest.mark.parametrize(
    ("letter", "text", "squares"),
    [
        ("I", "J1 0", ("J1", "K1", "L1")),
        ("I", "A10 90", ("A10", "A11", "A12")),
        ("O", "L1 0", ("L1", "L2")),
        ("T", "K3 0", ("L3", "K4", "L4")),
        ("L", "L12 0", ()),
    ],
)
def test_a_piece_must_lie_inside_the_board(
    letter: str, text: str, squares: tuple[str, ...]
) -> None:
    refusal = _refused(placing(letter, letter), 0, text)
    assert refusal.code == "place.off-board"
    assert refusal.squares == squares


def test_a_piece_must_lie_on_empty_squares_only() -> None:
    state = say(placing("T", "L"), "D4 90", "F6 0")
    refusal = _refused(state, 0, "D5 0")  # E5, D6, E6, F6
    assert refusal.code == "place.overlap"
    assert refusal.squares == ("E5", "D6")
    assert refusal.sentence == "T at D5 0 would overlap: E5, D6 are not empty."
    refusal = _refused(say(state, "A1 0"), 1, "H5 0")  # J5, H6, I6, J6
    assert refusal.squares == ("H6",)
    assert refusal.sentence == "L at H5 0 would overlap: H6 is not empty."


def test_own_and_opposing_pieces_block_alike() -> None:
    state = say(placing("O", "O"), "A1 0", "C1 0")
    assert _refused(state, 0, "B1 0").squares == ("B1", "C1", "B2", "C2")
    assert _refused(state, 0, "C2 0").squares == ("C2", "D2")


def test_nobody_can_pass() -> None:
    """Whoever has a placement left has no other move."""
    for seed in range(5):
        for state in walk(seed):
            if state.frame.phase == "place":
                (decision,) = RULES.decisions(state)
                moves = list(RULES.legal(state, decision))
                assert moves
                assert all(isinstance(move, PlaceTetromino) for move in moves)
                for other in (Start("first"), Pick("O"), OutOfTime()):
                    with pytest.raises(Refusal) as refused:
                        RULES.validate(state, decision, other)
                    assert refused.value.code == "move.wrong-kind"


@pytest.mark.parametrize(
    ("state", "seat", "text", "sentence"),
    [
        (begin(), 0, "first", 'Pick a tetromino now, like "pick T".'),
        (begin(), 1, "D4 90", 'Pick a tetromino now, like "pick T".'),
        (picks(begin(), "T", "L"), 1, "pick O", 'Choose "first" or "second" now.'),
        (picks(begin(), "T", "L"), 1, "D4 90", 'Choose "first" or "second" now.'),
        (placing("T", "L"), 0, "pick O", 'Place your tetromino now, like "D4 90".'),
        (placing("T", "L"), 0, "second", 'Place your tetromino now, like "D4 90".'),
    ],
)
def test_a_move_of_the_wrong_kind_is_refused(
    state: TetronogoState, seat: Seat, text: str, sentence: str
) -> None:
    refusal = _refused(state, seat, text)
    assert refusal.code == "move.wrong-kind"
    assert refusal.sentence == sentence


# -- the end of a bout -------------------------------------------------------------------------


def test_a_bout_ends_when_a_turn_begins_without_a_placement() -> None:
    moves = strips(0)
    state = say(placing("O", "O"), *moves[:-1])
    assert state.frame.number == 1
    assert RULES.decisions(state)[0].id == "1.place.24"
    ended = say(state, moves[-1])
    assert ended.frame.number == 2
    assert ended.frame.bouts[0].stuck == 0
    assert [decision.id for decision in RULES.decisions(ended)] == ["2.pick.0", "2.pick.1"]


def test_a_bout_ends_though_the_other_player_could_still_place() -> None:
    found = 0
    for seed in range(12):
        for before, after in zip(walk(seed), walk(seed)[1:], strict=False):
            if len(after.frame.bouts) == len(before.frame.bouts):
                continue
            bout = after.frame.bouts[-1]
            taken = _taken(bout.boards)
            stuck = bout.stuck
            assert stuck is not None
            assert not reference.placements(bout.pieces[stuck], taken)
            found += bool(reference.placements(bout.pieces[1 - stuck], taken))
    assert found > 3


def test_a_bout_goes_on_while_only_the_player_not_to_move_is_stuck() -> None:
    found = 0
    for seed in range(12):
        for state in walk(seed):
            if state.mover is None or not state.placed:
                continue
            pieces = state.frame.pieces
            assert pieces is not None
            taken = _taken(state.boards)
            assert reference.placements(pieces[state.mover], taken)
            found += not state.left[1 - state.mover]
    assert found > 3


def test_a_full_board_ends_the_bout() -> None:
    state = say(placing("O", "O"), *full("O"))
    assert state.frame.number == 2
    assert state.frame.bouts[0].points == (0, 0)


def test_every_bout_begins_on_an_empty_board_with_new_picks() -> None:
    state = say(placing("O", "O"), *strips(0))
    view = RULES.view(state, "room")
    assert view["phase"] == "pick"
    assert view["board"] == ["............"] * 12
    assert view["placed"] == []
    assert view["pieces"] is None
    assert placing("O", "O").boards == start(picks(state, "T", "T"), 0).boards == (0, 0)


def test_there_are_at_most_four_bouts() -> None:
    assert MOST_BOUTS == 4
    for seed in range(40):
        assert len(walk(seed)[-1].frame.bouts) <= 4


def test_more_points_win_the_bout() -> None:
    bout = say(placing("O", "O"), *strips(0, winner=0)).frame.bouts[0]
    assert (bout.points, bout.winner) == ((24, 12), 0)
    bout = say(placing("O", "O"), *strips(0, winner=1)).frame.bouts[0]
    assert (bout.points, bout.winner) == ((12, 24), 1)
    bout = say(placing("I", "I", 1), *bricks(1)).frame.bouts[0]
    assert (bout.points, bout.winner) == ((9, 27), 1)


def test_equal_points_are_a_drawn_bout() -> None:
    bout = drawn_bout(begin(), "J").frame.bouts[0]
    assert (bout.points, bout.winner) == ((0, 0), None)


def test_running_out_of_time_loses_the_bout() -> None:
    """T at A1 180 covers A1 B1 C1 B2 and has 6 edges around the one group of 136 squares; L at
    J11 0 covers L11 J12 K12 L12 and has 5. By the board seat 0 would score all of them."""
    state = say(placing("T", "L"), "A1 180", "J11 0")
    assert RULES.view(state, "room")["standing"] == [136, 0]
    bout = run_out(state).frame.bouts[0]
    assert bout.out_of_time == 0
    assert bout.points == (0, 0)
    assert bout.winner == 1
    assert bout.stuck is None


def test_the_winner_on_time_scores_what_the_board_gives() -> None:
    """As before, with L second from the left: 10 edges in the open, against T's 6."""
    state = say(placing("T", "L"), "A1 180", "F5 0")
    bout = run_out(state).frame.bouts[0]
    assert bout.points == (0, 136)
    state = say(state, "J11 180")
    bout = run_out(state).frame.bouts[0]
    assert (bout.out_of_time, bout.winner) == (1, 0)
    assert bout.points[1] == 0
    assert bout.points[0] == reference.points(*map(_squares, state.boards))[0]


def test_a_bout_lost_on_time_is_won_even_with_no_points() -> None:
    bout = run_out(placing("T", "L")).frame.bouts[0]
    assert (bout.points, bout.winner) == ((0, 0), 1)


def _squares(board: int) -> frozenset[reference.Square]:
    return frozenset(
        (column, row) for column, row in reference.BOARD if board >> (row * 13 + column) & 1
    )


def _taken(boards: tuple[int, int]) -> frozenset[reference.Square]:
    return _squares(boards[0] | boards[1])


def test_the_variant_must_exist() -> None:
    with pytest.raises(Refusal) as refused:
        RULES.initial(Setup("blitz", TetronogoOptions(), 0))
    assert refused.value.code == "setup.variant"
