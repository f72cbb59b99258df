"""What of a finished match is looked at again: its positions, the answers that were given in it,
and by how much a better one was missed.

Two things are judged, and never mixed. A position is judged as it truly was, hidden things included
(`position_weighed`): that is the graph. An answer is judged by what its seat could know then
(`answer_judged`): beside what the strong bot answers from the same view, both by the same guesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from typing import Any, Final

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.capabilities import disputes_of, thinks_of
from games.engine.chance import RandomSource
from games.engine.course import MatchCourse
from games.engine.decisions import Decision, Seat
from games.engine.errors import EngineFault
from games.engine.play import is_concession, opened
from games.engine.records import replay
from games.engine.search import always
from games.engine.table import AnyRuleset, Entry, Header, Step, Table
from games.engine.weighing import Worth, led_by, prospects, tried, worth_of

METHOD: Final = 2
"""The number of this way of weighing and judging. Whoever changes what the figures mean raises it:
what was found by another one is not shown beside them, but found anew."""
TOLD: Final = 8
"""How many swings are told at most, and how many mistakes."""
PERHAPS: Final = 3
"""How many of each are told where none is certain."""
LEAST: Final = 0.15
"""How large those must be at least: less is nothing to look at."""


class Position(msgspec.Struct, frozen=True):
    """A position of a match: after how many of its entries, and the table then."""

    at: int
    table: Table


class Answer(msgspec.Struct, frozen=True):
    """An answer that stands: the number of its entry (the first is 1), the position in which it was
    asked for (as of `Position.at`), and in which state a seat gave which answer to what."""

    move: int
    at: int
    state: Any
    decision: Decision
    text: str


class Studied(msgspec.Struct, frozen=True):
    """What of a match is studied, each in the order of the match."""

    positions: tuple[Position, ...]
    answers: tuple[Answer, ...]


class Judgement(msgspec.Struct, frozen=True):
    """An answer beside that of the strong bot: both as texts, what the seat could expect of each as
    far as it could know, and by how much the bot's is better, from -1 to 1."""

    seat: Seat
    at: int
    played: str
    best: str
    played_worth: Worth
    best_worth: Worth
    lost: Worth


class Swing(msgspec.Struct, frozen=True):
    """A change of the graph: the entry after which it stood otherwise, the position before that (as
    of `Position.at`), what seat 0 could expect before and after, and whether it is all but certain
    that it changed at all."""

    move: int
    at: int
    before: float
    after: float
    sure: bool


def tables_of(ruleset: AnyRuleset, header: Header, entries: Sequence[Entry]) -> list[Table]:
    """The table before the first entry, and after each: that of step N of a replay is number N."""
    tables = [opened(ruleset, header)]
    tables += [each.table for each in replay(ruleset, header, entries)]
    return tables


def studied(ruleset: AnyRuleset, header: Header, entries: Sequence[Entry]) -> Studied:
    """What of a match is studied. What was taken back is not, nor is an answer where there was but
    one, nor that the time ran out, nor a position that waits for a ruling."""
    tables = tables_of(ruleset, header, entries)
    disputes = disputes_of(ruleset)
    positions: list[Position] = []
    if tables[0].state is not None:
        positions.append(Position(0, tables[0]))
    answers: dict[int, Answer] = {}
    held: dict[Seat, int] = {}  # the entry of each answer that waits behind a barrier
    for index in MatchCourse(ruleset, header, entries).standing:
        entry, before, after = entries[index], tables[index], tables[index + 1]
        if entry.is_submission and positions and not is_concession(entry.text):
            seat = 1 if entry.actor else 0
            slot = before.open[seat]
            if slot is None:
                raise EngineFault("an answer stands that nobody asked for")
            if before.holds_back(seat):
                answers.pop(held.pop(seat, 0), None)  # changed for this one
            if after.holds_back(seat):
                held[seat] = index + 1
            if _is_choice(ruleset, before.state, slot.decision):
                at = positions[-1].at
                answers[index + 1] = Answer(index + 1, at, before.state, slot.decision, entry.text)
        if disputes is not None and after.state is not None and disputes.in_dispute(after.state):
            continue  # it waits for a ruling, by which it may have been otherwise all along
        if after.state is not None and (not positions or _differ(positions[-1].table, after)):
            positions.append(Position(index + 1, after))
    return Studied(tuple(positions), tuple(answers.values()))


def _differ(before: Table, after: Table) -> bool:
    return bool(before.state != after.state) or before.result != after.result


def _is_choice(ruleset: AnyRuleset, state: Any, decision: Decision) -> bool:
    if not ruleset.enumerable(decision):
        return True
    return len(list(islice(ruleset.legal(state, decision), 2))) > 1


def position_weighed(
    ruleset: AnyRuleset,
    position: Position,
    random: RandomSource,
    *,
    tries: int,
    may_think: Callable[[], bool] = always,
    may_go_on: Callable[[], bool] = always,
) -> Worth:
    """What seat 0 can expect of a position, as it truly is; what it got, where the match is over,
    however that came about. ``may_think`` is the strong bot's; ``may_go_on`` is asked between
    tries, once it has answered."""
    result = position.table.result
    if result is None:
        return prospects(
            ruleset,
            position.table.state,
            0,
            random,
            tries=tries,
            may_think=may_think,
            may_go_on=may_go_on,
        )
    share = 0.5 if result.winner is None else 1.0 - result.winner
    return Worth(share, share, share, 0)


def answer_judged(
    ruleset: AnyRuleset,
    answer: Answer,
    random: RandomSource,
    *,
    tries: int,
    may_think: Callable[[], bool] = always,
    may_go_on: Callable[[], bool] = always,
) -> Judgement:
    """An answer beside what the strong bot gives, which goes by the view of the seat and nothing
    else. ``may_think`` is the bot's; ``may_go_on`` is asked between tries, once it has answered."""
    thinks = thinks_of(ruleset)
    if thinks is None:
        raise EngineFault(f"no bots play {ruleset.id}")
    decision, state = answer.decision, answer.state
    seat = decision.seat
    view = ruleset.view(state, 1 if seat else 0)
    best = thinks.decide(view, decision, "strong", random, may_think)
    played = ruleset.canonical(state, decision, ruleset.parse(notation.tidy(answer.text)))
    played_text, best_text = ruleset.print(played), ruleset.print(best)
    moves = [best] if played_text == best_text else [best, played]
    found = tried(ruleset, view, decision, moves, random, tries=tries, may_go_on=may_go_on)
    lost = Worth(0.0, 0.0, 0.0, 0) if len(moves) == 1 else led_by(found[0], found[1])
    return Judgement(
        seat=seat,
        at=answer.at,
        played=played_text,
        best=best_text,
        played_worth=worth_of(found[-1]),
        best_worth=worth_of(found[0]),
        lost=lost,
    )


def swings_of(positions: Sequence[tuple[int, Worth]]) -> list[Swing]:
    """Where the graph changed most from one position to the next, the biggest change first: where
    it is all but certain that it did, or, where it is so nowhere, the few largest that there seem
    to be. ``positions`` are those weighed so far, in order."""
    found = [
        Swing(
            move=move,
            at=at,
            before=before.share,
            after=after.share,
            sure=after.low > before.high or after.high < before.low,
        )
        for (at, before), (move, after) in pairwise(positions)
    ]
    found.sort(key=lambda each: (-abs(each.after - each.before), each.move))
    sure = [each for each in found if each.sure][:TOLD]
    return sure or [each for each in found if abs(each.after - each.before) >= LEAST][:PERHAPS]


def mistakes_of(judgements: Iterable[tuple[int, Judgement]]) -> list[int]:
    """The moves with which most was missed, the worst one first: where it is all but certain that
    anything was, or, where it is so nowhere, the few with which most seems to have been."""
    missed = sorted(
        ((each.lost, move) for move, each in judgements), key=lambda each: (-each[0].share, each[1])
    )
    sure = [move for lost, move in missed if lost.low > 0][:TOLD]
    return sure or [move for lost, move in missed if lost.share >= LEAST][:PERHAPS]


def step_at(ruleset: AnyRuleset, header: Header, entries: Sequence[Entry], at: int) -> Step:
    """The table after so many entries, and what happened with the last of them. Raises Refusal
    ``study.position`` where there is none, or nothing had begun."""
    if not 0 <= at <= len(entries):
        raise Refusal("study.position", "The match has no such position.")
    step = Step(opened(ruleset, header), (), "")
    for each in replay(ruleset, header, entries[:at]):
        step = Step(each.table, tuple(each.events), each.entry.text)
    if step.table.state is None:
        raise Refusal("study.position", "Nothing had begun then.")
    return step
