"""What leaves the server: a match as one audience may see it, built up from nothing."""

from __future__ import annotations

from typing import Any

from games.engine import limits
from games.engine.capabilities import Ruling, ruling_of
from games.engine.decisions import ALL, Audience, Outcome, Seat
from games.engine.draws import METHOD, Draws
from games.engine.live import Live
from games.engine.reasons import Reason
from games.engine.table import AnyRuleset


def match_view(ruleset: AnyRuleset, live: Live, audience: Audience, *, at: int) -> dict[str, Any]:
    """The match for ``audience`` at instant ``at``: plain JSON values, times in milliseconds.

    After the end every audience sees what ``"all"`` sees. A sealed answer changes nothing in
    anybody's view but its own seat's: for all others that decision is still open.
    """
    table = live.table
    if table.result is not None:
        audience = ALL
    view: dict[str, Any] = {
        "phase": "over" if table.result is not None else _phase(live),
        "paused": table.paused,
        "advantage": table.advantage,
        "decisions": [
            shown
            for seat in (0, 1)
            if (shown := _decision_view(ruleset, live, seat, audience, at)) is not None
        ],
        "reserve_ms": list(table.reserve_ms),
        "game": None if table.state is None else ruleset.view(table.state, audience),
        "result": None if table.result is None else _result_view(table.result),
    }
    if table.result is not None:
        view["scored"] = ruleset.tells_score(table.result.reason, table.result.scores)
    if table.result is not None and table.result.winner is not None:
        view["told"] = _reason_view(ruleset.reason(table.result.reason))
    if any(table.suspended):
        view["ruling"] = True
        view["rulings"] = {
            "valid": _ruling_view(ruling_of(ruleset, True)),
            "invalid": _ruling_view(ruling_of(ruleset, False)),
        }
    if live.waiting is not None:
        view["waiting"] = {"until": live.waiting.until, "ready": list(live.waiting.ready)}
        if live.waiting.opens_until is not None:
            view["waiting"]["opens_until"] = live.waiting.opens_until
        if live.waiting.certain:
            view["waiting"]["certain"] = True
        if live.waiting.gathers_until is not None:
            view["waiting"]["gathers_until"] = live.waiting.gathers_until
        if any(live.waiting.without):
            view["waiting"]["without"] = list(live.waiting.without)
    if live.draws is not None:
        view["draws"] = draws_view(live.draws)
    return view


def draws_view(draws: Draws) -> dict[str, Any]:
    """What everybody may know from the beginning of what draws are derived from: what the seed and
    the nonces hash to. The seed and the nonces are told by the record alone, after the end."""
    return {
        "method": METHOD,
        "commitment": draws.commitment,
        "nonces": [
            {"commitment": each.commitment or None, "opened": each.nonce != ""}
            for each in draws.nonces
        ],
    }


def _result_view(result: Outcome) -> dict[str, Any]:
    return {"winner": result.winner, "reason": result.reason, "scores": list(result.scores)}


def _reason_view(reason: Reason) -> dict[str, str]:
    """How the result reads, for everybody else and for each of the two players."""
    return {"room": reason.room, "winner": reason.winner, "loser": reason.loser}


def _ruling_view(ruling: Ruling) -> dict[str, str]:
    return {"title": ruling.title, "means": ruling.means}


def _phase(live: Live) -> str:
    if live.waiting is not None:
        return "waiting"
    return "lot" if live.table.state is None else "on"


def clocks_run(live: Live) -> bool:
    """Whether anybody is seen to lose time, as views have it."""
    return any(limits.shown(live.table, seat) is not None and _runs(live, seat) for seat in (0, 1))


def _runs(live: Live, seat: Seat) -> bool:
    watch = live.watches[seat]
    return watch is not None and watch.since is not None


def _decision_view(
    ruleset: AnyRuleset, live: Live, seat: Seat, audience: Audience, at: int
) -> dict[str, Any] | None:
    table = live.table
    slot = limits.shown(table, seat)
    if slot is None:
        return None
    policy = limits.policy_of(ruleset, table, slot.decision)
    watch = live.watches[seat]
    shown: dict[str, Any] = {
        "id": slot.decision.id,
        "seat": seat,
        "kind": slot.decision.kind,
        "prompt": slot.decision.prompt,
        "clock": {
            "turn_ms": policy.turn_ms + slot.extension_ms,
            "reserve": policy.uses_reserve,
            "interval_ms": policy.interval_ms,
            "reading_ms": 0 if watch is None else watch.reading(at),
            "running": _runs(live, seat),
        },
    }
    if policy.lingers:
        shown["clock"]["lingers"] = True
    if slot.decision.changeable:
        shown["changeable"] = True
    if audience == seat:
        move = next((held.move for held in table.sealed if held.decision.seat == seat), None)
        shown["sealed"] = None if move is None else ruleset.print(move)
    return shown
