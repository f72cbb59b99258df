"""How matches and seasons read in Discord.

Of a match it is what its reader's view holds (`games.reading.readers`), and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from accounts.models import User
from core.discord.client import File
from core.discord.text import cut, escaped, moment
from games.engine.decisions import Seat
from games.models import Match
from games.options.pace import spoken
from games.pictures.boards import board_of, png_of
from games.reading.matches import match_for
from games.reading.readers import reader_in
from games.reading.records import record_bytes
from games.words import LOOKED_IN, game_name, result_text, ruleset_named
from tournaments.discord.interactions import DESCRIPTION_MOST, Component, button, link
from tournaments.lifecycle import STILL_IN, SeasonStatus
from tournaments.models import Contestant, DeathMatch, Season
from tournaments.reading.sheet import Sheet
from tournaments.standings.metrics import counted_text
from tournaments.webhooks.payloads import absolute
from tournaments.webhooks.telling import given_lines, leg_told

PICTURE: Final = "board.png"
OF_MATCHES: Final = 0x2F6FB3
OF_SEASONS: Final = 0x6B4FA0
_LATEST: Final = 3
_ROWS_MOST: Final = 40
#: How many metrics of a table are told.
METRICS_MOST: Final = 3


def joined(lines: Iterable[str], most: int = DESCRIPTION_MOST) -> str:
    """Lines as far as there is room for them."""
    kept: list[str] = []
    room = most - 1
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            kept.append("…")
            break
        kept.append(line)
    return "\n".join(kept)


# -- matches -------------------------------------------------------------------------------------


class Shown:
    """A match as somebody may see it; ``user`` None: as anybody may. Raises Refusal
    ``match.none``."""

    def __init__(self, match_id: int, user: User | None) -> None:
        viewer = user or AnonymousUser()
        self.match = match_for(match_id, viewer)
        self.sync = reader_in(self.match, viewer).sync
        self.view: dict[str, Any] = self.sync["view"]
        self.you: Seat | None = self.sync["you"]
        self.names = [seat["name"] for seat in self.sync["header"]["seats"]]

    @property
    def embed(self) -> dict[str, Any]:
        """The match in words."""
        match = self.match
        embed: dict[str, Any] = {
            "author": {"name": cut(game_name(match.ruleset, match.variant), 256)},
            "title": cut(" vs ".join(map(escaped, self.names)), 256),
            "url": absolute(match.get_absolute_url()),
            "color": OF_MATCHES,
        }
        if lines := self._lines():
            embed["description"] = joined(lines)
        if self.you is not None:
            embed["footer"] = {"text": "As you see it. Nobody else is shown this."}
        return embed

    def _lines(self) -> list[str]:
        match, view = self.match, self.view
        if match.is_over:
            leg = leg_told(match.pk)
            since = () if leg is None else given_lines(leg, match)
            return [escaped(result_text(self.names, match, self.you)), *since]
        lines = []
        if view["paused"]:
            lines.append("The match is paused.")
        elif view["phase"] == "waiting":
            lines.append(begins_line(view["waiting"]))
        lines += [self._decision(each) for each in view["decisions"]]
        if view["phase"] == "on":
            lines += self.reserves
        latest = [line for item in self.sync["log"][-_LATEST:] for line in self._said(item)]
        return [*lines, "", *latest] if latest else lines

    def _decision(self, decision: Mapping[str, Any]) -> str:
        prompt = decision["prompt"]
        ended = prompt if prompt.endswith((".", "?", "!")) else f"{prompt}."
        said = [f"**{escaped(self.names[decision['seat']])}**: {escaped(ended)}"]
        if decision.get("sealed") is not None:
            said.append(f"Yours is in: {escaped(decision['sealed'])}.")
        clock = decision["clock"]
        if clock["running"]:
            turn_ends = self.sync["at"] + clock["turn_ms"] - clock["reading_ms"]
            if clock["reserve"] and _over_ms(clock) > 0:
                ends = turn_ends + self.view["reserve_ms"][decision["seat"]]
                said.append(f"On the reserve, which ends {moment(ends)}.")
            else:
                said.append(f"The turn ends {moment(turn_ends)}.")
        return " ".join(said)

    @property
    def reserves(self) -> list[str]:
        """What each player has left of the reserve, while the match is on."""
        left = list(self.view["reserve_ms"])
        for decision in self.view["decisions"]:
            if decision["clock"]["reserve"]:
                left[decision["seat"]] -= max(0, _over_ms(decision["clock"]))
        return [
            f"Reserve of {escaped(name)}: {spoken(ms // 1000) if ms >= 1000 else 'none'}"
            for name, ms in zip(self.names, left, strict=True)
        ]

    def _said(self, item: Mapping[str, Any]) -> list[str]:
        if item["taken_back"]:
            return []
        return [
            escaped(each["text"])
            if each["seat"] is None or each["kind"] == "organiser"
            else f"{escaped(self.names[each['seat']])}: {escaped(each['text'])}"
            for each in item["events"]
        ]

    @property
    def buttons(self) -> list[Component]:
        """What can be done about it."""
        match = self.match
        if match.is_over:
            replay = absolute(reverse("games:replay", args=[match.pk]))
            return [link("Open the replay", replay)]
        ready = [button("I'm ready", f"ready:{match.pk}")] if "waiting" in self.view else []
        return [*ready, link("Open the board", absolute(match.get_absolute_url()))]

    @property
    def picture(self) -> File | None:
        """The board; None before there is one, and for games that the site no longer offers."""
        ruleset = ruleset_named(self.match.ruleset)
        svg = "" if ruleset is None else board_of(ruleset, self.view, self.names)
        return File(PICTURE, png_of(svg), "image/png") if svg else None


def begins_line(waiting: Mapping[str, Any]) -> str:
    """Of a match that waits for both players, as its view has it."""
    until = waiting["until"]
    at = f"{moment(until, 't')} ({moment(until)})"
    if "gathers_until" in waiting:
        return f"The match begins once both players {LOOKED_IN}, by {at} at the latest."
    return f"The match begins once both players are there. They have until {at}."


def _over_ms(clock: Mapping[str, Any]) -> int:
    """How much of a decision is beyond its turn."""
    return int(clock["reading_ms"] - clock["turn_ms"])


def record_file(match: Match) -> File:
    """The record of a match that is over. Raises Refusal ``match.not-over``."""
    return File(f"match-{match.pk}.dmr.json", record_bytes(match), "application/json")


# -- seasons -------------------------------------------------------------------------------------


def season_embed(sheet: Sheet) -> dict[str, Any]:
    """A season in words: how far it is, what is on, and what comes next."""
    season = sheet.season
    return _season(season, _season_lines(sheet))


def standings_embed(sheet: Sheet) -> dict[str, Any]:
    """Who stands where in a season."""
    return _season(sheet.season, _standings(sheet), path="standings")


def _season(season: Season, lines: Sequence[str], path: str = "season") -> dict[str, Any]:
    embed = {
        "title": cut(escaped(season.name), 256),
        "url": absolute(reverse(f"tournaments:{path}", args=[season.slug])),
        "color": OF_SEASONS,
    }
    return {**embed, "description": joined(lines)} if lines else embed


def _season_lines(sheet: Sheet) -> list[str]:
    season = sheet.season
    lines = [f"{season.get_status_display()}."]
    if season.winner is not None:
        lines.append(f"Won by **{escaped(season.winner.shown_name)}**.")
    if sheet.current is not None:
        lines.append(f"**{escaped(sheet.current.name)}**")
    if season.status == SeasonStatus.RUNNING and sheet.rounds:
        lines.append(f"{len(sheet.in_contention)} of {len(sheet.contestants)} can still win it.")
    elif sheet.contestants and not sheet.rounds:
        lines.append(f"{len(sheet.contestants)} have entered.")
    lines += [f"Now: {_pair(each)}" for each in sheet.live]
    for each in sheet.planned[:5]:
        when = each.leg.scheduled_at
        at = "" if when is None else f", {moment(1000 * when.timestamp(), 'f')}"
        lines.append(f"Next: {_pair(each.row)}{at}")
    told = [escaped(sheet.naming.marked(each.words)) for each in sheet.events()[:_LATEST]]
    return [*lines, "", *reversed(told)] if told else lines


def _pair(row: DeathMatch) -> str:
    names = [escaped(side.shown_name) if side else "to be decided" for side in (row.home, row.away)]
    return f"[{' vs '.join(names)}]({absolute(row.get_absolute_url())})"


def _left(contestant: Contestant) -> str:
    """How somebody left the season."""
    return contestant.get_status_display().lower()


def _standings(sheet: Sheet) -> list[str]:
    rows = standings_rows(sheet)
    if len(rows) > _ROWS_MOST:
        rows = [*rows[:_ROWS_MOST], f"… and {len(rows) - _ROWS_MOST} more"]
    return rows or ["Nobody has entered yet."]


def standings_rows(sheet: Sheet) -> list[str]:
    """Who stands where, one a line, with the first metrics of a table as far as they apply."""
    if sheet.table is not None:
        metrics = sheet.table.metrics[:METRICS_MOST]
        return [
            f"{row.rank}\\. **{escaped(sheet.by_id[row.player].shown_name)}**"
            + "".join(
                f" · {escaped(counted_text(metric, value))}"
                for metric, value in zip(metrics, row.values, strict=False)
                if value is not None
            )
            for row in sheet.table.rows
        ]
    if sheet.rungs:
        return [
            f"{rank}\\. **{escaped(each.shown_name)}**"
            for rank, (each, _) in enumerate(sheet.rungs, start=1)
        ]
    return [
        f"**{escaped(each.contestant.shown_name)}** · {each.won} won, {each.lost} lost"
        + ("" if each.contestant.status in STILL_IN else f" · {_left(each.contestant)}")
        for each in sheet.records
    ]
