"""The board after any turn, as the room saw it then."""

from __future__ import annotations

from games import store
from games.engine import records
from games.engine import table as tables
from games.engine.decisions import ROOM, seen_by
from games.engine.errors import Refusal
from games.engine.live import Live
from games.engine.views import match_view
from games.models import Match
from games.pictures import board_of, names_of


def still_of(match: Match, number: int) -> str:
    """The room's board after the entry of that number in the room's log, as an SVG document.

    Only what the room was told counts, so that the numbers of a match do not tell when a secret
    choice was made; and they stay what they were when everything is revealed at the end. Raises
    Refusal ``match.no-board`` where there is no such entry, or no board yet after it.
    """
    ruleset, header = store.header_of(match)
    told = 0
    table: tables.Table | None = None
    for step in records.replay(ruleset, header, store.entries_of(match.pk)):
        if seen_by(step.events, ROOM):
            told += 1
            if told == number:
                table = step.table
                break
    if table is None or table.state is None:
        raise Refusal("match.no-board", "There is no board after this.")
    view = match_view(ruleset, Live(table), ROOM, at=0)
    return board_of(ruleset, view, names_of(match))
