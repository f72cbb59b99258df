"""What a whole season's messages read like, sentence by sentence: the bot's, and a webhook's of the
same events."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from accounts.models import User
from tests.games.support import committing
from tests.posts.support import Told, addresses, content
from tests.tournaments.support import START, episode_now, running, who
from tournaments.discord.fake.held import Message
from tournaments.models import DiscordPost, Season, Webhook
from tournaments.posts import kinds
from tournaments.posts.services import channel_connect
from tournaments.services import starts
from tournaments.services.events import season_event
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import SeasonRun, season_simulate
from tournaments.webhooks.kinds import BY_DEFAULT
from tournaments.webhooks.models import Delivery

pytestmark = pytest.mark.django_db

# Two who would format what they are named in, and mention everybody.
NAMES = ("*Ada* (the 1st)", "Ben_ @everyone")
SAID_BADLY = re.compile(
    r"\b1 (?:pts|points|matches|items|contestants)\b|\bNone\b|\bnull\b|\bPts\b|  |\.\.(?!\.)"
    r"| [.,;]|\b(\w+) \1\b|\{|\}|\\[()#>]"
)


def texts_of(body: dict[str, Any]) -> Iterator[str]:
    """Every text of a message that people read."""
    if body.get("content"):
        yield body["content"]
    for embed in body.get("embeds") or ():
        yield from (embed[part] for part in ("title", "description") if part in embed)


def must_read_well(body: dict[str, Any]) -> None:
    """Nothing in it is said badly, or shown as somebody's name would have it."""
    for text in texts_of(body):
        assert SAID_BADLY.search(text) is None, text
        assert all(line == line.strip() for line in text.splitlines()), text
        assert re.search(r"(?<!\\)@everyone", text) is None, text
        assert "*Ada*" not in text.replace(r"\*", ""), text
        assert not text.endswith(","), text
    assert body["allowed_mentions"] == {"parse": []}


def must_lead_somewhere(message: Message) -> None:
    for url in addresses(message):
        assert url.startswith("http://localhost:8000/"), url


@pytest.fixture
def players(ada: User, ben: User) -> list[User]:
    for user, name in zip((ada, ben), NAMES, strict=True):
        user.display_name = name
        user.save()
    return [ada, ben]


@pytest.mark.parametrize(
    ("kind", "size", "more"),
    [
        ("elimination", 4, {"seed": 3, "voids": 1, "corrections": 1, "drop_outs": 1}),
        ("elimination", 3, {"seed": 3, "quick": False}),
        ("round-robin", 3, {"seed": 1, "voids": 1, "corrections": 1, "no_shows": 1}),
        ("single-elimination", 4, {"seed": 1, "corrections": 1}),
    ],
)
def test_a_season_reads_well(
    told: Told,
    players: list[User],
    kind: str,
    size: int,
    more: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begin, play = starts.season_start, SeasonRun.play

    def begun(**arguments: Any) -> Season:
        _listened_to(told, arguments["season"])
        return begin(**arguments)

    def played(run: SeasonRun, death_match: Any) -> None:
        play(run, death_match)
        told.say()

    monkeypatch.setattr(starts, "season_start", begun)
    monkeypatch.setattr(SeasonRun, "play", played)
    plan = Plan(**{
        "format": kind, "contestants": size, "start": START, "quick": True, "best_of": 3, **more,
    })  # fmt: skip
    season_simulate(plan=plan, organiser=told.stage.orla, players=players)
    told.say(rounds=60)
    _must_all_read_well(told)
    assert {each.kind for each in DiscordPost.objects.all()} >= {"event", "round", "thread"}
    assert not DiscordPost.objects.exclude(status="done").exists()


def _listened_to(told: Told, season: Season) -> None:
    """A channel and a webhook are told of everything that happens in a season."""
    with committing():
        channel_connect(
            acting_user=told.stage.orla, season=season, channel_id=told.here.id,
            kinds=tuple(kinds.KINDS),
        )  # fmt: skip
    Webhook.objects.create(
        season=season, name="talk", url="https://discord.com/api/webhooks/1/x", flavour="discord",
        kinds=list(BY_DEFAULT), created_by=told.stage.orla,
    )  # fmt: skip


def _must_all_read_well(told: Told) -> None:
    assert told.fake.messages
    for message in told.fake.messages.values():
        must_read_well(message.body)
        must_lead_somewhere(message)
    deliveries = list(Delivery.objects.filter(event__isnull=False))
    assert deliveries
    for delivery in deliveries:
        said = json.loads(delivery.body)
        must_read_well(said)
        # The bot says the same of what both tell.
        post = DiscordPost.objects.filter(event=delivery.event_id).first()
        if post is not None:
            assert said["content"] == json.loads(post.body)["content"]


#: What each kind of event is about, and what it holds, besides its sentence.
ABOUT: dict[str, Callable[[Season], dict[str, Any]]] = {
    "episode.placed": lambda season: {
        "round": episode_now(season).round,
        "data": {"immune": [who(season, 2).pk], "choose_by": START.isoformat()},
    },
    "episode.chosen": lambda _season: {"data": {"games": ["Domain"], "by": "Orla"}},
    "death-match.scheduled": lambda _season: {"data": {"at": START.isoformat()}},
    "contestant.eliminated": lambda season: {"contestant": who(season, 1)},
    "item.given": lambda season: {
        "contestant": who(season, 1),
        "data": {"item": "copy", "ruleset": "", "giver": who(season, 2).pk, "note": "Good luck!"},
    },
}


@pytest.mark.parametrize("kind", BY_DEFAULT)
def test_every_kind_reads_well(told: Told, kind: str) -> None:
    """Also where an event has nothing of what it might have besides its sentence."""
    with committing():
        season = running(told.stage.orla, 4)
    _listened_to(told, season)
    with committing():
        season_event(season=season, kind=kind, words="So it is: Player 1.")
        about = ABOUT.get(kind)
        more: dict[str, Any] = {"data": {"by": "Orla"}} if about is None else about(season)
        season_event(season=season, kind=kind, words="So it is: Player 1.", **more)
    told.say()
    _must_all_read_well(told)
    if kind in kinds.TOLD:
        two = told.in_channel()[-2:]
        assert all("Player 1" in content(each) for each in two)
