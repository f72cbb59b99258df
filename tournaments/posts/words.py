"""What messages say, from what everybody may see: a match is looked at as the room sees it.

The sentences are those of webhooks and of the season's own history; how they are set is the
community's: a gift with what it does and who gave it, a result with its score, and whoever is out
with the match that it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from django.urls import reverse

from core.discord.text import CONTENT_MOST, DESCRIPTION_MOST, TITLE_MOST, cut, escaped
from core.refusals import Refusal
from games.engine.errors import EngineFault
from games.models import Match
from games.options.pace import spoken
from games.words import game_name, points, result_text, ruleset_named
from tournaments.discord.interactions import Component, button, link
from tournaments.discord.people import mentioned_of
from tournaments.discord.replies import OF_MATCHES, OF_SEASONS, moment
from tournaments.items.catalogue import item_of
from tournaments.lifecycle import DeathMatchStatus, How, LegStatus, RoundStatus
from tournaments.models import Contestant, DeathMatch, Leg, Round, SeasonEvent
from tournaments.naming import Naming
from tournaments.posts.models import DiscordPlace, DiscordPost
from tournaments.webhooks import payloads
from tournaments.webhooks.discord import (
    PICTURE,
    asked_line,
    pair_line,
    standings_lines,
    within_limit,
)
from tournaments.webhooks.payloads import Scene, absolute

THREAD_NAME_MOST: Final = 100
#: Of a round's post, how much the pairings have, and the standings.
_HALF: Final = DESCRIPTION_MOST // 2 - 20
_LATEST: Final = 3


class Said(NamedTuple):
    """What a message says: with the picture of a match, where it has one; ``version``: the room's
    of a match, and whether that ``is_over``."""

    message: dict[str, Any]
    match: Match | None = None
    still: int | None = None
    version: int | None = None
    is_over: bool = False


def _message(
    content: str,
    *rows: Sequence[Component],
    embed: Mapping[str, Any] | None = None,
    mentioned: Iterable[str] = (),
) -> dict[str, Any]:
    """A message that mentions nobody besides those ``mentioned``."""
    users = sorted(set(mentioned))
    return {
        "content": cut(content, CONTENT_MOST),
        "embeds": [] if embed is None else [dict(embed)],
        "components": [{"type": 1, "components": list(row)} for row in rows],
        "allowed_mentions": {"parse": [], **({"users": users} if users else {})},
    }


def encoded(message: Mapping[str, Any]) -> str:
    """A message as it is kept."""
    return msgspec.json.encode(message, order="sorted").decode()


def decoded(body: str) -> dict[str, Any]:
    """The message that was kept."""
    message: dict[str, Any] = msgspec.json.decode(body)
    return message


# -- what happened in a season -------------------------------------------------------------------


def event_compose(post: DiscordPost) -> None:
    """Set a post's ``body``, and the ``match`` and ``still`` that it shows, of its event as things
    stand now. Nothing is saved."""
    event = post.event
    if event is None:
        return
    said = _EVENTS.get(event.kind, _sentence)(event, post)
    post.body = encoded(said.message)
    post.match, post.still = said.match, said.still


def _sentence(event: SeasonEvent, post: DiscordPost) -> Said:
    """The event in its own words."""
    watching = _watching(post) if event.kind == "season.started" else []
    return Said(_message(_words(event), [*watching, _page(event)]))


def _words(event: SeasonEvent) -> str:
    words = escaped(Naming.of(event.season_id).marked(event.words))
    by = event.data.get("by")
    if not by:
        return words
    stop = "" if words.endswith((".", "!", "?", "…")) else "."
    return f"{words}{stop} Decided by {escaped(by)}."


def _page(event: SeasonEvent) -> Component:
    """What leads to where it can be read."""
    if event.death_match is not None:
        return link("Open the death match", absolute(event.death_match.get_absolute_url()))
    if event.round is not None:
        return link("Open the round", _round_address(event.round))
    return link("Open the season", absolute(event.season.get_absolute_url()))


def _result(event: SeasonEvent, _post: DiscordPost) -> Said:
    """Who has won, and by how much, with the board as it was in the end."""
    match_id = payloads.match_of_event(event)
    scene = None if match_id is None else payloads.scene_of(match_id)
    lines = [_words(event), *_score(event.death_match, event.data, scene)]
    embed = _picture(scene)
    message = _message("\n".join(lines), [_page(event)], embed=embed)
    if scene is None or embed is None:
        return Said(message)
    return Said(message, scene.match, scene.still)


def _score(
    death_match: DeathMatch | None, data: Mapping[str, Any], scene: Scene | None
) -> list[str]:
    """The score of several matches, or how the only one ended."""
    score = data.get("score")
    if death_match is None or data.get("how", How.PLAYED) != How.PLAYED:
        return []
    if death_match.best_of > 1 and score:
        return [_versus(death_match, score)]
    if scene is None or not scene.match.is_over:
        return []
    return [escaped(result_text(scene.names, scene.match))]


def _versus(death_match: DeathMatch, score: Sequence[int]) -> str:
    """A score with the names on both sides of it."""
    home, away = (f"**{escaped(_name(side))}**" for side in (death_match.home, death_match.away))
    return f"{home} {points(score[0])} : {points(score[1])} {away}"


def _picture(scene: Scene | None) -> dict[str, Any] | None:
    """An embed with a board, where there is one."""
    if scene is None or scene.still is None:
        return None
    title = cut(escaped(" vs ".join(scene.names)), TITLE_MOST)
    address = absolute(scene.match.get_absolute_url())
    image = {"url": f"attachment://{PICTURE}"}
    return {"title": title, "url": address, "color": OF_MATCHES, "image": image}


def _out(event: SeasonEvent, _post: DiscordPost) -> Said:
    """Who is out, and after which match."""
    lines = [f"**{_words(event)}**"]
    lost = SeasonEvent.objects.filter(
        season=event.season_id, kind="death-match.decided", at=event.at
    )
    last = lost.filter(data__loser=event.contestant_id).select_related("death_match").last()
    if last is not None:
        lines.append(_words(last))
        match_id = payloads.match_of_event(last)
        scene = None if match_id is None else payloads.scene_of(match_id)
        lines += _score(last.death_match, last.data, scene)
    return Said(_message("\n".join(lines), [_page(last or event)]))


def _gift(event: SeasonEvent, post: DiscordPost) -> Said:
    """An item, what it does, and who gave it to whom: as the community announces its own."""
    data = event.data
    try:
        item = item_of(data.get("item", ""), data.get("ruleset", ""))
    except Refusal:  # the site no longer knows it
        return _sentence(event, post)
    ruleset = ruleset_named(item.ruleset) if item.ruleset else None
    game = "" if ruleset is None else f" ({escaped(ruleset.name)})"
    giver = Contestant.objects.filter(pk=data.get("giver")).first()
    by = f"by **{escaped(_name(giver))}**" if giver is not None else "by the organisers"
    to = f"**{escaped(_name(event.contestant))}**"
    lines = [f"**{escaped(item.name)}**{game}", escaped(item.text)]
    lines.append(f"This item was given to {to} {by}{_for_which(event)}.")
    if data.get("note"):
        lines.append(f"“{escaped(data['note'])}”")
    return Said(_message("\n".join(lines), [_page(event)]))


def _for_which(event: SeasonEvent) -> str:
    meeting = event.death_match
    if meeting is None:
        return ""
    number = event.data.get("leg")
    which = f", match {number}" if number and meeting.best_of > 1 else ""
    return f" for {pair_line(meeting)}{which}"


def _soon(event: SeasonEvent, post: DiscordPost) -> Said:
    """That a match begins soon, to those of both players who want it where that is wanted."""
    mentioned: list[str] = []
    if post.place.channel.mentions and event.death_match is not None:
        sides = (event.death_match.home, event.death_match.away)
        mentioned = mentioned_of(side.user_id for side in sides if side is not None)
    before = "".join(f"<@{each}> " for each in mentioned)
    when = event.leg.scheduled_at if event.leg is not None else None
    after = "" if when is None else f" It starts {moment(1000 * when.timestamp())}."
    return Said(_message(f"{before}{_words(event)}{after}", [_page(event)], mentioned=mentioned))


_EVENTS: Final[Mapping[str, Callable[[SeasonEvent, DiscordPost], Said]]] = {
    "death-match.decided": _result,
    "death-match.leg": _result,
    "death-match.reminder": _soon,
    "contestant.eliminated": _out,
    "item.given": _gift,
}


# -- clocks --------------------------------------------------------------------------------------


def clock_compose(
    post: DiscordPost, leg: Leg, *, seat: int | None, kind: str, left_ms: int, at: int
) -> None:
    """Set the ``body`` of a reminder: whose time is running out, and until when. Nothing is
    saved."""
    players = list(leg.match.players.order_by("seat")) if leg.match is not None else []
    said = payloads.clock_words(
        {"seat": seat, "kind": kind, "left_ms": left_ms}, [each.name for each in players]
    )
    mentioned: list[str] = []
    if post.place.channel.mentions:
        asked = [each.user_id for each in players if seat is None or each.seat == seat]
        mentioned = mentioned_of(asked)
    before = "".join(f"<@{each}> " for each in mentioned)
    content = f"{before}{escaped(said)} It ends {moment(at + left_ms)}."
    row = [link("Open the board", absolute(reverse("games:match", args=[leg.match_id])))]
    post.body = encoded(_message(content, row, mentioned=mentioned))


# -- what lives ----------------------------------------------------------------------------------


def living_said(post: DiscordPost) -> Said:
    """What a message that lives says now."""
    if post.kind == DiscordPost.Kind.MATCH and post.match_id is not None:
        return match_said(post.match_id)
    if post.kind == DiscordPost.Kind.ROUND and post.round_id is not None:
        return round_said(post, post.round_id)
    if post.death_match_id is not None:
        return head_said(post.death_match_id)
    raise EngineFault(f"post {post.pk} is about nothing")


def thread_name(death_match: DeathMatch) -> str:
    """What the thread of a death match is called."""
    names = " vs ".join(_name(side) for side in (death_match.home, death_match.away))
    whole = " ".join(f"{death_match.round.name}: {names}".split())
    return whole if len(whole) <= THREAD_NAME_MOST else f"{whole[: THREAD_NAME_MOST - 1]}…"


def head_said(death_match_id: int) -> Said:
    """A death match: who meets, in what, when, and how it stands."""
    rows = DeathMatch.objects.select_related("round__season", "home", "away", "winner")
    row = rows.get(pk=death_match_id)
    legs = list(row.legs.exclude(status=LegStatus.VOID).order_by("number", "attempt"))
    about = [escaped(row.round.name), *_games(legs)]
    lines = [f"**{pair_line(row)}**", " · ".join(about)]
    if row.status == DeathMatchStatus.DECIDED:
        lines.append(_how_it_ended(row))
    elif row.status == DeathMatchStatus.VOID:
        lines.append("Void.")
    elif row.status == DeathMatchStatus.RUNNING:
        lines.append("It is on.")
    else:
        lines += [_when(leg, row) for leg in legs if leg.scheduled_at is not None]
    page = link("Open the death match", absolute(row.get_absolute_url()))
    return Said(_message("\n".join(lines), [page]))


def _games(legs: Sequence[Leg]) -> list[str]:
    """What is played, as far as that is decided: a game that comes several times stands once."""
    named = [game_name(leg.ruleset, leg.variant) for leg in legs if leg.ruleset]
    return [escaped(", then ".join(dict.fromkeys(named)))] if named else []


def _when(leg: Leg, row: DeathMatch) -> str:
    at = 1000 * leg.scheduled_at.timestamp() if leg.scheduled_at is not None else 0
    which = f"Match {leg.number}: " if row.best_of > 1 else ""
    return f"{which}{moment(at, 'F')}, {moment(at)}"


def _how_it_ended(row: DeathMatch) -> str:
    won = f"**{escaped(_name(row.winner))}** has won"
    if row.how == How.PLAYED and row.best_of > 1:
        return f"{won}. {_versus(row, (row.home_score, row.away_score))}"
    if row.how in (How.WALKOVER, How.RULING):
        return f"{won} without playing." if row.how == How.WALKOVER else f"{won} by a ruling."
    return f"{won}."


def round_said(post: DiscordPost, round_id: int) -> Said:
    """A round: who meets whom and when, the results, and who stands where once it is complete."""
    stage = Round.objects.select_related("season").get(pk=round_id)
    pairs = DeathMatch.objects.filter(round=stage).exclude(status=DeathMatchStatus.VOID)
    pairs = pairs.select_related("home", "away", "winner").prefetch_related("legs")
    threads = dict(
        DiscordPlace.objects.filter(channel=post.place.channel_id)
        .exclude(thread_id="")
        .values_list("death_match", "thread_id")
    )
    lines = [_pairing(each, threads.get(each.pk, "")) for each in pairs.order_by("number")]
    parts = [within_limit(lines, _HALF)] if lines else []
    if stage.status == RoundStatus.CLOSED:
        standings = standings_lines(stage.season)
        if standings:
            parts.append("\n".join(["**Standings**", within_limit(standings, _HALF)]))
    embed = {
        "author": {"name": cut(" ".join(stage.season.name.split()), TITLE_MOST)},
        "title": cut(escaped(stage.name), TITLE_MOST),
        "url": _round_address(stage),
        "color": OF_SEASONS,
        "description": "\n\n".join(parts) or "Nobody is paired yet.",
        "footer": {"text": "Complete" if stage.status == RoundStatus.CLOSED else "Being played"},
    }
    row = [*_watching(post), link("Open the round", _round_address(stage))]
    return Said(_message("", row, embed=embed))


def _watching(post: DiscordPost) -> list[Component]:
    """By what people take the role of those who watch, where there is one."""
    channel = post.place.channel
    if not channel.spectator_role:
        return []
    return [button("Watch", f"watch:{channel.season_id}", primary=False)]


def _pairing(row: DeathMatch, thread: str) -> str:
    """A line of a round: who meets whom, and what has come of it or when it is played."""
    said = pair_line(row)
    if row.winner is not None and row.how != How.BYE:
        said += f": **{escaped(_name(row.winner))}** won"
        if row.how == How.PLAYED and row.best_of > 1:
            said += f" {points(row.home_score)} : {points(row.away_score)}"
    elif row.status == DeathMatchStatus.RUNNING:
        said += ", on now"
    else:
        times = [leg.scheduled_at for leg in row.legs.all() if leg.scheduled_at is not None]
        said += f", {moment(1000 * min(times).timestamp(), 'f')}" if times else ""
    return f"{said} · <#{thread}>" if thread else said


def match_said(match_id: int) -> Said:
    """A match as the room sees it: the board, the score, whose turn it is and until when."""
    scene = payloads.scene_of(match_id)
    match = scene.match
    leg = Leg.objects.select_related("death_match__winner").get(match=match_id)
    embed: dict[str, Any] = {
        "author": {"name": cut(game_name(match.ruleset, match.variant), TITLE_MOST)},
        "title": cut(" vs ".join(map(escaped, scene.names)), TITLE_MOST),
        "url": absolute(match.get_absolute_url()),
        "color": OF_MATCHES,
        "description": within_limit([*_match_lines(scene), *_since(leg, scene)]),
    }
    if leg.death_match.best_of > 1:
        embed["footer"] = {"text": f"Match {leg.number} of at most {leg.death_match.best_of}"}
    if scene.still is not None:
        embed["image"] = {"url": f"attachment://{PICTURE}"}
    message = _message("", _match_buttons(scene), embed=embed)
    return Said(message, match, scene.still, scene.version, scene.view["phase"] == "over")


def _since(leg: Leg, scene: Scene) -> list[str]:
    """What organisers have made of a match that has its result."""
    if scene.view["phase"] != "over" or scene.match.winner is None:
        return []
    if leg.status == LegStatus.VOID:
        return ["Void since: it does not count."]
    decided = leg.death_match
    if decided.status == DeathMatchStatus.DECIDED and decided.how == How.RULING:
        return [f"By a ruling **{escaped(_name(decided.winner))}** has won the death match."]
    return []


def _match_lines(scene: Scene) -> list[str]:
    view, names = scene.view, scene.names
    lines = []
    if scene.scores is not None:
        first, second = (
            f"**{escaped(name)}** {points(score)}"
            for name, score in zip(names, scene.scores, strict=True)
        )
        lines.append(f"{first} · {second}")
    if view["phase"] == "over":
        return [*lines, escaped(result_text(names, scene.match))]
    if view["paused"]:
        lines.append("The match is paused.")
    elif view["phase"] == "waiting":
        until = moment(view["waiting"]["until"])
        lines.append(f"The match begins once both players are there: until {until}.")
    lines += [_asked(each, scene) for each in view["decisions"]]
    if view["phase"] == "on":
        lines += _reserves(scene)
    latest = [escaped(line) for line in scene.lines[-_LATEST:]]
    return [*lines, "", *latest] if latest else lines


def _asked(decision: Mapping[str, Any], scene: Scene) -> str:
    """What is asked of a seat, and until when."""
    said = asked_line(decision, scene.names)
    clock = decision["clock"]
    if not clock["running"]:
        return said
    ends = scene.now + clock["turn_ms"] - clock["reading_ms"]
    if clock["reserve"] and clock["reading_ms"] > clock["turn_ms"]:
        ends += scene.view["reserve_ms"][decision["seat"]]
        return f"{said} On the reserve, which ends {moment(ends)}."
    return f"{said} The turn ends {moment(ends)}."


def _reserves(scene: Scene) -> list[str]:
    """What each has of the reserve: of whoever is on it, what it was when the turn began."""
    left = [
        f"{escaped(scene.names[seat])} {spoken(ms // 1000) if ms >= 1000 else 'none'}"
        for seat, ms in enumerate(scene.view["reserve_ms"])
    ]
    return [f"Reserve: {' · '.join(left)}"]


def _match_buttons(scene: Scene) -> list[Component]:
    match = scene.match
    if scene.view["phase"] == "over":
        address = absolute(reverse("games:replay", args=[match.pk]))
        return [link("Open the replay", address)]
    ready = [button("I'm ready", f"ready:{match.pk}")] if "waiting" in scene.view else []
    return [*ready, link("Open the board", absolute(match.get_absolute_url()))]


def test_message(season_address: str) -> dict[str, Any]:
    """What a test says."""
    row = [link("Open the season", absolute(season_address))]
    return _message(escaped(payloads.TEST_WORDS), row)


# -- names and addresses -------------------------------------------------------------------------


def _name(contestant: Contestant | None) -> str:
    return "?" if contestant is None else contestant.shown_name


def _round_address(stage: Round) -> str:
    return absolute(reverse("tournaments:round", args=[stage.season.slug, stage.number]))
