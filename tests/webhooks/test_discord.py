"""What Discord is sent: readable, within its limits, and pinging nobody."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.discord.text import DESCRIPTION_MOST, cut, escaped
from games.models import Match
from tests.tournaments.support import after, begun, conceded, leg_of
from tests.webhooks.receiver import Receiver, status
from tests.webhooks.support import Stage
from tournaments.models import Contestant, DeathMatch, Leg, SeasonEvent
from tournaments.services.results import rulings
from tournaments.webhooks.kinds import CLOCK, FOR_PEOPLE, TURN
from tournaments.webhooks.models import Webhook

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(set_clock: Callable[[int], None]) -> None:
    set_clock(0)


@pytest.fixture
def channel(stage: Stage, receiver: Receiver) -> Webhook:
    return stage.webhook(receiver.discord_url, flavour="discord", kinds=[*FOR_PEOPLE, CLOCK])


def shown(text: str) -> str:
    """What Discord makes of escaped text: a backslash before punctuation shows just that."""
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", text)


HOSTILE = [
    "@everyone", "@here", "<@123456>", "<@&99>", "<#42>", "<:smile:1>", "</kick:1>",
    "**bold** _it_ ~~no~~ ||spoiler||", "`code` ```block```", "[click](https://evil.example)",
    "https://evil.example/x", "> quote", "# heading", "- item", "1. item", "-# small", "\\", "a\\",
    "line\nbreak\n\n# heading",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_shown_as_it_is(text: str) -> None:
    safe = escaped(text)
    assert shown(safe) == " ".join(text.split())
    # Nothing that means something is left without its backslash.
    means = r"[*_`\[<]|~~|\|\||@everyone|@here"
    assert re.search(rf"(?<!\\)(?:\\\\)*(?:{means})", safe) is None
    assert re.match(r"[>#+-]|\d+[.)]", safe) is None
    assert "://" not in safe
    assert "\n" not in safe


def test_what_means_nothing_has_no_backslash() -> None:
    """Notifications show every one of them."""
    for text in ("Ada (the 1st) vs Ben #2", "ada@home", "3 > 2, ~5 | 6", "Used up: Ada's Copy]."):
        assert escaped(text) == text


def test_cutting_leaves_no_half_of_a_pair() -> None:
    assert cut("short", 5) == "short"
    assert cut("longer", 5) == "long…"
    assert cut(r"ab\*cd", 4) == "ab…"
    assert cut(r"a\\\\b", 5) == r"a\\…"
    for most in range(2, 30):
        piece = cut(escaped("*" * 40), most)
        assert len(piece) <= most
        assert re.fullmatch(r"(\\\*)*…", piece)


def test_a_turn_with_the_boards_picture(stage: Stage, receiver: Receiver, channel: Webhook) -> None:
    stage.ben.display_name = "@everyone **Ben**"
    stage.ben.save()
    play = stage.play()
    play.move(0, "pick T", 1000)
    play.move(1, "pick L", 2000)
    play.move(0, "first", 3000)
    while stage.drain(channel):
        pass
    begins, turn = receiver.taken
    assert begins.message["content"] == "It begins."
    assert turn.path == "/api/webhooks/42/token-of-it?wait=true"
    assert "gauntlet-signature" not in turn.headers
    message = turn.message
    assert message["allowed_mentions"] == {"parse": []}
    (embed,) = message["embeds"]
    assert embed["title"] == "A turn"
    assert embed["author"]["name"] == "Autumn *Cup*"
    assert embed["url"].endswith(f"/matches/{play.pk}/")
    assert embed["image"] == {"url": "attachment://board.png"}
    assert r"\@everyone \*\*Ben\*\*" in embed["description"]
    name, png = turn.parts["files[0]"]
    assert name == "board.png"
    assert png.startswith(b"\x89PNG\r\n")


def test_a_death_match_from_its_start_to_its_result(stage: Stage, receiver: Receiver) -> None:
    """As the site itself tells it: nothing here writes an event by hand."""
    kinds = ["death-match.started", "death-match.decided"]
    channel = stage.webhook(receiver.discord_url, flavour="discord", kinds=kinds, name="talk")
    program = stage.webhook(receiver.url, kinds=kinds)
    conceded(begun(stage.orla, stage.death_match), winner=0)
    (match,) = Match.objects.all()
    while stage.drain(channel):
        pass
    started, decided = receiver.taken
    for taken, title in ((started, "A death match began"), (decided, "A death match was decided")):
        (embed,) = taken.message["embeds"]
        assert embed["title"] == title
        assert embed["url"].endswith(f"/matches/{match.pk}/")
        assert embed["image"] == {"url": "attachment://board.png"}
        assert taken.parts["files[0]"][1].startswith(b"\x89PNG\r\n")
    assert decided.message["content"] == "**Ada wins against Ben** by concession."
    while stage.drain(program):
        pass
    told = receiver.taken[-1].json
    assert (told["kind"], told["event"]) == (kinds[1], SeasonEvent.objects.get(kind=kinds[1]).pk)
    assert told["match"]["id"] == match.pk
    assert told["match"]["record"].endswith(f"/matches/{match.pk}/record.dmr.json")


def test_a_result_of_several_matches_shows_the_last_one(
    stage: Stage, receiver: Receiver, channel: Webhook
) -> None:
    stage.death_match.best_of = 3
    stage.death_match.save()
    for number in (2, 3):
        Leg.objects.create(
            death_match=stage.death_match, number=number, ruleset="tetronogo", variant="standard"
        )
    for number, winner in ((1, 0), (2, 1)):
        conceded(begun(stage.orla, stage.death_match, number), winner=winner)
    rulings.death_match_walkover(
        acting_user=stage.orla, death_match=stage.death_match, winner=stage.home, why="Ben left.",
        at=after(minutes=5),
    )  # fmt: skip
    while stage.drain(channel):
        pass
    second = leg_of(stage.death_match, 2).match
    assert second is not None
    (embed,) = (
        embed
        for taken in receiver.taken
        for embed in taken.message["embeds"]
        if embed["title"] == "A death match was decided"
    )
    assert embed["url"].endswith(f"/matches/{second.pk}/")


def test_the_sentence_of_an_event_is_the_message(
    stage: Stage, receiver: Receiver, channel: Webhook
) -> None:
    stage.event("contestant.eliminated", "*Ben* is out.", contestant=stage.away)
    stage.drain(channel)
    (taken,) = receiver.taken
    assert set(taken.parts) == {"payload_json"}
    message = taken.message
    assert message["content"] == "**\\*Ben\\* is out.**\nStill in: Ada, Ben"
    assert message["embeds"][0]["title"] == "Somebody is out"
    assert "image" not in message["embeds"][0]


@pytest.mark.parametrize(
    ("kind", "about"),
    [
        ("death-match.paired", "death_match"),
        ("death-match.scheduled", "leg"),
        ("death-match.reminder", "leg"),
        ("item.given", "death_match"),
        ("contestant.eliminated", "death_match"),
    ],
)
def test_the_title_leads_to_the_death_match(
    stage: Stage, receiver: Receiver, channel: Webhook, kind: str, about: str
) -> None:
    stage.event(kind, "Nothing is being played yet.", **{about: getattr(stage, about)})
    stage.event(kind, "About the season as a whole.")
    stage.drain(channel)
    of_it, of_all = (taken.message["embeds"][0] for taken in receiver.taken)
    season = "http://localhost:8000/seasons/autumn/"
    assert of_it["url"] == f"{season}matches/{stage.death_match.pk}/"
    assert of_it["author"]["url"] == of_all["url"] == season


def test_pairings_of_a_new_round_and_standings_of_a_complete_one(
    stage: Stage, receiver: Receiver, channel: Webhook
) -> None:
    stage.season.format = "swiss"
    stage.season.save()
    dora = Contestant.objects.create(
        season=stage.season, user=stage.orla, name="Dora_", seed=3, status="active"
    )
    DeathMatch.objects.create(
        round=stage.round, number=2, home=dora, status="decided", how="bye", winner=dora,
        decided_at=stage.at,
    )  # fmt: skip
    stage.event("round.opened", "Round 1 is paired.", round=stage.round)
    stage.drain(channel)
    opened = receiver.taken[-1].message["embeds"][0]
    assert opened["description"] == "Ada vs Ben\nDora\\_ has a bye"
    DeathMatch.objects.filter(pk=stage.death_match.pk).update(
        status="decided", winner=stage.home, how="played", decided_at=stage.at
    )
    stage.round.status, stage.round.closed_at = "closed", stage.at
    stage.round.save()
    stage.event("round.closed", "Round 1 is complete.", round=stage.round)
    stage.drain(channel)
    closed = receiver.taken[-1].message["embeds"][0]["description"].splitlines()
    assert closed[:4] == [
        "Ada vs Ben: **Ada** won", "Dora\\_ has a bye", "", "**Standings**",
    ]  # fmt: skip
    closed = closed[4:]
    assert len(closed) == 3
    assert closed[-1].startswith("3\\. Ben: 0 pts")
    assert {line.split("\\. ")[1].split(": ")[0] for line in closed[:2]} == {"Ada", "Dora\\_"}


def test_results_of_a_round_where_there_is_no_table(
    stage: Stage, receiver: Receiver, channel: Webhook
) -> None:
    stage.season.format = "single-elimination"
    stage.season.save()
    DeathMatch.objects.filter(pk=stage.death_match.pk).update(
        status="decided", winner=stage.home, how="played", decided_at=stage.at
    )
    stage.round.status, stage.round.closed_at = "closed", stage.at
    stage.round.save()
    stage.event("round.closed", "Round 1 is complete.", round=stage.round)
    stage.drain(channel)
    (embed,) = receiver.taken[-1].message["embeds"]
    assert embed["description"] == "Ada vs Ben: **Ada** won"


def test_limits_of_length(stage: Stage, receiver: Receiver, channel: Webhook) -> None:
    stage.season.format = "swiss"
    stage.season.save()
    for number in range(3, 60):
        Contestant.objects.create(
            season=stage.season, name="*" * 190 + str(number), seed=number, status="active"
        )
    stage.event("round.closed", "*" * 500, round=stage.round)
    stage.season.name = "N" * 80
    stage.season.save()
    stage.drain(channel)
    message = receiver.taken[0].message
    (embed,) = message["embeds"]
    assert len(message["content"]) == 1000
    assert 1700 < len(embed["description"]) <= DESCRIPTION_MOST
    assert re.search(r"\n… and \d+ more$", embed["description"])
    total = sum(len(embed[part]) for part in ("title", "description")) + len(
        embed["author"]["name"]
    )
    assert total <= 6000


def test_rate_limits_are_obeyed(stage: Stage, receiver: Receiver, channel: Webhook) -> None:
    for _ in range(4):
        stage.event()
    receiver.manners += [
        status(200, b"{}", X_RateLimit_Remaining="1", X_RateLimit_Reset_After="250"),
        status(200, b"{}", X_RateLimit_Remaining="0", X_RateLimit_Reset_After="250.5"),
        status(429, b'{"retry_after": 400}', Retry_After="400", X_RateLimit_Remaining="0"),
    ]
    assert stage.drain(channel) == 2  # the second says that a third would be too many
    assert stage.drain(channel, after=timedelta(seconds=250)) == 0
    assert stage.drain(channel, after=timedelta(seconds=1)) == 1
    channel.refresh_from_db()
    assert channel.failures == 0  # being asked to wait is no failure
    assert stage.drain(channel, after=timedelta(seconds=399)) == 0
    assert stage.drain(channel, after=timedelta(seconds=2)) == 2
    assert {each.status for each in stage.deliveries(channel)} == {"delivered"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 5),
        ({"Retry_After": "30"}, 30),
        ({"Retry_After": "6457", "X_RateLimit_Reset_After": "6.457"}, 6.457),
        ({"Retry_After": "999999"}, 3600),
        ({"Retry_After": "-3"}, 5),
        ({"Retry_After": "nan"}, 5),
        ({"Retry_After": "inf"}, 5),
        ({"Retry_After": "Wed, 21 Oct 2026 07:28:00 GMT"}, 5),
    ],
)
def test_how_long_to_rest(
    stage: Stage, receiver: Receiver, channel: Webhook, headers: dict[str, str], seconds: float
) -> None:
    stage.event()
    receiver.manners.append(status(429, **headers))
    stage.drain(channel)
    channel.refresh_from_db()
    rest = (channel.not_before - stage.at).total_seconds()  # type: ignore[operator]
    assert rest == pytest.approx(seconds, abs=0.5)


def test_a_webhook_that_was_deleted_in_discord(
    stage: Stage, receiver: Receiver, channel: Webhook
) -> None:
    stage.event()
    receiver.manners.append(status(404, b'{"message": "Unknown Webhook", "code": 10015}'))
    stage.drain(channel)
    channel.refresh_from_db()
    assert not channel.active
    assert stage.only(channel).status == "failed"
    assert stage.mailed == [channel.pk]


def test_every_kind_makes_a_message(stage: Stage, receiver: Receiver, channel: Webhook) -> None:
    play: Any = stage.play()
    kinds = [kind for kind in FOR_PEOPLE if kind != TURN]
    for kind in kinds:
        stage.event(kind, "Words.", leg=stage.leg, round=stage.round, contestant=stage.home)
    play.act(stage.orla, "void", 1000)
    while stage.drain(channel):
        pass
    for taken in receiver.taken:
        message = taken.message
        assert message["content"]
        assert message["embeds"][0]["title"]
    assert len(receiver.taken) >= len(kinds)


def test_the_address_is_not_written_into_logs(
    stage: Stage, receiver: Receiver, channel: Webhook, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        stage.event()
        stage.drain(channel)
    assert len(receiver.taken) == 1
    assert "webhook.attempt" in caplog.text
    assert "token-of-it" not in caplog.text
