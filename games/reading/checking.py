"""Whether matches are what their entries make of them: each is refereed once more, from its first
entry on, and compared with its row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db import connection, transaction

from games import store
from games.engine import draws as derived
from games.engine import live as lives
from games.engine import play, records, saving
from games.engine.draws import Draws, Nonce
from games.engine.table import Table
from games.models import Match, MatchDraws, MatchEntry
from games.reading.records import record_bytes
from games.rulesets import REGISTRY
from games.store import Held

_AT_ONCE = 500  # numbers of matches


class Checked(NamedTuple):
    """What came of one match: its number, whether it is over, and what does not agree, a sentence
    each; empty if all does."""

    match_id: int
    over: bool
    faults: tuple[str, ...]


def matches_check() -> Iterator[Checked]:
    """Check every match, one after the other, each as it stood at one moment: while others play,
    too."""
    last = 0
    while True:
        numbers = list(
            Match.objects.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
        )
        if not numbers:
            return
        for number in numbers:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield match_check(number)
        last = numbers[-1]


def match_check(match_id: int) -> Checked:
    """Check one match. Whatever is in its row, there is an answer."""
    match = Match.objects.get(pk=match_id)
    try:
        faults = tuple(_faults(match))
    except Exception as error:  # noqa: BLE001 - one match must not silence all others
        faults = (f"It cannot be read: {type(error).__name__}: {error}",)
    return Checked(match_id, match.is_over, faults)


def _faults(match: Match) -> Iterator[str]:
    held = store.held_of(match)
    numbers = list(
        MatchEntry.objects.filter(match=match).order_by("seq").values_list("seq", flat=True)
    )
    if numbers != list(range(1, match.seq + 1)):
        yield f"Its entries are not those from 1 to {match.seq}."
    yield from _row_faults(match, held)
    yield from _draws_faults(match, held)
    if held.live.waiting is not None:
        if store.entries_of(match.pk):
            yield "It waits for its players, and there are entries."
        return
    try:
        table = _folded(match, held)
    except records.CannotStand as error:
        yield f"Entry {error.index + 1} of its record cannot stand: {error.refusal}"
        return
    if saving.encode_table(held.ruleset, table) != saving.encode_table(
        held.ruleset, held.live.table
    ):
        yield "Its entries lead to another position than the one that is kept."
    if match.is_over:
        verdict = records.check(REGISTRY, record_bytes(match))
        said = (match.winner, match.reason, match.scores)
        if not verdict["ok"]:
            yield f"The checker refuses its record: {verdict['error']}"
        elif (verdict["winner"], verdict["reason"], verdict["scores"]) != said:
            yield f"Its row states {said}, and its record comes to {verdict}."


def _folded(match: Match, held: Held) -> Table:
    ruleset, header = store.header_of(match)
    table = play.opened(ruleset, header)
    for step in records.replay(ruleset, header, store.entries_of(match.pk)):
        table = step.table
    return table


def _draws_faults(match: Match, held: Held) -> Iterator[str]:
    """What the row of its draws says otherwise than the position that is kept."""
    row = MatchDraws.objects.filter(match=match).first()
    if row is None:
        if held.live.draws is not None:
            yield "There is no row of what its draws are derived from."
        return
    if held.live.draws is None:
        yield "Its seed is lost to its position: a process of an earlier release went on with it."
        return
    one, two = Nonce(row.commitment_0, row.nonce_0), Nonce(row.commitment_1, row.nonce_1)
    draws = Draws(row.seed, (one, two))
    if draws != held.live.draws:
        yield "Its draws are derived from something else than their row says."
    yield from derived.faults(draws)
    if draws.commitment != row.commitment:
        yield "The seed of its draws is not what was committed to."


def _row_faults(match: Match, held: Held) -> Iterator[str]:
    """What the columns say otherwise than the position that is kept beside them."""
    live, result = held.live, held.live.table.result
    waits = None if live.waiting is None else live.waiting.until
    said = {
        "is_over": (match.is_over, result is not None),
        "winner": (match.winner, None if result is None else result.winner),
        "reason": (match.reason, "" if result is None else result.reason),
        "scores": (match.scores, [] if result is None else list(result.scores)),
        "paused": (match.paused, live.table.paused),
        "awaits_ruling": (match.awaits_ruling, store.awaits_ruling(held.ruleset, live)),
        "to_move": (match.to_move, store.to_move(live)),
        "deadline_at": (match.deadline_at, lives.next_deadline(held.ruleset, live)),
        "waits_until": (match.waits_until if waits or not match.is_over else None, waits),
    }
    for name, (row, position) in said.items():
        if row != position:
            yield f"Its {name} is {row}, and by the position it would be {position}."
