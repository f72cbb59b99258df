"""What organisers can copy for Discord, where the bot is not: what the bot would say, as one
message in Discord's Markdown. Names and words of people are shown as they are, and nobody is
mentioned; nothing stands in it that is not on the page beside it, which everybody can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.urls import reverse

from core.discord.text import CONTENT_MOST, escaped, moment
from tournaments.discord.replies import METRICS_MOST, season_embed, standings_rows
from tournaments.lifecycle import EpisodeStatus, RoundStatus
from tournaments.models import DeathMatch, Round
from tournaments.posts.words import head_said
from tournaments.reading.episodes import EpisodeWithPlacements
from tournaments.reading.sheet import Sheet
from tournaments.standings.table import StandingsTable
from tournaments.webhooks.payloads import absolute
from tournaments.webhooks.telling import pairing_line, round_pairs, standings_lines, within_limit


def season_copied(sheet: Sheet) -> str:
    """How a season stands."""
    return _of_embed(season_embed(sheet))


def standings_copied(sheet: Sheet) -> str:
    """Who stands where, after which round, and what is counted."""
    season, lines = sheet.season, []
    if season.winner is not None:
        lines.append(f"Won by **{escaped(season.winner.shown_name)}**.")
    elif (now := sheet.current) is not None:
        lines.append(f"{escaped(now.name)} {now.verb} being played.")
    elif sheet.rounds:
        lines.append(f"After {escaped(sheet.rounds[-1].name)}.")
    signs = [] if sheet.table is None else _signs(sheet.table)
    lines += [escaped(f"({'; '.join(signs)})")] if signs else []
    path = reverse("tournaments:standings", args=[season.slug])
    return _whole(f"{season.name}: standings", [*lines, *standings_rows(sheet)], path)


def _signs(table: StandingsTable) -> list[str]:
    """What the letters in a table's lines mean; what has a unit says itself what it is."""
    return [
        f"{metric.abbreviation}: {metric.name}"
        for number, metric in enumerate(table.metrics[:METRICS_MOST])
        if not metric.unit and any(row.values[number] is not None for row in table.rows)
    ]


def death_match_copied(row: DeathMatch) -> str:
    """Who meets whom, in what, when, and what came of it."""
    said: str = head_said(row.pk).message["content"]
    return _whole(row.round.season.name, said.splitlines(), row.get_absolute_url())


def round_copied(sheet: Sheet, played: Round) -> str:
    """A round with its results so far, or when it is played; of an episode the main match too."""
    episode = sheet.episode_of(played)
    lines = [] if episode is None else list(_episode_lines(episode))
    lines += [pairing_line(each) for each in round_pairs(played.pk)]
    # A table is of now: with a round it is told as long as no other has followed.
    if played.status == RoundStatus.CLOSED and played.number == sheet.rounds[-1].number:
        standings = standings_lines(sheet.season)
        lines += ["**Standings**", *standings] if standings else []
    path = reverse("tournaments:round", args=[sheet.season.slug, played.number])
    return _whole(f"{sheet.season.name}: {played.name}", lines, path)


def _episode_lines(episode: EpisodeWithPlacements) -> Iterator[str]:
    row = episode.row
    if episode.placements:
        named = f": {escaped(row.main_match)}" if row.main_match else ""
        yield f"**Main match{named}**"
    for each in episode.placements:
        immune = " (immune)" if each.immune else ""
        yield f"{each.place}\\. {escaped(each.contestant.shown_name)}{immune}"
    if row.ec is not None:
        yield f"EC: **{escaped(row.ec.shown_name)}**"
    if row.dmo is not None:
        yield f"DMO: **{escaped(row.dmo.shown_name)}**"
    elif row.status == EpisodeStatus.CHOOSING and row.choose_by is not None:
        at = 1000 * row.choose_by.timestamp()
        yield f"Whom to meet is to be chosen until {moment(at, 'F')}, {moment(at)}."


def _of_embed(embed: Mapping[str, Any]) -> str:
    lines = str(embed.get("description", "")).splitlines()
    return _message(f"**{embed['title']}**", lines, str(embed["url"]))


def _whole(title: str, lines: Sequence[str], path: str) -> str:
    return _message(f"**{escaped(title)}**", lines, absolute(path))


def _message(head: str, lines: Sequence[str], address: str) -> str:
    # In angle brackets an address has no preview.
    foot = f"<{address}>"
    room = CONTENT_MOST - len(head) - len(foot) - 2
    return "\n".join([head, *within_limit(lines, room).splitlines(), foot])
