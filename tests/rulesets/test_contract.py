"""What every ruleset owes the engine. A new ruleset is held to all of this by being registered.

The toy ruleset of the engine's tests goes through it as well, so that the tests are tested with
every feature that a ruleset can have.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, repeat
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine import notation, playouts, records
from games.engine.capabilities import ruled
from games.engine.chance import choose, evenly
from games.engine.clocks import ClockPolicy
from games.engine.course import MatchCourse
from games.engine.decisions import ALL, EVERYONE, Audience, Chance, Decision, Draw, Event, Seat
from games.engine.errors import EngineFault
from games.engine.play import LOT, draw_label, drawn, draws_due, opened
from games.engine.reasons import COMMON, Reason
from games.engine.ruleset import Options, Ruleset, Setup
from games.rulesets import REGISTRY
from tests.engine.drawn_play import DrawnGame
from tests.engine.playthroughs import playthroughs
from tests.support import depth
from tests.toy.rules import TOY

AnyRuleset = Ruleset[Any, Any]

RULESETS: list[AnyRuleset] = [TOY, *REGISTRY]
CODE = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*")
AUDIENCES: tuple[Audience, ...] = (*EVERYONE, ALL)
SVG = "{http://www.w3.org/2000/svg}"

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=[r.id for r in RULESETS])


def proper(refusal: Refusal) -> Refusal:
    """A refusal with a code for machines and a sentence for people."""
    assert CODE.fullmatch(refusal.code), refusal.code
    assert refusal.sentence.endswith("."), refusal.sentence
    assert refusal.sentence[0] == refusal.sentence[0].upper(), refusal.sentence
    assert "\n" not in refusal.sentence
    assert all(isinstance(square, str) for square in refusal.squares)
    return refusal


# -- random walks --------------------------------------------------------------------------------


class Step:
    """One step of a match played at random: what was open, what was chosen, what came of it."""

    def __init__(self, before: Any, chosen: Any, after: Any, chance: Chance | None = None) -> None:
        self.before, self.chosen, self.after, self.chance = before, chosen, after, chance


class Walk:
    """A whole match at random, with a timeout now and then."""

    def __init__(self, ruleset: AnyRuleset, seed: int) -> None:
        self.ruleset = ruleset
        random = self.random = Random(seed)
        self.options = ruleset.options_type()  # type: ignore[call-arg]
        self.setup = Setup(
            variant=ruleset.variants[seed % len(ruleset.variants)].id,
            options=self.options,
            advantage=seed % 2,
        )
        state = ruleset.initial(self.setup)
        self.steps: list[Step] = []
        while ruleset.outcome(state) is None:
            assert len(self.steps) < 20_000, "this match does not end"
            late = random.random() < 0.02
            state = self._step(state, late).after
        self.end = state

    def _step(self, state: Any, late: bool) -> Step:
        ruleset, random = self.ruleset, self.random.random
        due = ruleset.chance_due(state)
        if due:
            chance = ruleset.draw(state, choose(random, due), evenly(random))
            step = Step(state, (), ruleset.apply_chance(state, chance), chance)
        else:
            chosen = []
            for decision in self._together(state):
                move = self._timeout(state, decision) if late else None
                if move is None:
                    move = ruleset.sample(state, decision, random)
                    ruleset.validate(state, decision, move)
                    move = ruleset.canonical(state, decision, move)
                chosen.append((decision.seat, move))
            step = Step(state, tuple(chosen), ruleset.apply(state, tuple(chosen)))
        self.steps.append(step)
        return step

    def _together(self, state: Any) -> list[Decision]:
        """One decision at random, with all others behind the same barrier, by seat."""
        decisions = self.ruleset.decisions(state)
        first = choose(self.random.random, decisions)
        if first.barrier is None:
            return [first]
        return sorted(
            (each for each in decisions if each.barrier == first.barrier),
            key=lambda each: each.seat,
        )

    def _timeout(self, state: Any, decision: Decision) -> Any:
        answer = self.ruleset.on_timeout(state, decision)
        if isinstance(answer, Draw):
            chance = self.ruleset.draw(state, answer, evenly(self.random.random))
            return self.ruleset.drawn_move(state, chance)
        return answer

    @property
    def states(self) -> list[Any]:
        return [*(step.before for step in self.steps), self.end]


@cache
def walks(ruleset: AnyRuleset) -> list[Walk]:
    """A few matches of every variant, with either seat at an advantage."""
    return [Walk(ruleset, seed) for seed in range(4 * len(ruleset.variants))]


def positions(ruleset: AnyRuleset, most: int = 60) -> Iterator[tuple[Walk, Any]]:
    """Some states of the random matches, spread evenly; always the first and the last."""
    for walk in walks(ruleset):
        states = walk.states
        stride = max(1, len(states) * len(walks(ruleset)) // most)
        for state in (*states[:-1:stride], states[-1]):
            yield walk, state


def open_decisions(ruleset: AnyRuleset, most: int = 60) -> Iterator[tuple[Walk, Any, Decision]]:
    """Some states of the random matches with each decision that is open in them."""
    for walk, state in positions(ruleset, most):
        for decision in ruleset.decisions(state):
            yield walk, state, decision


@cache
def kinds(ruleset: AnyRuleset) -> dict[str, tuple[Any, Decision]]:
    """A state and a decision of every kind that the random matches came across."""
    met: dict[str, tuple[Any, Decision]] = {}
    for walk in walks(ruleset):
        for state in walk.states:
            for decision in ruleset.decisions(state):
                met.setdefault(decision.kind, (state, decision))
    return met


# -- what it says of itself ----------------------------------------------------------------------


@every_ruleset
def test_ids_and_names(ruleset: AnyRuleset) -> None:
    ids = [ruleset.id, *(v.id for v in ruleset.variants), *(i.id for i in ruleset.items)]
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", each) for each in ids), ids
    assert ruleset.variants
    assert len({variant.id for variant in ruleset.variants}) == len(ruleset.variants)
    assert len({item.id for item in ruleset.items}) == len(ruleset.items)
    for named in (ruleset, *ruleset.variants, *ruleset.items):
        assert named.name  # type: ignore[attr-defined]
    for text in (
        ruleset.summary,
        *(variant.summary for variant in ruleset.variants),
        *(item.text for item in ruleset.items),
    ):
        assert text.endswith(".")
    known = {variant.id for variant in ruleset.variants}
    assert all(set(item.variants) <= known for item in ruleset.items)


@every_ruleset
def test_every_way_to_end_has_words_for_all_who_read_of_it(ruleset: AnyRuleset) -> None:
    reasons = (*ruleset.reasons, *COMMON)
    assert len({reason.id for reason in reasons}) == len(reasons)
    for reason in reasons:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", reason.id)
        assert ruleset.reason(reason.id) == reason
        _proper_reason(reason)
    with pytest.raises(EngineFault):
        ruleset.reason("no-such-reason")


def _proper_reason(reason: Reason) -> None:
    for fragment in filter(None, (reason.how, reason.how_lost)):
        assert fragment[0].islower()
        assert not fragment.endswith(".")
    names = {"winner": "Ada", "loser": "Ben", "own": 5, "other": 3}
    for sentence, begins in (
        (reason.room, "Ada won"),
        (reason.winner, "You won"),
        (reason.loser, "You lost"),
    ):
        told = sentence.format_map(names)
        assert told.startswith(begins)
        assert told.endswith(".")


@every_ruleset
def test_unknown_variants_and_items_are_refused(ruleset: AnyRuleset) -> None:
    with pytest.raises(Refusal) as caught:
        ruleset.variant("no-such-variant")
    assert proper(caught.value).code == "setup.variant"
    with pytest.raises(Refusal) as caught:
        ruleset.item("no-such-item", ruleset.variants[0].id)
    assert proper(caught.value).code == "setup.item"


@every_ruleset
def test_options_have_defaults_and_every_time_is_one(ruleset: AnyRuleset) -> None:
    options = ruleset.options_type()  # type: ignore[call-arg]
    assert isinstance(options, Options)
    assert options.choice_time == 60
    assert options == ruleset.options_type()  # type: ignore[call-arg]
    policies = ruleset.policies(options)
    assert policies
    assert all(isinstance(policy, ClockPolicy) for policy in policies.values())
    # With every time doubled, every clock has twice as long: nothing is fixed in the code.
    doubled = ruleset.options_type(
        **{
            name: 2 * value if isinstance(value, float) else value
            for name, value in (
                (name, getattr(options, name)) for name in options.__struct_fields__
            )
        }
    )
    for name, policy in ruleset.policies(doubled).items():
        assert policy.turn_ms == 2 * policies[name].turn_ms
        assert policy.interval_ms == 2 * policies[name].interval_ms
        assert policy.uses_reserve == policies[name].uses_reserve


# -- the course of a match -----------------------------------------------------------------------


@every_ruleset
def test_at_most_one_decision_a_seat_and_always_a_way_on(ruleset: AnyRuleset) -> None:
    for walk in walks(ruleset):
        policies = ruleset.policies(walk.options)
        for state in walk.states[:-1]:
            decisions = ruleset.decisions(state)
            assert decisions or ruleset.chance_due(state)
            assert len({decision.seat for decision in decisions}) == len(decisions)
            for decision in decisions:
                assert decision.seat in (0, 1)
                assert decision.clock in policies
                assert decision.id
                assert decision.kind
                assert decision.prompt[0].isupper()


@every_ruleset
def test_a_decision_that_is_gone_never_comes_back(ruleset: AnyRuleset) -> None:
    """A clock goes by the id of its decision, so a new question must have a new id."""
    for walk in walks(ruleset):
        gone: set[tuple[int, str]] = set()
        earlier: set[tuple[int, str]] = set()
        for state in walk.states:
            now = {(decision.seat, decision.id) for decision in ruleset.decisions(state)}
            gone |= earlier - now
            assert not gone & now
            earlier = now


@every_ruleset
def test_an_ended_match_has_an_outcome_and_nothing_open(ruleset: AnyRuleset) -> None:
    for walk in walks(ruleset):
        outcome = ruleset.outcome(walk.end)
        assert outcome is not None
        assert outcome.winner in (0, 1)
        assert outcome.reason in {reason.id for reason in ruleset.reasons}
        assert outcome.scores == ruleset.scores(walk.end)
        assert ruleset.decisions(walk.end) == ()
        assert ruleset.chance_due(walk.end) == ()
        for state in walk.states:
            scores = ruleset.scores(state)
            assert isinstance(scores, tuple)
            assert [type(each) for each in scores] == [int, int]


@every_ruleset
def test_a_score_tells_something_once_somebody_has_scored(ruleset: AnyRuleset) -> None:
    """All begin level: nobody has scored before one of the two has more."""
    variants = set()
    for walk in walks(ruleset):
        scores = [ruleset.scores(state) for state in walk.states]
        assert not ruleset.has_scored(scores[0])
        first = next((number for number, (one, two) in enumerate(scores) if one != two), None)
        if first is not None:
            variants.add(walk.setup.variant)
            assert not any(map(ruleset.has_scored, scores[:first]))
            assert all(ruleset.has_scored(each) for each in scores if each[0] != each[1])
    assert variants == {variant.id for variant in ruleset.variants}


@every_ruleset
def test_a_match_begins_alike_for_either_advantage(ruleset: AnyRuleset) -> None:
    for variant in ruleset.variants:
        for advantage in (0, 1):
            setup = Setup(variant.id, ruleset.options_type(), advantage)  # type: ignore[call-arg]
            state = ruleset.initial(setup)
            assert ruleset.initial(setup) == state
            assert ruleset.outcome(state) is None
            assert ruleset.scores(state)
            assert isinstance(ruleset.reserve_epoch(state), int)


@every_ruleset
def test_the_public_playout_comes_to_an_end(ruleset: AnyRuleset) -> None:
    for seed in range(5):
        random = Random(seed).random
        setup = Setup(ruleset.variants[0].id, ruleset.options_type(), seed % 2)  # type: ignore[call-arg]
        state, steps = playouts.playout(ruleset, ruleset.initial(setup), random)
        assert ruleset.outcome(state) is not None
        assert 0 < steps < 20_000


@every_ruleset
def test_nothing_is_ruled_on_unless_it_is_asked_for(ruleset: AnyRuleset) -> None:
    for walk in walks(ruleset):
        state = walk.states[0]
        with pytest.raises(Refusal) as caught:
            ruled(ruleset, state, True)
        assert proper(caught.value).code == "organiser.nothing-to-rule"


# -- purity and storage --------------------------------------------------------------------------


@every_ruleset
def test_no_question_and_no_move_changes_a_state(ruleset: AnyRuleset) -> None:
    for walk in walks(ruleset):
        for step in walk.steps:
            before = ruleset.encode(step.before)
            if step.chance is not None:
                assert ruleset.apply_chance(step.before, step.chance) == step.after
            else:
                assert ruleset.apply(step.before, step.chosen) == step.after
            assert ruleset.encode(step.before) == before
    for _, state in positions(ruleset):
        before = ruleset.encode(state)
        for audience in AUDIENCES:
            assert ruleset.view(state, audience) == ruleset.view(state, audience)
        for decision in ruleset.decisions(state):
            ruleset.any_legal(state, decision)
            ruleset.on_timeout(state, decision)
        ruleset.evaluate(state, 0)
        assert ruleset.encode(state) == before


@every_ruleset
def test_a_view_can_be_changed_without_changing_the_state(ruleset: AnyRuleset) -> None:
    """A view shares nothing that can be written to with the state or with another view."""
    for _, state in positions(ruleset, 10):
        view = ruleset.view(state, 0)
        kept = json.dumps(view)
        _scribble(view)
        assert json.dumps(ruleset.view(state, 0)) == kept


def _scribble(value: Any) -> None:
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            _scribble(each)
    value.clear()


@every_ruleset
def test_a_state_survives_storage(ruleset: AnyRuleset) -> None:
    for _, state in positions(ruleset, 200):
        data = ruleset.encode(state)
        assert isinstance(data, bytes)
        json.loads(data)
        again = ruleset.decode(data)
        assert again == state
        assert ruleset.encode(again) == data
        assert ruleset.decisions(again) == ruleset.decisions(state)
        assert ruleset.outcome(again) == ruleset.outcome(state)
        assert ruleset.scores(again) == ruleset.scores(state)
        for audience in AUDIENCES:
            assert ruleset.view(again, audience) == ruleset.view(state, audience)


@every_ruleset
@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b"1", b'"x"', b"{", b"\xff"])
def test_what_is_no_state_is_a_fault(ruleset: AnyRuleset, data: bytes) -> None:
    with pytest.raises(EngineFault):
        ruleset.decode(data)


# -- time ----------------------------------------------------------------------------------------


@every_ruleset
def test_every_decision_has_an_answer_when_time_runs_out(ruleset: AnyRuleset) -> None:
    for walk, state, decision in open_decisions(ruleset):
        answer = ruleset.on_timeout(state, decision)
        if isinstance(answer, Draw):
            chance = ruleset.draw(state, answer, evenly(walk.random.random))
            assert chance.draw == answer
            assert ruleset.parse_chance(ruleset.print_chance(chance)) == chance
            ruleset.check_chance(state, chance)
            answer = ruleset.drawn_move(state, chance)
            ruleset.validate(state, decision, answer)
        if decision.barrier is None:
            after = ruleset.apply(state, ((decision.seat, answer),))
            assert (decision.seat, decision.id) not in {
                (each.seat, each.id) for each in ruleset.decisions(after)
            }, "a decision that ran out is over"
            for event in ruleset.events(state, ((decision.seat, answer),), after):
                _proper_event(event)
        else:
            # It is held back, and stored, like an answer that somebody gave.
            text = ruleset.print(answer)
            assert ruleset.parse(notation.tidy(text)) == answer


@every_ruleset
def test_the_reserve_is_filled_up_only_as_the_match_goes_on(ruleset: AnyRuleset) -> None:
    for walk in walks(ruleset):
        epochs = [ruleset.reserve_epoch(state) for state in walk.states]
        assert epochs == sorted(epochs)


# -- moves ---------------------------------------------------------------------------------------


@every_ruleset
def test_samples_are_legal_and_are_read_as_they_are_printed(ruleset: AnyRuleset) -> None:
    for walk, state, decision in open_decisions(ruleset, 300):
        move = ruleset.sample(state, decision, walk.random.random)
        ruleset.validate(state, decision, move)
        move = ruleset.canonical(state, decision, move)
        ruleset.validate(state, decision, move)
        assert ruleset.canonical(state, decision, move) == move
        text = ruleset.print(move)
        assert ruleset.parse(notation.tidy(text)) == move
        assert ruleset.print(ruleset.parse(notation.tidy(text))) == text
        messy = f" {text.swapcase().replace(' ', ' . ')}. "
        assert ruleset.parse(notation.tidy(messy)) == move


def extreme(number: float, seed: int) -> Callable[[], float]:
    """A source that begins with the same number several times. (Not for ever: drawing again until
    a draw fits is allowed.)"""
    return chain(repeat(number, 3), iter(Random(seed).random, None)).__next__


@every_ruleset
def test_a_sample_is_drawn_from_numbers_alone(ruleset: AnyRuleset) -> None:
    for _, state, decision in open_decisions(ruleset):
        for number in (0.0, 0.5, 1 - 2**-53):
            move = ruleset.sample(state, decision, extreme(number, 7))
            ruleset.validate(state, decision, move)
        once = [ruleset.sample(state, decision, Random(7).random) for _ in range(2)]
        assert once[0] == once[1]


@every_ruleset
def test_lists_of_moves_are_complete_fixed_and_without_doubles(ruleset: AnyRuleset) -> None:
    for walk, state, decision in open_decisions(ruleset, 40):
        if not ruleset.enumerable(decision):
            continue
        moves = list(ruleset.legal(state, decision))
        assert moves == list(ruleset.legal(state, decision))
        texts = [ruleset.print(ruleset.canonical(state, decision, move)) for move in moves]
        assert len(set(texts)) == len(texts)
        assert ruleset.any_legal(state, decision) == bool(moves)
        for move in moves:
            ruleset.validate(state, decision, move)
        for _ in range(5):
            sampled = ruleset.sample(state, decision, walk.random.random)
            assert ruleset.print(ruleset.canonical(state, decision, sampled)) in texts


@every_ruleset
def test_there_is_always_a_legal_move_to_answer_with(ruleset: AnyRuleset) -> None:
    for _, state, decision in open_decisions(ruleset):
        assert ruleset.any_legal(state, decision)


@every_ruleset
def test_an_answer_to_another_kind_of_question_is_refused(ruleset: AnyRuleset) -> None:
    met = kinds(ruleset)
    for kind, (state, decision) in met.items():
        for other_kind, (other_state, other_decision) in met.items():
            move = ruleset.sample(other_state, other_decision, Random(3).random)
            if kind == other_kind:
                continue
            try:
                ruleset.validate(state, decision, move)
            except Refusal as refusal:
                proper(refusal)
                continue
            # Some words answer several questions ("first"); then it must be a legal answer.
            if ruleset.enumerable(decision):
                text = ruleset.print(move)
                assert text in {ruleset.print(each) for each in ruleset.legal(state, decision)}


letters = string.ascii_letters + string.digits + " .>:,()+-?/@"
fuzz = settings(deadline=None, max_examples=depth.examples(150))


def _judge(ruleset: AnyRuleset, text: str) -> None:
    """A text is refused properly, or it is a move that every open question judges properly."""
    try:
        move = ruleset.parse(notation.tidy(text))
    except Refusal as refusal:
        proper(refusal)
        return
    assert ruleset.parse(notation.tidy(ruleset.print(move))) == move
    for state, decision in kinds(ruleset).values():
        try:
            ruleset.validate(state, decision, move)
        except Refusal as refusal:
            proper(refusal)
            continue
        canonical = ruleset.canonical(state, decision, move)
        if decision.barrier is None:
            ruleset.apply(state, ((decision.seat, canonical),))


@every_ruleset
@fuzz
@given(text=st.text(letters, max_size=40) | st.text(max_size=20))
def test_any_text_is_read_or_properly_refused(ruleset: AnyRuleset, text: str) -> None:
    _judge(ruleset, text)


@cache
def texts(ruleset: AnyRuleset) -> list[str]:
    """Texts of moves from the random matches, a few of every kind."""
    found: dict[str, list[str]] = {}
    for _, state, decision in open_decisions(ruleset):
        move = ruleset.sample(state, decision, Random(1).random)
        found.setdefault(decision.kind, []).append(ruleset.print(move))
    return [text for of_a_kind in found.values() for text in of_a_kind[:8]]


@every_ruleset
@fuzz
@given(data=st.data())
def test_a_text_with_a_slip_is_read_or_properly_refused(
    ruleset: AnyRuleset, data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from(texts(ruleset)))
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 3))
    slip = data.draw(st.text(letters, max_size=3))
    _judge(ruleset, text[:at] + slip + text[at + length :])


@every_ruleset
def test_words_of_the_referee_are_no_moves(ruleset: AnyRuleset) -> None:
    for text in ("concede", "take back", "pause", "void", "winner 0", "lot 1", "timeout"):
        with pytest.raises(Refusal) as caught:
            ruleset.parse(text)
        proper(caught.value)


# -- chance --------------------------------------------------------------------------------------


@every_ruleset
def test_chance_is_recorded_as_it_was_drawn(ruleset: AnyRuleset) -> None:
    for walk in walks(ruleset):
        for step in walk.steps:
            if step.chance is None:
                continue
            text = ruleset.print_chance(step.chance)
            assert ruleset.parse_chance(text) == step.chance
            read = ruleset.apply_chance(step.before, ruleset.parse_chance(text))
            assert read == step.after
            for event in ruleset.chance_events(step.before, step.chance, step.after):
                _proper_event(event)


@every_ruleset
@fuzz
@given(text=st.text(letters, max_size=40) | st.text(max_size=20))
def test_any_text_of_chance_is_read_or_properly_refused(ruleset: AnyRuleset, text: str) -> None:
    try:
        chance = ruleset.parse_chance(text)
    except Refusal as refusal:
        proper(refusal)
    else:
        assert ruleset.parse_chance(ruleset.print_chance(chance)) == chance


@cache
def drawn_games(ruleset: AnyRuleset) -> list[DrawnGame]:
    """Matches with items, timeouts and take-backs, as far as anything is drawn in them."""
    return [DrawnGame(ruleset, seed).play() for seed in range(12 * len(ruleset.variants))]


def standing_draws(game: DrawnGame) -> list[tuple[str, str]]:
    """The label and the outcome of each draw that no take-back has undone."""
    course = MatchCourse(game.ruleset, game.header, game.entries)
    table, found = opened(game.ruleset, game.header), []
    entries = [game.entries[index] for index in course.standing]
    for reckoned in records.replay(game.ruleset, game.header, entries):
        if reckoned.entry.actor == "chance":
            lot = table.advantage is None
            draw = LOT if lot else game.ruleset.parse_chance(reckoned.text).draw
            found.append((draw_label(game.ruleset, table, draw), reckoned.text))
        table = reckoned.table
    return found


@every_ruleset
def test_no_two_draws_of_a_match_have_one_label(ruleset: AnyRuleset) -> None:
    """Two draws of one label would come out of the same numbers."""
    met = set()
    for game in drawn_games(ruleset):
        labels = [label for label, _ in standing_draws(game)]
        assert len(set(labels)) == len(labels), labels
        assert all(label.isascii() and label.isprintable() for label in labels)
        met |= set(labels)
    assert "lot" in met


@every_ruleset
def test_a_draw_hangs_on_nothing_but_its_label_and_what_it_is_drawn_from(
    ruleset: AnyRuleset,
) -> None:
    """What is due together comes out the same in whatever order it is drawn."""
    for game in drawn_games(ruleset):
        for index, entry in enumerate(game.entries):
            if entry.actor != "chance" or entry.by:
                continue
            table = MatchCourse(ruleset, game.header, game.entries[:index]).table
            texts = [
                drawn(ruleset, table, draw, game.draws.numbers(draw_label(ruleset, table, draw)))
                for draw in reversed(draws_due(ruleset, table))
            ]
            assert entry.text in texts


def submit_all(game: DrawnGame, moves: list[tuple[Seat, str]]) -> list[str]:
    """What is drawn while these are submitted, one after the other."""
    length = len(game.entries)
    for seat, text in moves:
        game.submit(seat, text)
    return [entry.text for entry in game.entries[length:] if entry.actor == "chance"]


def some_moves(game: DrawnGame) -> list[tuple[Seat, str]]:
    """One for each seat whose decision is open."""
    table = game.live.table
    return [
        (slot.decision.seat, game.ruleset.print(move))
        for slot in table.open
        if slot is not None
        for move in [game.ruleset.sample(table.state, slot.decision, game.random.random)]
    ]


@every_ruleset
def test_what_is_drawn_once_more_after_a_take_back_is_the_same(ruleset: AnyRuleset) -> None:
    drawn_once, drawn_twice = 0, 0
    for number in range(24 * len(ruleset.variants)):
        game = DrawnGame(ruleset, number).play(number % 8)
        before = game.live.table
        moves = [] if before.result is not None else some_moves(game)
        first = submit_all(game, moves)
        if not first or game.live.table.result is not None:
            continue
        drawn_once += 1
        for seat, _ in reversed(moves):
            game.organise(f"take back {seat}")
        if (game.live.table.state, game.live.table.sealed) == (before.state, before.sealed):
            drawn_twice += 1
            assert submit_all(game, moves) == first
    assert bool(drawn_twice) == bool(drawn_once)


@every_ruleset
def test_draws_need_nothing_but_numbers(ruleset: AnyRuleset) -> None:
    for _, state, decision in open_decisions(ruleset):
        answer = ruleset.on_timeout(state, decision)
        if isinstance(answer, Draw):
            for number in (0.0, 1 - 2**-53):
                chance = ruleset.draw(state, answer, evenly(extreme(number, 7)))
                ruleset.check_chance(state, chance)


# -- what people see -----------------------------------------------------------------------------


def _proper_event(event: Event) -> None:
    assert event.kind
    assert event.text
    assert set(event.seen_by) <= set(EVERYONE)
    for text in (event.text, event.public_text):
        if text is None:
            continue
        if event.seat is None or event.kind == "organiser":
            assert text[0].isupper(), text
            assert text.endswith("."), text
        else:
            # It is read after the player's name.
            assert not text.endswith("."), text
    for data in (event.data, event.public_data):
        assert json.loads(json.dumps(data, allow_nan=False)) == data
    for audience in AUDIENCES:
        seen = event.seen_as(audience)
        assert seen is None or seen.text in (event.text, event.public_text)


@every_ruleset
def test_the_log_has_something_to_say_of_every_move(ruleset: AnyRuleset) -> None:
    for walk in walks(ruleset):
        for step in walk.steps:
            if step.chance is not None:
                continue
            events = ruleset.events(step.before, step.chosen, step.after)
            for event in events:
                _proper_event(event)
            notes = ruleset.step_notes(events)
            assert json.loads(json.dumps(notes, allow_nan=False)) == notes
            assert not set(notes) & {"scores", "to_move", "reserve"}
            assert set(notes) == set(ruleset.step_notes(()))


@pytest.mark.parametrize("path", playthroughs(), ids=lambda path: path.name)
def test_the_log_of_a_whole_match_reads_well(path: Path) -> None:
    """The playthroughs hold what happens too seldom at random."""
    ruleset, header = records.header_of(REGISTRY, record := records.read(path.read_bytes()))
    entries = [records.entry_of(move) for move in record.moves]
    for step in records.replay(ruleset, header, entries):
        for event in step.events:
            _proper_event(event)


@every_ruleset
def test_views_are_plain_json(ruleset: AnyRuleset) -> None:
    for _, state in positions(ruleset, 200):
        for audience in AUDIENCES:
            view = ruleset.view(state, audience)
            # Equality is not enough: a tuple would come back as a list, a key as a text.
            assert _plain(view)
            assert json.loads(json.dumps(view, allow_nan=False)) == view
            assert isinstance(view["phase"], str)


def _plain(value: Any) -> bool:
    if type(value) is dict:
        return all(type(key) is str and _plain(each) for key, each in value.items())
    if type(value) is list:
        return all(_plain(each) for each in value)
    return value is None or type(value) in (str, int, bool)


@every_ruleset
def test_the_room_sees_nothing_that_a_player_does_not(ruleset: AnyRuleset) -> None:
    """The room's view shows unknown what either seat does not know: seen from the room, two
    states that look alike to a seat look alike."""
    for walk, state in positions(ruleset, 30):
        if ruleset.outcome(state) is not None:
            continue
        for seat in (0, 1):
            twin = ruleset.determinize(ruleset.view(state, seat), seat, walk.random.random)
            assert ruleset.view(twin, "room") == ruleset.view(state, "room")


@every_ruleset
def test_a_determinized_state_looks_the_same_to_its_seat(ruleset: AnyRuleset) -> None:
    for walk, state in positions(ruleset):
        if ruleset.outcome(state) is not None:
            continue
        for seat in (0, 1):
            view = ruleset.view(state, seat)
            sent = json.loads(json.dumps(view))
            twin = ruleset.determinize(sent, seat, walk.random.random)
            assert ruleset.view(twin, seat) == view
            assert sent == view
            assert ruleset.decisions(twin) == ruleset.decisions(state)
            assert ruleset.scores(twin) == ruleset.scores(state)
            assert ruleset.decode(ruleset.encode(twin)) == twin


@every_ruleset
def test_a_determinized_state_can_be_played_on(ruleset: AnyRuleset) -> None:
    for walk, state in positions(ruleset, 12):
        if ruleset.outcome(state) is not None:
            continue
        twin = ruleset.determinize(ruleset.view(state, 1), 1, walk.random.random)
        end, _ = playouts.playout(ruleset, twin, walk.random.random)
        assert ruleset.outcome(end) is not None


@every_ruleset
def test_estimates_lie_between_lost_and_won(ruleset: AnyRuleset) -> None:
    for _, state in positions(ruleset):
        outcome = ruleset.outcome(state)
        for seat in (0, 1):
            estimate = ruleset.evaluate(state, seat)
            assert -1 <= estimate <= 1
            if outcome is not None:
                assert estimate == (1 if outcome.winner == seat else -1)


# -- pictures ------------------------------------------------------------------------------------


@every_ruleset
def test_pictures_are_self_contained(ruleset: AnyRuleset) -> None:
    for _, state in positions(ruleset, 24):
        for audience in AUDIENCES:
            picture = ruleset.picture(ruleset.view(state, audience), ("Ada & Co", "Ben"))
            assert not re.search(r"\bseat [01]\b", picture, re.IGNORECASE), "players have names"
            assert "<!" not in picture.replace("<!--", ""), "no document type, no entities"
            root = ET.fromstring(picture)  # noqa: S314 - our own, and without a document type
            assert root.tag == f"{SVG}svg"
            assert {"width", "height", "viewBox"} <= set(root.attrib)
            assert len(root.attrib["viewBox"].split()) == 4
            texts = {name: root.findtext(f"{SVG}{name}") for name in ("title", "desc")}
            assert all(texts.values()), texts
            for element in root.iter():
                _harmless(element)


def _harmless(element: ET.Element) -> None:
    assert element.tag.startswith(SVG), element.tag
    name = element.tag.removeprefix(SVG)
    assert name not in {"script", "foreignObject", "image", "a", "iframe", "animate", "set"}, name
    for key, value in element.attrib.items():
        assert not key.lower().startswith("on"), key
        if key.rpartition("}")[2] == "href":
            assert value.startswith("#"), value
        assert "javascript:" not in value.lower()
        for target in re.findall(r"url\(\s*['\"]?([^)]*)", value):
            assert target.startswith("#"), value
    if name == "style":
        text = element.text or ""
        assert "@import" not in text
        assert "http" not in text
        for target in re.findall(r"url\(\s*['\"]?([^)]*)", text):
            assert target.startswith("#"), text


@every_ruleset
def test_pictures_are_made_of_views_that_were_sent(ruleset: AnyRuleset) -> None:
    for _, state in positions(ruleset, 6):
        view = ruleset.view(state, "room")
        assert ruleset.picture(json.loads(json.dumps(view))) == ruleset.picture(view)
