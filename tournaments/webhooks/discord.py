"""A delivery as a Discord message: readable, with the board's picture, and harmless.

Discord's "execute webhook" takes JSON, or a form with the JSON in `payload_json` and files beside
it. Names and words of players are shown as they are: every character that Discord gives a meaning
to is escaped, and nobody is pinged whatever somebody calls themselves.
"""

from __future__ import annotations

from typing import Any

import msgspec

from core.discord.text import AUTHOR_MOST, CONTENT_MOST, TITLE_MOST, cut, escaped
from tournaments.webhooks.kinds import CHOICES, CLOCK, TEST, TURN, WITH_BOARD
from tournaments.webhooks.models import Delivery
from tournaments.webhooks.payloads import Scene, absolute, words_of
from tournaments.webhooks.telling import (
    asked_line,
    event_text,
    leg_told,
    pairing_line,
    round_pairs,
    round_text,
    since_lines,
    standings_lines,
    within_limit,
)

PICTURE = "board.png"
_COLOURS = {
    "season": 0x6B4FA0,
    "round": 0x6B4FA0,
    "episode": 0x6B4FA0,
    "contestant": 0xB3392F,
    "death-match": 0x2F6FB3,
    "item": 0xB08A2E,
    "ruling": 0xB3392F,
}
_OF_ROUNDS = frozenset({"round.opened", "round.closed"})


def message_of(delivery: Delivery, scene: Scene | None) -> dict[str, Any]:
    """The message's JSON; with a picture where `wants_board` says so."""
    season = delivery.webhook.season
    if delivery.event is None:
        words = escaped(words_of(delivery, scene))
    else:
        words = event_text(delivery.event, scene)
    embed: dict[str, Any] = {
        # The author's and the footer's lines are shown without formatting.
        "author": {
            "name": cut(_plain(season.name), AUTHOR_MOST),
            "url": absolute(season.get_absolute_url()),
        },
        "title": cut(title_of(delivery.kind), TITLE_MOST),
        "color": colour_of(delivery.kind),
        "timestamp": (delivery.event.at if delivery.event else delivery.created_at).isoformat(),
    }
    lines = _lines(delivery, scene)
    if lines:
        embed["description"] = lines
    if scene is not None:
        embed["url"] = absolute(scene.match.get_absolute_url())
    elif delivery.event is not None:
        embed["url"] = absolute((delivery.event.death_match or season).get_absolute_url())
    if wants_board(delivery, scene):
        embed["image"] = {"url": f"attachment://{PICTURE}"}
    return {
        "content": cut(words, CONTENT_MOST),
        "embeds": [embed],
        "allowed_mentions": {"parse": []},
    }


def wants_board(delivery: Delivery, scene: Scene | None) -> bool:
    """Whether the board's picture belongs to a message, and there is one."""
    return scene is not None and scene.still is not None and delivery.kind in WITH_BOARD


def form_of(message: bytes, png: bytes | None) -> dict[str, tuple[str | None, bytes, str]]:
    """The parts of the form that is sent: the message, and the picture where there is one."""
    parts: dict[str, tuple[str | None, bytes, str]] = {
        "payload_json": (None, message, "application/json")
    }
    if png is not None:
        parts["files[0]"] = (PICTURE, png, "image/png")
    return parts


def message_bytes(delivery: Delivery, scene: Scene | None) -> bytes:
    """The message as JSON text."""
    return msgspec.json.encode(message_of(delivery, scene))


def _plain(text: str) -> str:
    return " ".join(text.split())


def title_of(kind: str) -> str:
    """What stands above what is told of that kind."""
    if kind == TEST:
        return "Gauntlet speaks here"
    if kind == TURN:
        return "A turn"
    if kind == CLOCK:
        return "The clock"
    return CHOICES.get(kind, kind)


def colour_of(kind: str) -> int:
    """The colour beside what is told of that kind."""
    return _COLOURS.get(kind.partition(".")[0], 0x777777)


# -- what stands below the title -----------------------------------------------------------------


def _lines(delivery: Delivery, scene: Scene | None) -> str:
    event = delivery.event
    if event is not None and event.round is not None and event.kind in _OF_ROUNDS:
        is_over = event.kind == "round.closed"
        standings = standings_lines(delivery.webhook.season) if is_over else []
        return round_text([pairing_line(pair) for pair in round_pairs(event.round.pk)], standings)
    if scene is None or delivery.kind not in {TURN, "death-match.started"}:
        return ""
    lines = [escaped(line) for line in scene.lines] if delivery.kind == TURN else []
    if scene.match.is_over:
        lines += since_lines(leg_told(scene.match.pk), scene)
    else:
        lines += [asked_line(decision, scene.names) for decision in scene.view["decisions"]]
    return within_limit(lines)
