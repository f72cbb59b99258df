"""What pages and programs are told of an answer."""

from __future__ import annotations

from typing import Any

from games.puzzles import reading
from games.puzzles.services import Verdict


def verdict_of(verdict: Verdict) -> dict[str, Any]:
    """What became of an answer, for scripts and programs."""
    solver, row = verdict.solver, verdict.puzzle
    return {
        **reading.told(verdict.judgement),
        "counted": verdict.counted,
        "puzzle": {
            "rating": row.strength.estimate,
            "attempts": row.attempts,
            "solved": row.solved,
        },
        "you": {
            "rating": solver.strength.estimate,
            "change": verdict.change,
            "answered": solver.answered,
            "solved": solver.solved,
            "streak": solver.streak_on(reading.today()),
        },
    }
