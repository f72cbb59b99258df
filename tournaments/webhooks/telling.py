"""How what happens in a season reads in Discord, whoever tells it there: the bot or a webhook.

The sentence is the event's own; what stands below it is the community's: a result with how it was
won, whoever is out with who is still in, a gift with what it does. Names and words of players are
shown as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.dateparse import parse_datetime

from core.discord.text import DESCRIPTION_MOST, escaped, moment
from core.refusals import Refusal
from games.models import Match
from games.words import points, ruleset_named, won_by
from tournaments.items.catalogue import Item, item_of
from tournaments.lifecycle import ContestantStatus, DeathMatchStatus, How, LegStatus
from tournaments.models import Contestant, DeathMatch, Leg, ScoreTable, Season, SeasonEvent
from tournaments.naming import Naming
from tournaments.reading.scores import score_sheet
from tournaments.reading.sheet import Sheet
from tournaments.standings.metrics import counted_text
from tournaments.trade import trade_of
from tournaments.webhooks import payloads
from tournaments.webhooks.payloads import Scene

#: Names of a list, as far as they have room in a line.
_NAMES_MOST: Final = 700


# -- what happened in a season -------------------------------------------------------------------


def event_text(event: SeasonEvent, scene: Scene | None) -> str:
    """What happened, in lines that Discord shows as they are meant. ``scene``: the match that it is
    about, if any."""
    return "\n".join(_EVENTS.get(event.kind, _sentence)(event, scene))


def _sentence(event: SeasonEvent, _scene: Scene | None, bold: str = "") -> list[str]:
    """The event in its own words, and who decided so."""
    words = escaped(Naming.of(event.season_id).marked(event.words))
    by = event.data.get("by")
    if not by:
        return [f"{bold}{words}{bold}"]
    stop = "" if words.endswith((".", "!", "?", "…")) else "."
    return [f"{bold}{words}{stop}{bold} Decided by {escaped(by)}."]


def _headline(event: SeasonEvent, scene: Scene | None) -> list[str]:
    return _sentence(event, scene, "**")


def _started(event: SeasonEvent, scene: Scene | None) -> list[str]:
    return [*_headline(event, scene), *_names(event.season, "")]


def _names(season: Season, before: str) -> list[str]:
    """Who is in the season, in a line; nothing where that is nobody but a winner."""
    active = season.contestants.filter(status=ContestantStatus.ACTIVE).select_related("user")
    names = sorted((each.shown_name for each in active), key=str.casefold)
    if len(names) < 2:
        return []
    return [before + _in_a_line([escaped(name) for name in names])]


def _in_a_line(texts: Sequence[str]) -> str:
    """Escaped texts as far as a line has room for them, and how many there are more."""
    kept, room = [], _NAMES_MOST
    for text in texts:
        room -= len(text) + 2
        if room < 0:
            break
        kept.append(text)
    more = [f"{len(texts) - len(kept)} more"] if len(kept) < len(texts) else []
    return ", ".join([*kept, *more])


def _placed(event: SeasonEvent, scene: Scene | None) -> list[str]:
    """Who is the EC, until when they choose, whom they cannot, and the scores it was by."""
    lines = _sentence(event, scene)
    until = parse_datetime(event.data.get("choose_by") or "")
    if until is not None:
        lines.append(f"Whom to meet is to be chosen until {_at(until)}.")
    immune = Contestant.objects.filter(pk__in=event.data.get("immune") or ())
    names = [f"**{escaped(each.shown_name)}**" for each in immune.order_by("name")]
    if names:
        lines.append(f"Immune: {', '.join(names)}.")
    return lines + _totals(event)


def _totals(event: SeasonEvent) -> list[str]:
    """What everybody has in all, the best first, where a main match was recorded by scores."""
    rows = ScoreTable.objects.filter(episode__round=event.round_id, recorded_at__isnull=False)
    table = rows.first()
    if table is None:
        return []
    there = list(table.rows.select_related("contestant__user").order_by("pk"))
    sheet = score_sheet(table, there, sees_winnings=not trade_of(event.season).hidden)
    told = [
        f"{escaped(each.contestant.shown_name)} {escaped(each.total)}"
        for each in sheet.lines
        if each.total
    ]
    return [f"Scores: {_in_a_line(told)}."] if told else []


def _chosen(event: SeasonEvent, scene: Scene | None) -> list[str]:
    """Whom the EC meets, in what, and when, in the time of whoever reads it."""
    games = [escaped(game) for game in event.data.get("games") or ()]
    times = [parse_datetime(at) for at in event.data.get("times") or ()]
    return [
        *_headline(event, scene),
        *([f"They play {', then '.join(games)}."] if games else []),
        *(f"Your time: {_at(at)}." for at in times if at is not None),
    ]


def _scheduled(event: SeasonEvent, scene: Scene | None) -> list[str]:
    """When it is played, in the time of whoever reads it too."""
    lines = _sentence(event, scene)
    at = parse_datetime(event.data.get("at") or "")
    return lines if at is None else [*lines, f"Your time: {_at(at)}."]


def _soon(event: SeasonEvent, scene: Scene | None) -> list[str]:
    return [soon_text(event)]


def soon_text(event: SeasonEvent, pair: str = "") -> str:
    """That a match begins soon, and when; ``pair``: what its players are called where that is not
    by their names."""
    naming = Naming.of(event.season_id)
    words, named = naming.marked(event.words), naming.marked(f"{event.death_match}")
    if not pair:
        said = escaped(words)
    elif words.startswith(named):
        rest = words.removeprefix(named)
        said = pair + " " * rest.startswith(" ") + escaped(rest)
    else:
        said = f"{pair}: {escaped(words)}"
    when = event.leg.scheduled_at if event.leg is not None else None
    return said if when is None else f"{said} It starts {moment(1000 * when.timestamp())}."


def _at(at: datetime) -> str:
    ms = 1000 * at.timestamp()
    return f"{moment(ms, 'F')}, {moment(ms)}"


def _decided(event: SeasonEvent, scene: Scene | None) -> list[str]:
    """Who has won, how and by how much."""
    row, data = event.death_match, event.data
    won = _won(event)
    if row is None or not won or data.get("how", How.PLAYED) != How.PLAYED:
        return _sentence(event, scene)
    if row.best_of > 1:
        most, least = sorted(data["score"], reverse=True)
        matches = "match" if most == 1 else "matches"
        lines = [f"**{won}** by {most} {matches} to {least}."]
        if scene is not None and scene.match.winner is not None:
            lines.append(f"The last one was won {how_text(scene.match)}.")
        return lines
    if scene is None or scene.match.winner is None:
        return [f"**{won}.**"]
    return [f"**{won}** {how_text(scene.match)}."]


def _won(event: SeasonEvent) -> str:
    """Who wins against whom; empty where the event does not name both."""
    ids = (event.data.get("winner"), event.data.get("loser"))
    found = Contestant.objects.select_related("user").in_bulk([each for each in ids if each])
    if len(found) < 2 or "score" not in event.data:
        return ""
    winner, loser = (escaped(found[each].shown_name) for each in ids if each)
    return f"{winner} wins against {loser}"


def _leg(event: SeasonEvent, scene: Scene | None) -> list[str]:
    """Who has won one match of several, how, and how it stands."""
    row, data = event.death_match, event.data
    sides = () if row is None else (row.home, row.away)
    winner = next((side for side in sides if side and side.pk == data.get("winner")), None)
    if row is None or winner is None or "score" not in data:
        return _sentence(event, scene)
    words = f"**{escaped(winner.shown_name)} wins match {data.get('leg')}**"
    if scene is not None and scene.match.winner is not None:
        words += f" {how_text(scene.match)}"
    return [f"{words}.", versus(row, data["score"])]


def _out(event: SeasonEvent, scene: Scene | None) -> list[str]:
    """Who is out, after which match, and who is still in."""
    lost = SeasonEvent.objects.filter(
        season=event.season_id, kind="death-match.decided", at=event.at
    )
    lost = lost.filter(data__loser=event.contestant_id)
    last = lost.select_related("death_match", "leg").last()
    lines = _headline(event, scene)
    if last is not None:
        match_id = payloads.match_of_event(last)
        shown = None if match_id is None else payloads.scene_of(match_id)
        lines += [line.replace("**", "") for line in _decided(last, shown)]
    return [*lines, *_names(event.season, "Still in: ")]


def _gift(event: SeasonEvent, scene: Scene | None) -> list[str]:
    """An item, who gave it to whom, what it does, and for which match."""
    data = event.data
    try:
        item = item_of(data.get("item", ""), data.get("ruleset", ""))
    except Refusal:  # the site no longer knows it
        return _sentence(event, scene)
    giver = Contestant.objects.filter(pk=data.get("giver")).first()
    gives = "The organisers give" if giver is None else f"**{escaped(giver.shown_name)}** gives"
    to = "somebody" if event.contestant is None else escaped(event.contestant.shown_name)
    ruleset = ruleset_named(item.ruleset) if item.ruleset else None
    game = "" if ruleset is None else f" ({escaped(ruleset.name)})"
    lines = [
        f"{gives} **{to}** an item: **{escaped(item.name)}**{game}",
        " ".join([escaped(item.text), *_limits(item)]),
    ]
    if event.death_match is not None:
        number = data.get("leg")
        which = f", match {number}" if number and event.death_match.best_of > 1 else ""
        lines.append(f"It is for {pair_line(event.death_match)}{which}.")
    if data.get("note"):
        lines.append(f"“{escaped(data['note'])}”")
    return lines


def _limits(item: Item) -> list[str]:
    """What Copy and Block may not do to it; what they may do to each other their own text says."""
    if item.is_meta:
        return []
    if not item.copyable and not item.blockable:
        return ["It can be neither copied nor blocked."]
    if item.copyable and item.blockable:
        return []
    return [f"It cannot be {'copied' if item.blockable else 'blocked'}."]


_EVENTS: Final[Mapping[str, Callable[[SeasonEvent, Scene | None], list[str]]]] = {
    "season.started": _started,
    "season.finished": _headline,
    "contestant.eliminated": _out,
    "episode.placed": _placed,
    "episode.choosing": _placed,
    "episode.chosen": _chosen,
    "death-match.scheduled": _scheduled,
    "death-match.reminder": _soon,
    "death-match.leg": _leg,
    "death-match.decided": _decided,
    "item.given": _gift,
}


# -- matches and rounds --------------------------------------------------------------------------


def how_text(match: Match) -> str:
    """How a match was won and by how much, to be read after "won"."""
    return escaped(won_by(match))


def leg_told(match_id: int) -> Leg | None:
    """The leg that a match is, with what `given_lines` reads; None where it is no season's."""
    rows = Leg.objects.select_related(
        "death_match__winner__user", "death_match__home__user", "death_match__away__user"
    )
    return rows.filter(match=match_id).first()


def since_lines(leg: Leg | None, scene: Scene) -> list[str]:
    """What has been made of a match since, in a scene that shows that it is over."""
    is_over = scene.view["phase"] == "over"
    return given_lines(leg, scene.match) if is_over and leg is not None else []


def given_lines(leg: Leg, match: Match) -> list[str]:
    """What has been made of a match that is over, beyond its own result: that it does not count,
    and to whom the leg or the whole death match was given without it."""
    row, is_void = leg.death_match, match.winner is None
    lines = []
    if leg.status == LegStatus.VOID and not is_void:
        lines.append("Void since: it does not count.")
    winner = "" if row.winner is None else f"**{escaped(row.winner.shown_name)}**"
    if row.status == DeathMatchStatus.DECIDED and row.how == How.RULING:
        lines.append(f"By a ruling {winner} has won the death match.")
    elif row.status == DeathMatchStatus.DECIDED and row.how == How.WALKOVER and is_void:
        lines.append(f"{winner} has won the death match without playing.")
    elif is_void and leg.winner_seat is not None:
        side = (row.home, row.away)[leg.winner_seat]
        given = "?" if side is None else escaped(side.shown_name)
        lines.append(f"**{given}** has won match {leg.number} without playing.")
    return lines


def asked_line(decision: Mapping[str, Any], names: Sequence[str]) -> str:
    """What is asked of a seat, in a line."""
    # The room's view has sealed answers as open decisions: this says nothing about who is ready.
    return f"**{escaped(names[decision['seat']])}**: {escaped(decision['prompt'])}"


def pair_line(pair: DeathMatch) -> str:
    """Who meets whom."""
    if pair.home is None and pair.away is None:
        return "to be decided"
    names = [escaped(side.shown_name) if side else "?" for side in (pair.home, pair.away)]
    if pair.away is None and pair.how == How.BYE:
        return f"{names[0]} has a bye"
    return f"{names[0]} vs {names[1]}"


def versus(row: DeathMatch, score: Sequence[int]) -> str:
    """A score with the names on both sides of it."""
    names = ["?" if side is None else side.shown_name for side in (row.home, row.away)]
    home, away = (f"**{escaped(name)}**" for name in names)
    return f"{home} {points(score[0])} : {points(score[1])} {away}"


def won_line(row: DeathMatch) -> str:
    """Who has won a death match, and how; of a round that reads `legs__match` beforehand, without
    a query."""
    if row.winner is None:
        return ""
    won = f"**{escaped(row.winner.shown_name)}** won"
    if row.how == How.WALKOVER:
        return f"{won} without playing"
    if row.how == How.RULING:
        return f"{won} by a ruling"
    if row.best_of > 1:
        most, least = sorted((row.home_score, row.away_score), reverse=True)
        return f"{won} {most} : {least}"
    played = [leg.match for leg in row.legs.all() if leg.status == LegStatus.FINISHED]
    match = next((each for each in played if each is not None and each.winner is not None), None)
    return won if match is None else f"{won} {how_text(match)}"


def pairing_line(row: DeathMatch, thread: str = "") -> str:
    """A line of a round: who meets whom, and what has come of it or when it is played; ``thread``:
    where it is told."""
    said = pair_line(row)
    if row.winner is not None:
        said += "" if row.how == How.BYE else f": {won_line(row)}"
    elif row.status == DeathMatchStatus.RUNNING:
        said += ", on now"
    else:
        times = [leg.scheduled_at for leg in row.legs.all() if leg.scheduled_at is not None]
        said += f", {moment(1000 * min(times).timestamp(), 'f')}" if times else ""
    return f"{said} · <#{thread}>" if thread else said


def round_pairs(round_id: int) -> list[DeathMatch]:
    """The death matches of a round that count, in order, with what `pairing_line` reads."""
    rows = DeathMatch.objects.filter(round=round_id).exclude(status=DeathMatchStatus.VOID)
    rows = rows.select_related("home__user", "away__user", "winner__user")
    return list(rows.prefetch_related("legs__match").order_by("number"))


def standings_lines(season: Season) -> list[str]:
    """The table with its first metric; empty where a season has none."""
    sheet = Sheet(season)
    table = sheet.table
    if table is None:
        return []
    first = table.metrics[0]
    return [
        f"{row.rank}\\. {escaped(sheet.by_id[row.player].shown_name)}:"
        f" {escaped(counted_text(first, row.values[0]))}"
        for row in table.rows
    ]


def within_limit(lines: Sequence[str], most: int = DESCRIPTION_MOST) -> str:
    """Lines as far as there is room for them, and how many there are more."""
    kept: list[str] = []
    length = 0
    for number, line in enumerate(lines):
        more = f"… and {len(lines) - number} more"
        if length + len(line) + 1 + len(more) > most:
            kept.append(more)
            break
        kept.append(line)
        length += len(line) + 1
    return "\n".join(kept)


def round_text(pairs: Sequence[str], standings: Sequence[str]) -> str:
    """Who meets whom, and who stands where, each within its half of what an embed holds."""
    most = DESCRIPTION_MOST // 2 - 20
    parts = [within_limit(pairs, most)] if pairs else []
    if standings:
        parts.append("\n".join(["**Standings**", within_limit(standings, most)]))
    return "\n\n".join(parts)
