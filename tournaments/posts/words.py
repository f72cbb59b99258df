"""What messages say, from what everybody may see: a match is looked at as the room sees it.

How what happened reads, webhooks and the bot have in common (`tournaments.webhooks.telling`); here
is what only the bot says: reminders, and what is edited as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from django.urls import reverse

from core.discord.text import CONTENT_MOST, TITLE_MOST, cut, escaped, moment
from games.engine.errors import EngineFault
from games.models import Match
from games.options.pace import spoken
from games.words import game_name, points, result_text, told_scores
from tournaments.discord.interactions import Component, button, link
from tournaments.discord.people import mentioned_of
from tournaments.discord.replies import OF_MATCHES, OF_SEASONS, begins_line
from tournaments.lifecycle import SETTLED, DeathMatchStatus, LegStatus, RoundStatus
from tournaments.models import Contestant, DeathMatch, Leg, Round, SeasonEvent
from tournaments.posts.models import DiscordPlace, DiscordPost
from tournaments.webhooks import payloads
from tournaments.webhooks.discord import PICTURE
from tournaments.webhooks.payloads import Scene, absolute
from tournaments.webhooks.telling import (
    asked_line,
    event_text,
    how_text,
    leg_told,
    pair_line,
    pairing_line,
    round_pairs,
    round_text,
    since_lines,
    soon_text,
    standings_lines,
    within_limit,
    won_line,
)

THREAD_NAME_MOST: Final = 100
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
    said = _EVENTS.get(event.kind, _told)(event, post)
    post.body = encoded(said.message)
    post.match, post.still = said.match, said.still


def _told(event: SeasonEvent, post: DiscordPost) -> Said:
    """The event, and what leads to it."""
    watching = _watching(post) if event.kind == "season.started" else []
    return Said(_message(event_text(event, None), [*watching, _page(event)]))


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
    embed = _picture(scene)
    message = _message(event_text(event, scene), [_page(event)], embed=embed)
    if scene is None or embed is None:
        return Said(message)
    return Said(message, scene.match, scene.still)


def _picture(scene: Scene | None) -> dict[str, Any] | None:
    """An embed with a board, where there is one."""
    if scene is None or scene.still is None:
        return None
    title = cut(escaped(" vs ".join(scene.names)), TITLE_MOST)
    address = absolute(scene.match.get_absolute_url())
    image = {"url": f"attachment://{PICTURE}"}
    return {"title": title, "url": address, "color": OF_MATCHES, "image": image}


def _soon(event: SeasonEvent, post: DiscordPost) -> Said:
    """That a match begins soon, to those of both players who want it where that is wanted."""
    mentioned: dict[int, str] = {}
    row, pair = event.death_match, ""
    if post.place.channel.mentions and row is not None:
        sides = [side for side in (row.home, row.away) if side is not None]
        mentioned = mentioned_of(side.user_id for side in sides)
        if mentioned:
            called = [_called(side.user_id, side.shown_name, mentioned) for side in sides]
            pair = " vs ".join(called)
    ready = [button("I'm ready", f"here:{event.leg_id}")] if event.leg_id else []
    message = _message(soon_text(event, pair), [*ready, _page(event)], mentioned=mentioned.values())
    return Said(message)


def _called(user_id: int | None, name: str, mentioned: Mapping[int, str]) -> str:
    """Somebody where reminders name them: by a mention, which shows the name, or by that."""
    number = mentioned.get(user_id or 0)
    return escaped(name) if number is None else f"<@{number}>"


_EVENTS: Final[Mapping[str, Callable[[SeasonEvent, DiscordPost], Said]]] = {
    "death-match.decided": _result,
    "death-match.leg": _result,
    "death-match.reminder": _soon,
}


# -- clocks --------------------------------------------------------------------------------------


def clock_compose(
    post: DiscordPost, leg: Leg, *, seat: int | None, kind: str, left_ms: int, at: int
) -> None:
    """Set the ``body`` of a reminder: whose time is running out, and until when. Nothing is
    saved."""
    players = list(leg.match.players.order_by("seat")) if leg.match is not None else []
    mentioned: dict[int, str] = {}
    if post.place.channel.mentions:
        asked = [each.user_id for each in players if seat is None or each.seat == seat]
        mentioned = mentioned_of(asked)
    called = [_called(each.user_id, each.name, mentioned) for each in players]
    both = " and ".join(called) if mentioned else "Both players"
    data = {"seat": seat, "kind": kind, "left_ms": left_ms}
    content = f"{payloads.clock_words(data, called, both)} It ends {moment(at + left_ms)}."
    row = [link("Open the board", absolute(reverse("games:match", args=[leg.match_id])))]
    post.body = encoded(_message(content, row, mentioned=mentioned.values()))


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
        lines.append(f"{won_line(row)}.")
    elif row.status == DeathMatchStatus.VOID:
        lines.append("Void.")
    elif row.status == DeathMatchStatus.RUNNING:
        lines.append("It is on.")
    else:
        lines += [_when(leg, row) for leg in legs if leg.scheduled_at is not None]
    page = link("Open the death match", absolute(row.get_absolute_url()))
    return Said(_message("\n".join(lines), [*_ready(row, legs), page]))


def _ready(row: DeathMatch, legs: Sequence[Leg]) -> list[Component]:
    """The button of both players for the match that comes next, while none is on."""
    planned = [leg for leg in legs if leg.status == LegStatus.PLANNED]
    is_on = any(leg.status == LegStatus.RUNNING for leg in legs)
    if row.home is None or row.away is None or row.status in SETTLED or is_on:
        return []
    return [button("I'm ready", f"here:{leg.pk}") for leg in planned[:1]]


def _games(legs: Sequence[Leg]) -> list[str]:
    """What is played, as far as that is decided: a game that comes several times stands once."""
    named = [game_name(leg.ruleset, leg.variant) for leg in legs if leg.ruleset]
    return [escaped(", then ".join(dict.fromkeys(named)))] if named else []


def _when(leg: Leg, row: DeathMatch) -> str:
    at = 1000 * leg.scheduled_at.timestamp() if leg.scheduled_at is not None else 0
    which = f"Match {leg.number}: " if row.best_of > 1 else ""
    return f"{which}{moment(at, 'F')}, {moment(at)}"


def round_said(post: DiscordPost, round_id: int) -> Said:
    """A round: who meets whom and when, the results, and who stands where once it is complete."""
    stage = Round.objects.select_related("season").get(pk=round_id)
    threads = dict(
        DiscordPlace.objects.filter(channel=post.place.channel_id)
        .exclude(thread_id="")
        .values_list("death_match", "thread_id")
    )
    pairs = [pairing_line(each, threads.get(each.pk, "")) for each in round_pairs(stage.pk)]
    is_over = stage.status == RoundStatus.CLOSED
    standings = standings_lines(stage.season) if is_over else []
    embed = {
        "author": {"name": cut(" ".join(stage.season.name.split()), TITLE_MOST)},
        "title": cut(escaped(stage.name), TITLE_MOST),
        "url": _round_address(stage),
        "color": OF_SEASONS,
        "description": round_text(pairs, standings) or "Nobody is paired yet.",
        "footer": {"text": "Complete" if is_over else "Being played"},
    }
    row = [*_watching(post), link("Open the round", _round_address(stage))]
    return Said(_message("", row, embed=embed))


def _watching(post: DiscordPost) -> list[Component]:
    """By what people take the role of those who watch, where there is one."""
    channel = post.place.channel
    if not channel.spectator_role:
        return []
    return [button("Watch", f"watch:{channel.season_id}", primary=False)]


def match_said(match_id: int) -> Said:
    """A match as the room sees it: the board, the score, whose turn it is and until when."""
    scene = payloads.scene_of(match_id)
    match = scene.match
    leg = leg_told(match_id)
    embed: dict[str, Any] = {
        "author": {"name": cut(game_name(match.ruleset, match.variant), TITLE_MOST)},
        "title": cut(" vs ".join(map(escaped, scene.names)), TITLE_MOST),
        "url": absolute(match.get_absolute_url()),
        "color": OF_MATCHES,
        "description": within_limit([*_match_lines(scene), *since_lines(leg, scene)]),
    }
    if leg is not None and leg.death_match.best_of > 1:
        embed["footer"] = {"text": f"Match {leg.number} of at most {leg.death_match.best_of}"}
    if scene.still is not None:
        embed["image"] = {"url": f"attachment://{PICTURE}"}
    message = _message("", _match_buttons(scene), embed=embed)
    return Said(message, match, scene.still, scene.version, scene.view["phase"] == "over")


def _match_lines(scene: Scene) -> list[str]:
    view, names = scene.view, scene.names
    lines = []
    says_score = view["phase"] != "over" or told_scores(scene.match) is not None
    if scene.scores is not None and says_score:
        first, second = (
            f"**{escaped(name)}** {points(score)}"
            for name, score in zip(names, scene.scores, strict=True)
        )
        lines.append(f"{first} · {second}")
    if view["phase"] == "over":
        won = scene.match.winner
        if won is None:
            return [*lines, escaped(result_text(names, scene.match))]
        return [*lines, f"**{escaped(names[won])}** won {how_text(scene.match)}."]
    if view["paused"]:
        lines.append("The match is paused.")
    elif view["phase"] == "waiting":
        lines.append(begins_line(view["waiting"]))
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
