"""Lessons at a table: the view of a step's position, and what an answer to it comes to.

An answer goes the way that it would go in a match (`games.engine.play`), only that no time passes.
What the goal of the step is judged by are the states before and after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from core.refusals import NotFound
from games.engine import play
from games.engine.capabilities import Teaches, teaches_of
from games.engine.clocks import to_ms
from games.engine.decisions import Audience, Event, SeenEvent, other, seen_by
from games.engine.lessons import LEARNER, LessonStep
from games.engine.live import Live
from games.engine.notation import tidy
from games.engine.progress import moved_on
from games.engine.table import AnyRuleset, Header, Table
from games.engine.views import match_view

_AUDIENCE: Audience = 0  # the learner


class Judged(msgspec.Struct, frozen=True):
    """What an answer came to: whether it is what was asked for, a sentence on that, its canonical
    text, the events as the learner reads them, and the view after it."""

    reached: bool
    sentence: str
    text: str
    events: tuple[SeenEvent, ...]
    view: dict[str, Any]


def teacher(ruleset: AnyRuleset, variant_id: str) -> Teaches:
    """The ruleset as one of which that variant can be learned. Raises NotFound ``lesson.none``."""
    teaches = teaches_of(ruleset)
    if teaches is None or variant_id not in {variant.id for variant in ruleset.variants}:
        raise NotFound("lesson.none", f"{ruleset.name} has no such lesson.")
    return teaches


def steps_of(ruleset: AnyRuleset, variant_id: str) -> Sequence[LessonStep]:
    """The lesson for a variant. Raises NotFound ``lesson.none``."""
    return teacher(ruleset, variant_id).lesson(variant_id)


def step_of(ruleset: AnyRuleset, variant_id: str, number: int) -> LessonStep:
    """A step, counted from 1. Raises NotFound ``lesson.none``, ``lesson.step``."""
    steps = steps_of(ruleset, variant_id)
    if not 1 <= number <= len(steps):
        raise NotFound("lesson.step", f"This lesson has the steps 1 to {len(steps)}.")
    return steps[number - 1]


def table_of(ruleset: AnyRuleset, variant_id: str, state: Any) -> Table:
    """The table at which a step is taken, by the usual options, before any time has passed."""
    options = ruleset.options_type()  # type: ignore[call-arg]
    full = to_ms(options.reserve)
    table = Table(
        header=Header(ruleset=ruleset.id, variant=variant_id, options=options, advantage=LEARNER),
        advantage=LEARNER,
        reserve_ms=(full, full),
        epoch=ruleset.reserve_epoch(state),
    )
    return moved_on(ruleset, table, state)


def view_of(ruleset: AnyRuleset, table: Table) -> dict[str, Any]:
    """What the learner sees: a match view, whose clocks stand."""
    return match_view(ruleset, Live(table), _AUDIENCE, at=0)


def judged(ruleset: AnyRuleset, variant_id: str, step: LessonStep, text: str) -> Judged:
    """What the learner's answer comes to. Nothing is kept, so it may be given as often as one
    likes. Raises Refusal as `games.engine.play.submitted` for one that the rules do not allow."""
    before = table_of(ruleset, variant_id, step.state)
    answered = play.submitted(ruleset, before, seat=LEARNER, text=text, reading_ms=0)
    table, events = answered.table, answered.events
    if step.reply is not None and table.holds_back(LEARNER):
        # Only when both have answered is anything settled.
        reply = play.submitted(ruleset, table, seat=other(LEARNER), text=step.reply, reading_ms=0)
        table, events = reply.table, (*events, *reply.events)
    move = ruleset.parse(tidy(answered.text))
    missing = step.goal(step.state, move, table.state)
    return Judged(
        reached=missing is None,
        sentence=step.reached if missing is None else missing,
        text=answered.text,
        events=_as_read(events),
        view=view_of(ruleset, table),
    )


def _as_read(events: Sequence[Event]) -> tuple[SeenEvent, ...]:
    return tuple(seen_by(events, _AUDIENCE))
