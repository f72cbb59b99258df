"""What a delivery says: ids, links and words that are public.

Of an event it is what `SeasonEvent` holds, which is public by its own rule. Of a match it is what
the room sees: this module reads a match through `match_view` and the room's log, never its state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.urls import reverse

from core.clock import now_ms
from games import store
from games.engine.decisions import ALL, ROOM
from games.engine.views import match_view
from games.models import Match
from games.pictures.keeping import picture_at_hand
from games.pictures.positions import Kind, Picture
from games.publishing import frames
from games.words import game_name, result_text
from tournaments.lifecycle import LegStatus
from tournaments.models import Contestant, DeathMatch, Leg, Round, Season, SeasonEvent
from tournaments.naming import Naming
from tournaments.webhooks.kinds import CHOICES, CLOCK, TEST, TURN
from tournaments.webhooks.models import Delivery

FORMAT = "gauntlet-webhook/1"
TEST_WORDS = "This is a test. What happens in the season will be told here."
# How many entries of the log are told of at once, where a receiver missed some.
_LATEST = 3


class Scene(NamedTuple):
    """A match as the room sees it: `version`, `view`, the latest `lines` of its log, the moment
    `at` (ms since 1970) of the last of them, and the number of its board's picture (`still`, see
    `games.pictures.diagrams`; None before there is one)."""

    match: Match
    version: int
    view: dict[str, Any]
    names: tuple[str, str]
    lines: tuple[str, ...]
    at: int
    still: int | None
    # The instant (ms) of the view, and the score by then; None before there is one.
    now: int
    scores: tuple[int, int] | None


def absolute(path: str) -> str:
    """A path of this site as a link that works elsewhere."""
    return settings.GAUNTLET_ORIGIN + path


def scene_of(match_id: int) -> Scene:
    """A match as the room sees it now; everything, once it is over."""
    match = Match.objects.prefetch_related("players").get(pk=match_id)
    held = store.seen_by_spectators(match)
    now = now_ms()
    view = match_view(held.ruleset, held.live, ROOM, at=now)
    first, second = (player.name for player in match.players.all())
    names = (first, second)
    seen = frames.log_of(match, ROOM, up_to=held.seq)
    log = frames.log_of(match, ALL, up_to=held.seq) if held.is_over else seen
    lines = tuple(
        _sentence(event, names)
        for item in log[-_LATEST:]
        if not item["taken_back"]
        for event in item["events"]
    )
    at = log[-1]["at"] if log else now
    still = None if view["game"] is None else len(seen)
    state = held.live.table.state
    scores = None if still is None or state is None else held.ruleset.scores(state)
    version = held.readers.versions[2]
    return Scene(match, version, view, names, lines, at, still, now, scores)


def picture_of(delivery: Delivery) -> bytes | None:
    """The board as PNG as it was when the delivery was written, or None where there was none."""
    if delivery.match is None or delivery.still is None:
        return None
    return picture_at_hand(Picture(delivery.match, Kind.AFTER_PNG, delivery.still))


def _sentence(event: dict[str, Any], names: tuple[str, str]) -> str:
    seat = event["seat"]
    return event["text"] if seat is None else f"{names[seat]}: {event['text']}"


def words_of(delivery: Delivery, scene: Scene | None) -> str:
    """A delivery in a sentence or two for people."""
    if delivery.event is not None:
        return Naming.of(delivery.webhook.season_id).marked(delivery.event.words)
    if delivery.kind == TEST:
        return TEST_WORDS
    if scene is None:
        return CHOICES[delivery.kind]
    if delivery.kind == CLOCK:
        return clock_words(delivery.data, scene.names)
    if scene.match.is_over:
        return result_text(scene.names, scene.match)
    return scene.lines[-1] if scene.lines else CHOICES[TURN]


def clock_words(data: Mapping[str, Any], names: Sequence[str], both: str = "Both players") -> str:
    """What a clock's reminder says. ``data`` has `seat`, `kind` and `left_ms`; ``both``: what both
    players are called."""
    seconds = data["left_ms"] // 1000
    whose = f"{both} have" if data["seat"] is None else f"{names[data['seat']]} has"
    if data["kind"] == "turn":
        return f"{whose} {seconds} s of the turn left."
    if data["kind"] == "reserve-entered":
        return f"{whose} used up the turn; the reserve of {seconds} s is running."
    return f"{whose} {seconds} s of the reserve left."


def body_of(delivery: Delivery, scene: Scene | None) -> bytes:
    """The JSON body of a delivery. See docs/webhooks.md for its shape."""
    event = delivery.event
    death_match = _death_match_of(delivery)
    body: dict[str, Any] = {
        "format": FORMAT,
        "id": str(delivery.uid),
        "kind": delivery.kind,
        "at": (event.at if event else delivery.created_at).isoformat(timespec="milliseconds"),
        "words": words_of(delivery, scene),
        "season": _season(delivery.webhook.season),
        "round": None if death_match is None else _round(death_match.round),
        "death_match": None if death_match is None else _death_match(death_match),
        "match": None if scene is None else _match(scene, delivery),
        "contestant": None,
        "data": delivery.data,
    }
    if event is not None:
        body["event"] = event.pk
        body["data"] = event.data
        if event.round is not None:
            body["round"] = _round(event.round)
        if event.contestant is not None:
            body["contestant"] = _contestant(event.contestant)
    return msgspec.json.encode(body)


def match_of(delivery: Delivery) -> int | None:
    """The match that a delivery is about, if any."""
    if delivery.event is None or delivery.match_id is not None:
        return delivery.match_id
    return match_of_event(delivery.event)


def match_of_event(event: SeasonEvent) -> int | None:
    """The match that an event is about, if any."""
    if event.leg is not None:
        return event.leg.match_id
    return _last_match(event) if event.kind == "death-match.decided" else None


def _last_match(event: SeasonEvent) -> int | None:
    """The last match that was played in a death match before it was decided; None where there was
    none: a bye, or somebody who did not come."""
    # As of then: of what waits since an older release, more may have been played.
    played = Leg.objects.filter(
        death_match=event.death_match_id,
        status=LegStatus.FINISHED,
        match__isnull=False,
        finished_at__lte=event.at,
    )
    return played.order_by("-number").values_list("match", flat=True).first()


def _death_match_of(delivery: Delivery) -> DeathMatch | None:
    if delivery.event is not None:
        return delivery.event.death_match
    if delivery.match_id is None:
        return None
    leg = (
        Leg.objects.select_related(
            "death_match__round__season", "death_match__home", "death_match__away"
        )
        .filter(match=delivery.match_id)
        .first()
    )
    return None if leg is None else leg.death_match


def _season(season: Season) -> dict[str, Any]:
    return {
        "id": str(season.uid),
        "slug": season.slug,
        "name": season.name,
        "url": absolute(season.get_absolute_url()),
    }


def _round(stage: Round) -> dict[str, Any]:
    return {"number": stage.number, "name": stage.name}


def _death_match(death_match: DeathMatch) -> dict[str, Any]:
    sides = (death_match.home, death_match.away)
    return {
        "id": death_match.pk,
        "number": death_match.number,
        "url": absolute(death_match.get_absolute_url()),
        "sides": [None if side is None else _contestant(side) for side in sides],
    }


def _contestant(contestant: Contestant) -> dict[str, Any]:
    return {"id": contestant.pk, "name": contestant.name}


def _match(scene: Scene, delivery: Delivery) -> dict[str, Any]:
    match = scene.match
    found: dict[str, Any] = {
        "id": match.pk,
        "url": absolute(match.get_absolute_url()),
        "ruleset": match.ruleset,
        "game": game_name(match.ruleset, match.variant),
        "seats": list(scene.names),
    }
    if delivery.kind == TURN:
        found["version"] = scene.version
    if scene.still is not None:
        found["board"] = absolute(reverse("games:board_after", args=[match.pk, scene.still]))
    if match.is_over:
        found["record"] = absolute(reverse("games:record", args=[match.pk]))
    return found
