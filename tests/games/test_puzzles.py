"""Puzzles: the collections that come along, how answers are judged and graded, and what is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from random import Random
from typing import Any

import msgspec
import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from accounts.models import AuditEntry, User
from accounts.services import guest_create
from core.refusals import Forbidden, NotFound, Refusal
from games.engine import notation, puzzling
from games.engine.capabilities import Supposes, solves_of
from games.engine.decisions import Audience
from games.engine.ruleset import Ruleset
from games.models import Puzzle, PuzzleAnswer, PuzzleSolver
from games.puzzles import making, reading
from games.puzzles.collection import collection_of, key_of
from games.puzzles.merging import solver_move
from games.puzzles.services import (
    puzzle_answer,
    puzzle_show,
    puzzle_withdraw,
    puzzles_add,
    puzzles_load,
)
from games.rulesets import REGISTRY
from tests.games.support import nothing_changes

EVERY = [(ruleset, each) for ruleset in REGISTRY for each in collection_of(ruleset)]
every_ruleset = pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda each: each.id)
every_puzzle = pytest.mark.parametrize(
    ("ruleset", "puzzle"),
    EVERY,
    ids=[f"{ruleset.id}-{key_of(ruleset, each)[:6]}" for ruleset, each in EVERY],
)
DAY = datetime(2026, 5, 4, 12, tzinfo=UTC)


def first_of(ruleset: Ruleset[Any, Any]) -> puzzling.Puzzle:
    return collection_of(ruleset)[0]


def wrong_answer(row: Puzzle) -> str:
    """A legal answer that is not right."""
    found = reading.known(row)
    state = puzzling.state_of(found.ruleset, found.puzzle)
    decision = puzzling.decision_of(found.ruleset, found.puzzle)
    random = Random(1).random
    while True:
        text = found.ruleset.print(found.ruleset.sample(state, decision, random))
        if not puzzling.judged(found.ruleset, found.puzzle, text).right:
            return text


# -- the collections -------------------------------------------------------------------------------


@every_ruleset
def test_each_game_comes_with_puzzles(ruleset: Ruleset[Any, Any]) -> None:
    found = collection_of(ruleset)
    assert len(found) >= 6
    assert len({key_of(ruleset, each) for each in found}) == len(found)
    assert {each.variant for each in found} == {each.id for each in ruleset.variants}


@every_puzzle
def test_each_puzzle_is_sound(ruleset: Ruleset[Any, Any], puzzle: puzzling.Puzzle) -> None:
    assert puzzling.faults(ruleset, puzzle, Random(5).random) == []


@every_ruleset
def test_what_is_asked_and_what_follows_is_said(ruleset: Ruleset[Any, Any]) -> None:
    puzzle = first_of(ruleset)
    assert puzzling.question_of(ruleset, puzzle).strip(".?") != ""
    told = puzzling.judged(ruleset, puzzle, puzzle.solution.upper())
    assert told.right
    assert told.value >= puzzle.target
    assert told.words.endswith(".")
    assert told.moments[0].text == told.text
    assert told.moments[0].seat == puzzle.seat


@every_ruleset
def test_a_broken_puzzle_is_found_out(ruleset: Ruleset[Any, Any]) -> None:
    puzzle = first_of(ruleset)
    replace = msgspec.structs.replace
    random = Random(1).random
    assert puzzling.faults(ruleset, replace(puzzle, target=10**9), random)
    assert puzzling.faults(ruleset, replace(puzzle, variant="none"), random)
    assert puzzling.faults(ruleset, replace(puzzle, seat=1 - puzzle.seat), random)
    assert puzzling.faults(ruleset, replace(puzzle, solution="nonsense"), random)
    assert puzzling.faults(ruleset, replace(puzzle, state=msgspec.Raw(b"{}")), random)


@every_ruleset
def test_the_same_view_is_judged_alike_whatever_is_hidden(ruleset: Ruleset[Any, Any]) -> None:
    """What is kept is a guess; a judgement that looked at it would tell of another one."""
    for puzzle in collection_of(ruleset):
        audience: Audience = 1 if puzzle.seat else 0
        state = puzzling.state_of(ruleset, puzzle)
        view = ruleset.view(state, audience)
        decision = puzzling.decision_of(ruleset, puzzle)
        solves = puzzling.solver(ruleset)
        moves = [ruleset.sample(state, decision, Random(7).random) for _ in range(5)]
        moves.append(ruleset.parse(notation.tidy(puzzle.solution)))
        for seed in range(4):
            guess = ruleset.determinize(view, puzzle.seat, Random(seed).random)
            for move in moves:
                there = solves.brought(state, decision, move)
                assert solves.brought(guess, decision, move) == there


def test_what_is_hidden_is_in_no_puzzle() -> None:
    """The hand of the other player is not what it was: drawn anew each time one is made."""
    ruleset = REGISTRY.get("domino-wars")
    random = Random(11).random
    kept = set()
    positions = making._bot_game(ruleset, "standard", random)
    view: Mapping[str, Any] = {}
    for view, decision in positions:
        if view["phase"] == "play" and view["number"] >= 6 and decision.kind == "play":
            break
    for _ in range(8):
        kept.add(ruleset.encode(ruleset.determinize(view, decision.seat, random)))
    assert len(kept) > 1


@pytest.mark.parametrize("game", ["domino-black-white/standard", "peg-domain/final"])
def test_puzzles_are_made_of_games_between_bots(game: str) -> None:
    ruleset_id, _, variant = game.partition("/")
    ruleset = REGISTRY.get(ruleset_id)
    (puzzle,) = making.puzzles_of_bots(ruleset, variant, Random(4).random, count=1)
    assert puzzling.faults(ruleset, puzzle, Random(4).random) == []
    assert puzzle.source == "bots"


def test_a_right_answer_is_one_that_brings_enough() -> None:
    """Counted by hand, in each game, from the rules' own scores."""
    for ruleset in REGISTRY:
        if ruleset.id not in {"domain", "peg-domain"}:
            continue
        for puzzle in collection_of(ruleset):
            state = puzzling.state_of(ruleset, puzzle)
            before = ruleset.scores(state)
            told = puzzling.judged(ruleset, puzzle, puzzle.solution)
            after = told.moments[0].scores
            seat, other = puzzle.seat, 1 - puzzle.seat
            gain = (after[seat] - after[other]) - (before[seat] - before[other])
            assert gain == told.value


def test_no_shape_of_domain_is_asked_for_more_than_twice() -> None:
    """The largest circle is worth the same wherever it lies free: one meets it once."""
    ruleset = REGISTRY.get("domain")
    rows = collection_of(ruleset)
    shapes = [each.solution.split()[0] for each in rows]
    assert max(map(shapes.count, shapes)) <= 2
    assert len({each.target for each in rows}) == len(rows)


def test_domino_wars_asks_nothing_about_a_hand_that_is_known_not_to_fit() -> None:
    """The other player was stuck on this very board: no domino of theirs can be an answer."""
    ruleset = REGISTRY.get("domino-wars")
    puzzle = first_of(ruleset)
    view = ruleset.view(puzzling.state_of(ruleset, puzzle), 1 if puzzle.seat else 0)
    decision = puzzling.decision_of(ruleset, puzzle)
    solves = puzzling.solver(ruleset)
    assert solves.posed(view, decision) is not None
    stuck = {**view, "passed": [{"seat": 1 - puzzle.seat, "why": "board"}]}
    assert solves.posed(stuck, decision) is None


def test_a_bout_of_tetronogo_ends_as_it_was_counted() -> None:
    ruleset = REGISTRY.get("tetronogo")
    for puzzle in collection_of(ruleset):
        told = puzzling.judged(ruleset, puzzle, puzzle.solution)
        points = told.moments[-1].game["bouts"][-1]["points"]
        assert points[puzzle.seat] - points[1 - puzzle.seat] == told.value > 0


def test_points_that_are_sure_are_scored() -> None:
    ruleset = REGISTRY.get("domino-black-white")
    for puzzle in collection_of(ruleset):
        told = puzzling.judged(ruleset, puzzle, puzzle.solution)
        state = puzzling.state_of(ruleset, puzzle)
        seat = puzzle.seat
        assert told.moments[0].scores[seat] - ruleset.scores(state)[seat] >= told.value


def test_what_is_said_of_the_best_answer_is_what_is_shown() -> None:
    """In Domino Wars it may be one of a domino that the hand drawn for the puzzle lacks."""
    ruleset = REGISTRY.get("domino-wars")
    random = Random(3).random
    shown = 0
    for puzzle in collection_of(ruleset):
        state = puzzling.state_of(ruleset, puzzle)
        decision = puzzling.decision_of(ruleset, puzzle)
        moves = [ruleset.print(ruleset.sample(state, decision, random)) for _ in range(20)]
        for text in [puzzle.solution, *moves]:
            told = puzzling.judged(ruleset, puzzle, text)
            named = re.search(r"The best answer, with (\d\d) ", told.words)
            if named is None or told.moments[0].game["ask"] != "play":
                # Nothing changes the lead, or the seat is to choose before the other player's turn.
                assert len(told.moments) == 1
                continue
            play, answer = told.moments
            assert [event.kind for event in play.events if event.kind == "skip"] == []
            assert (answer.seat, answer.text[:2]) == (1 - puzzle.seat, named[1])
            scores = answer.scores
            assert scores[puzzle.seat] - scores[1 - puzzle.seat] == told.value
            shown += 1
    assert shown > 50


def test_what_the_other_player_is_given_looks_the_same_to_the_seat() -> None:
    """Whatever hand is drawn, and whichever domino they are to hold."""
    ruleset = REGISTRY.get("domino-wars")
    assert isinstance(ruleset, Supposes)
    supposed = 0
    for puzzle in collection_of(ruleset):
        audience: Audience = 1 if puzzle.seat else 0
        view = ruleset.view(puzzling.state_of(ruleset, puzzle), audience)
        decision = puzzling.decision_of(ruleset, puzzle)
        for seed in range(30):
            random = Random(seed).random
            guess = ruleset.determinize(view, puzzle.seat, random)
            move = ruleset.sample(guess, decision, random)
            line = puzzling.solver(ruleset).brought(guess, decision, move).line
            assert line or ruleset.supposed(guess, decision, line) is guess
            for answer in line:
                state = ruleset.supposed(guess, decision, line)
                assert ruleset.view(state, audience) == view
                theirs = ruleset.view(state, 0 if puzzle.seat else 1)["sides"][1 - puzzle.seat]
                assert ruleset.print(answer)[:2] in theirs["hand"]
                supposed += state is not guess
    assert supposed > 50


# -- on the site -----------------------------------------------------------------------------------


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def row(db: None) -> Puzzle:
    puzzles_load()
    return Puzzle.objects.filter(ruleset="domino-wars").earliest("pk")


def test_loading_twice_changes_nothing(row: Puzzle) -> None:
    assert Puzzle.objects.count() == len(EVERY)
    with nothing_changes():
        assert puzzles_load() == 0


def test_a_right_first_answer_raises_the_solver_and_lowers_the_puzzle(
    ada: User, row: Puzzle
) -> None:
    verdict = puzzle_answer(acting_user=ada, puzzle=row, text=row.solution)
    row.refresh_from_db()
    solver = PuzzleSolver.objects.get(user=ada)
    assert verdict.judgement.right
    assert verdict.counted
    assert verdict.change > 0
    assert solver.mu > 25 > row.mu
    assert solver.sigma < 25 / 3
    assert (row.attempts, row.solved, solver.answered, solver.solved) == (1, 1, 1, 1)
    assert PuzzleAnswer.objects.get().right


def test_a_wrong_one_does_the_contrary_and_only_the_first_counts(ada: User, row: Puzzle) -> None:
    verdict = puzzle_answer(acting_user=ada, puzzle=row, text=wrong_answer(row))
    assert not verdict.judgement.right
    assert verdict.change < 0
    row.refresh_from_db()
    assert row.mu > 25 > verdict.solver.mu
    with nothing_changes():
        again = puzzle_answer(acting_user=ada, puzzle=row, text=row.solution)
    assert again.judgement.right
    assert not again.counted
    assert again.change == 0
    assert PuzzleAnswer.objects.count() == 1


def test_the_solution_counts_as_wrong_before_an_answer_alone(ada: User, row: Puzzle) -> None:
    verdict = puzzle_show(acting_user=ada, puzzle=row)
    assert verdict.judgement.right
    assert verdict.change < 0
    answer = PuzzleAnswer.objects.get()
    assert (answer.text, answer.right) == ("", False)
    with nothing_changes():
        assert not puzzle_show(acting_user=ada, puzzle=row).counted


@pytest.mark.parametrize("text", ["", "nonsense", "concede", "99 A1:A2", "x" * 2001])
def test_what_is_no_answer_is_refused_and_counts_nothing(ada: User, row: Puzzle, text: str) -> None:
    with nothing_changes(), pytest.raises(Refusal) as refused:
        puzzle_answer(acting_user=ada, puzzle=row, text=text)
    assert refused.value.code.startswith("puzzle." if len(text) > 2000 else ("notation.", "play."))


def test_of_two_who_answer_at_once_one_counts(ada: User, row: Puzzle) -> None:
    PuzzleAnswer.objects.create(user=ada, puzzle=row, text="x", right=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        PuzzleAnswer.objects.create(user=ada, puzzle=row, text="y", right=True)


def test_the_next_one_goes_through_all_games(ada: User, row: Puzzle) -> None:
    met: list[str] = []
    last: list[int] = []
    for _ in range(5):
        following = reading.puzzle_next(ada, passed=last)
        assert following is not None
        met.append(following.ruleset)
        puzzle_show(acting_user=ada, puzzle=following)
        last = [following.pk]
    assert set(met) == {each.id for each in REGISTRY}


def test_the_next_one_of_a_game_and_the_end(ada: User, row: Puzzle) -> None:
    while (
        following := reading.puzzle_next(ada, ruleset="peg-domain", variant="final")
    ) is not None:
        assert (following.ruleset, following.variant) == ("peg-domain", "final")
        puzzle_show(acting_user=ada, puzzle=following)
    shelf = next(each for each in reading.shelves(ada) if each.variant == "final")
    assert shelf.answered == shelf.puzzles > 0


# -- the daily one ---------------------------------------------------------------------------------


def test_the_daily_one_is_the_same_all_day_and_another_on_others(row: Puzzle) -> None:
    Puzzle.objects.update(created_at=DAY - timedelta(days=9))
    days = [DAY.date() + timedelta(days=n) for n in range(20)]
    found = [reading.puzzle_daily(day) for day in days]
    assert found == [reading.puzzle_daily(day) for day in days]
    assert len({each.pk for each in found if each is not None}) > 10
    # One that comes during the day changes nothing of it.
    ruleset = REGISTRY.get("tetronogo")
    now = datetime.combine(days[0], DAY.time(), tzinfo=UTC)
    with time_machine.travel(now, tick=False):
        for target in range(2, 30):
            new = msgspec.structs.replace(first_of(ruleset), target=target)
            puzzles_add(ruleset=ruleset, puzzles=[new])
    assert reading.puzzle_daily(days[0]) == found[0]


def test_who_solves_it_day_by_day_has_a_streak(ada: User, row: Puzzle) -> None:
    Puzzle.objects.update(created_at=DAY - timedelta(days=9))
    for number, streak in ((0, 1), (1, 2), (2, 3), (4, 1)):
        day = DAY + timedelta(days=number)
        daily = reading.puzzle_daily(day.date())
        assert daily is not None
        PuzzleAnswer.objects.all().delete()
        with time_machine.travel(day, tick=False):
            solver = puzzle_answer(acting_user=ada, puzzle=daily, text=daily.solution).solver
            assert solver.streak == streak
            # Another one on the same day adds nothing.
            other = Puzzle.objects.exclude(pk=daily.pk).earliest("pk")
            assert (
                puzzle_answer(acting_user=ada, puzzle=other, text=other.solution).solver.streak
                == streak
            )
    solver.refresh_from_db()
    assert solver.best_streak == 3
    assert solver.streak_on(day.date() + timedelta(days=1)) == 1
    assert solver.streak_on(day.date() + timedelta(days=2)) == 0


# -- taking one away, and merging ------------------------------------------------------------------


def test_a_moderator_withdraws_one(ada: User, row: Puzzle) -> None:
    root = User.objects.create_superuser("root")
    with nothing_changes(), pytest.raises(Forbidden) as refused:
        puzzle_withdraw(acting_user=ada, puzzle=row, why="Wrong")
    assert refused.value.code == "puzzle.not-allowed"
    puzzle_withdraw(acting_user=root, puzzle=row, why="Wrong")
    assert AuditEntry.objects.filter(action="puzzle.withdraw").count() == 1
    with pytest.raises(NotFound) as gone:
        reading.puzzle_for(row.pk, ada)
    assert gone.value.code == "puzzle.none"
    with nothing_changes():
        with pytest.raises(Refusal) as again:
            puzzle_withdraw(acting_user=root, puzzle=row, why="Wrong")
        with pytest.raises(NotFound):
            puzzle_answer(acting_user=ada, puzzle=row, text=row.solution)
        assert puzzles_load() == 0
    assert again.value.code == "puzzle.withdrawn"


def test_answers_move_with_a_merge(ada: User, row: Puzzle) -> None:
    ben = User.objects.create_user("ben")
    other = Puzzle.objects.exclude(pk=row.pk).earliest("pk")
    puzzle_show(acting_user=ben, puzzle=row)
    puzzle_answer(acting_user=ben, puzzle=other, text=other.solution)
    puzzle_answer(acting_user=ada, puzzle=row, text=row.solution)
    assert solver_move(keep=ada, duplicate=ben) == 1
    assert PuzzleAnswer.objects.filter(user=ada, right=True).count() == 2
    assert not PuzzleSolver.objects.filter(user=ben).exists()
    assert not PuzzleAnswer.objects.filter(user=ben).exists()


@pytest.mark.parametrize(
    ("kept", "other", "together"),
    [
        ((3, 9), (1, 10), (4, 10)),  # a guest has gone on with it
        ((3, 9), (2, 9), (3, 9)),
        ((1, 10), (3, 9), (4, 10)),
        ((3, 5), (2, 10), (2, 10)),
        ((5, 10), (2, 4), (5, 10)),
        ((0, None), (2, 10), (2, 10)),
        ((2, 10), (0, None), (2, 10)),
    ],
)
def test_streaks_of_one_person_are_one(ada: User, kept: Any, other: Any, together: Any) -> None:
    ben = User.objects.create_user("ben")
    for user, (streak, day) in ((ada, kept), (ben, other)):
        last = None if day is None else date(2030, 1, day)
        PuzzleSolver.objects.create(
            user=user, streak=streak, best_streak=streak, last_daily=last, mu=30.0, sigma=5.0
        )
    solver_move(keep=ada, duplicate=ben)
    solver = PuzzleSolver.objects.get()
    assert (solver.streak, solver.last_daily) == (together[0], date(2030, 1, together[1]))
    assert solver.best_streak == max(kept[0], other[0], together[0])


def test_what_a_guest_has_answered_counts_for_an_account_that_has_a_rating(
    ada: User, row: Puzzle
) -> None:
    guest = guest_create()
    other = Puzzle.objects.exclude(pk=row.pk).earliest("pk")
    puzzle_answer(acting_user=ada, puzzle=row, text=row.solution)
    before = PuzzleSolver.objects.get(user=ada)
    puzzle_answer(acting_user=guest, puzzle=other, text=other.solution)
    puzzle_show(acting_user=guest, puzzle=row)
    solver_move(keep=ada, duplicate=guest)
    after = PuzzleSolver.objects.get()
    assert (after.answered, after.solved) == (2, 2)
    assert (after.mu, after.sigma) == (before.mu, before.sigma)


# -- the command -----------------------------------------------------------------------------------


def test_the_command_checks_and_loads(db: None) -> None:
    out = StringIO()
    call_command("puzzles", "check", stdout=out)
    assert f"{len(EVERY)} puzzles checked: all are sound." in out.getvalue()
    call_command("puzzles", "load", stdout=out)
    assert f"{len(EVERY)} puzzles added." in out.getvalue()
    call_command("puzzles", "load", verbosity=0, stdout=out)
    for wrong in (["make"], ["make", "chess/standard"], ["make", "tetronogo/none"]):
        with pytest.raises(CommandError):
            call_command("puzzles", *wrong, stdout=out)


def test_every_game_has_puzzles() -> None:
    assert [each.id for each in REGISTRY if solves_of(each) is None] == []
