"""The board after any turn, as the room saw it then."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import msgspec

from core.refusals import Refusal
from games import store
from games.engine import records
from games.engine.course import MatchCourse
from games.engine.decisions import ROOM, Event, seen_by
from games.engine.live import Live
from games.engine.views import match_view
from games.models import Match, MatchEntry
from games.pictures.boards import board_of, names_of


def diagram_of(match: Match, number: int) -> str:
    """The room's board after the entry of that number in the room's log, as an SVG document; before
    the first, with 0.

    Only what the room was told counts, so that the numbers of a match do not tell when a secret
    choice was made; and they stay what they were when everything is revealed at the end. Raises
    Refusal ``match.no-board`` where there is no such entry, or no board yet after it.
    """
    return diagrams_of(match, [number])[0]


def diagrams_of(match: Match, numbers: Sequence[int]) -> list[str]:
    """The same after each of these entries, which ascend: the match is replayed once for all of
    them. Raises Refusal ``match.no-board`` where one of them has none."""
    ruleset, header = store.header_of(match)
    reached = reached_after(match.pk)
    if numbers[-1] >= len(reached):
        raise Refusal("match.no-board", "There is no board after this.")
    steps = records.replay(ruleset, header, store.entries_of(match.pk))
    table, played = MatchCourse(ruleset, header).table, 0
    drawn = []
    for until in (reached[number] for number in numbers):
        for step in islice(steps, until - played):
            table = step.table
        played = until
        if table.state is None:
            raise Refusal("match.no-board", "There is no board after this.")
        view = match_view(ruleset, Live(table), ROOM, at=0)
        drawn.append(board_of(ruleset, view, names_of(match)))
    return drawn


def reached_after(match_id: int) -> list[int]:
    """By the length of the room's log, after how many of the record's entries it had that length;
    for an empty log, how many there were before anything was told."""
    rows = MatchEntry.objects.filter(match=match_id).order_by("seq").values_list("actor", "events")
    reached, played = [0], 0
    for actor, events in rows:
        # What the room was told, which is not always what a replay of the entry would tell.
        seen = seen_by(msgspec.convert(events, list[Event]), ROOM)
        played += actor != MatchEntry.Actor.SERVICE
        if seen:
            reached.append(played)
        elif len(reached) == 1:
            reached[0] = played
    return reached
