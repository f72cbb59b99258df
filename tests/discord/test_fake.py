"""The Discord that tests play: it takes what Discord takes, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tournaments.discord.fake import schemas
from tournaments.discord.fake.held import Channel
from tournaments.discord.fake.limits import Limits, Rate
from tournaments.discord.fake.people import Interactions, Person
from tournaments.discord.fake.schemas import Invalid
from tournaments.discord.fake.server import FakeDiscord


@pytest.fixture
def channel(fake: FakeDiscord) -> Channel:
    return fake.channel(fake.guild())


@pytest.fixture
def bot(fake: FakeDiscord) -> Iterator[httpx.Client]:
    """The application's bot."""
    headers = {"Authorization": f"Bot {fake.bot_token}", "User-Agent": "DiscordBot (here, 1)"}
    with httpx.Client(base_url=fake.api, headers=headers) as client:
        yield client


# -- what it takes -------------------------------------------------------------------------------

EMBED = {"title": "t" * 256, "description": "d" * 4096, "footer": {"text": "f" * 1500}}
BUTTON = {"type": 2, "style": 1, "label": "Ready", "custom_id": "ready:1"}
LINK = {"type": 2, "style": 5, "label": "Open", "url": "https://example.org/1"}
OPTION = {"label": "Ada", "value": "1"}
MENU = {"type": 3, "custom_id": "who", "options": [OPTION]}


def row(*inner: Any) -> dict[str, Any]:
    return {"type": 1, "components": list(inner)}


def fields(count: int, **more: Any) -> dict[str, Any]:
    return {"fields": [{"name": "n", "value": "v", **more} for _ in range(count)]}


@pytest.mark.parametrize(
    "message",
    [
        {"content": "c" * 2000},
        {"embeds": [{"title": "t"}] * 10},
        {"embeds": [EMBED]},
        {"embeds": [fields(25)]},
        {"components": [row(*[{**BUTTON, "custom_id": str(n)} for n in range(5)]), row(MENU)]},
        {"components": [row(LINK)]},
        {"content": "c", "allowed_mentions": {"parse": [], "users": ["1" * 18]}},
        {"embeds": [{"image": {"url": "attachment://board.png"}}]},
    ],
)
def test_a_message_that_discord_takes(message: dict[str, Any]) -> None:
    schemas.message_check(message, files={"board.png": 100})


@pytest.mark.parametrize(
    ("message", "at"),
    [
        ({"content": "c" * 2001}, "body.content"),
        ({}, "body"),
        ({"content": ""}, "body"),
        ({"contents": "c"}, "body.contents"),
        ({"embeds": [{"title": "t"}] * 11}, "body.embeds"),
        ({"embeds": [{"title": "t" * 257}]}, "body.embeds[0].title"),
        ({"embeds": [{"description": "d" * 4097}]}, "body.embeds[0].description"),
        ({"embeds": [{"footer": {"text": "f" * 2049}}]}, "body.embeds[0].footer.text"),
        ({"embeds": [{"author": {"name": "a" * 257}}]}, "body.embeds[0].author.name"),
        ({"embeds": [fields(26)]}, "body.embeds[0].fields"),
        ({"embeds": [fields(1, name="n" * 257)]}, "body.embeds[0].fields[0].name"),
        ({"embeds": [fields(1, value="v" * 1025)]}, "body.embeds[0].fields[0].value"),
        ({"embeds": [EMBED, EMBED]}, "body.embeds"),
        ({"embeds": [{"color": 1 << 24}]}, "body.embeds[0].color"),
        ({"embeds": [{"timestamp": "soon"}]}, "body.embeds[0].timestamp"),
        ({"embeds": [{"url": "javascript:1"}]}, "body.embeds[0].url"),
        ({"embeds": [{"image": {"url": "attachment://a.png"}}]}, "body.embeds[0].image.url"),
        ({"components": [row(BUTTON)] * 6}, "body.components"),
        ({"components": [row(*[BUTTON] * 6)]}, "body.components[0].components"),
        ({"components": [row(BUTTON), row(BUTTON)]}, "body.components[1].components[0].custom_id"),
        ({"components": [row(BUTTON, MENU)]}, "body.components[0].components"),
        ({"components": [BUTTON]}, "body.components[0].type"),
        (
            {"components": [row({**BUTTON, "custom_id": "c" * 101})]},
            "body.components[0].components[0].custom_id",
        ),
        (
            {"components": [row({**BUTTON, "label": "l" * 81})]},
            "body.components[0].components[0].label",
        ),
        (
            {"components": [row({**LINK, "custom_id": "c"})]},
            "body.components[0].components[0].custom_id",
        ),
        (
            {"components": [row({**MENU, "options": [OPTION] * 26})]},
            "body.components[0].components[0].options",
        ),
        (
            {"components": [row({**MENU, "options": [{**OPTION, "label": "l" * 101}]})]},
            "body.components[0].components[0].options[0].label",
        ),
        ({"content": "c", "allowed_mentions": {"users": [1]}}, "body.allowed_mentions.users[0]"),
        (
            {"content": "c", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
            "body.allowed_mentions.users",
        ),
        ({"content": "c", "flags": schemas.EPHEMERAL}, "body.flags"),
    ],
)
def test_a_message_that_it_does_not(message: dict[str, Any], at: str) -> None:
    with pytest.raises(Invalid) as caught:
        schemas.message_check(message, files={})
    assert at in caught.value.faults


COMMAND = {"name": "move", "description": "Move."}
TEXT = {"type": 3, "name": "text", "description": "The move."}


@pytest.mark.parametrize(
    ("commands", "at"),
    [
        ([{**COMMAND, "name": "Move"}], "body[0].name"),
        ([{**COMMAND, "name": "a move"}], "body[0].name"),
        ([{**COMMAND, "name": "m" * 33}], "body[0].name"),
        ([{**COMMAND, "description": ""}], "body[0].description"),
        ([{**COMMAND, "description": "d" * 101}], "body[0].description"),
        ([COMMAND, COMMAND], "body"),
        ([{**COMMAND, "name": f"m{n}"} for n in range(101)], "body"),
        (
            [{**COMMAND, "options": [{**TEXT, "name": f"o{n}"} for n in range(26)]}],
            "body[0].options",
        ),
        ([{**COMMAND, "options": [TEXT, TEXT]}], "body[0].options"),
        (
            [{**COMMAND, "options": [TEXT, {**TEXT, "name": "more", "required": True}]}],
            "body[0].options",
        ),
        (
            [{**COMMAND, "options": [{**TEXT, "choices": [{"name": "n" * 101, "value": "v"}]}]}],
            "body[0].options[0].choices[0].name",
        ),
        (
            [{**COMMAND, "options": [{**TEXT, "type": 5, "autocomplete": True}]}],
            "body[0].options[0].type",
        ),
    ],
)
def test_commands_that_cannot_be_registered(commands: list[dict[str, Any]], at: str) -> None:
    with pytest.raises(Invalid) as caught:
        schemas.commands_check(commands)
    assert at in caught.value.faults


@pytest.mark.parametrize("name", ["move", "i-am-ready", "pick_2", "züge", "手"])
def test_commands_may_be_called(name: str) -> None:
    schemas.commands_check([{**COMMAND, "name": name}])


def test_autocomplete_offers_little() -> None:
    def answer(count: int, length: int) -> dict[str, Any]:
        choices = [{"name": f"{n:0{length}}", "value": "v"} for n in range(count)]
        return {"type": 8, "data": {"choices": choices}}

    schemas.answer_check(4, answer(25, 100))
    for count, length in ((26, 3), (1, 101)):
        with pytest.raises(Invalid):
            schemas.answer_check(4, answer(count, length))


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (1, {"type": 4, "data": {"content": "c"}}),
        (2, {"type": 7, "data": {"content": "c"}}),
        (2, {"type": 4, "data": {}}),
        (2, {"type": 5, "data": {"flags": 1}}),
        (4, {"type": 4, "data": {"content": "c"}}),
        (2, {"kind": 4}),
    ],
)
def test_what_is_no_answer(kind: int, answer: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        schemas.answer_check(kind, answer)


# -- how often -----------------------------------------------------------------------------------


def test_a_bucket_fills_up_and_empties() -> None:
    now = [0.0]
    limits = Limits(lambda: now[0], {"message_post": Rate(2, 5.0)})
    left = [limits.take("message_post", "1").headers["X-RateLimit-Remaining"] for _ in "ab"]
    assert left == ["1", "0"]
    refused = limits.take("message_post", "1")
    assert (refused.wait, refused.everything) == (5.0, False)
    assert refused.headers["X-RateLimit-Scope"] == "user"
    assert not limits.take("message_post", "2").wait  # another channel
    now[0] = 5.0
    assert not limits.take("message_post", "1").wait


def test_all_of_an_application_have_so_much_a_second() -> None:
    now = [0.0]
    limits = Limits(lambda: now[0])
    for number in range(50):
        assert not limits.take("message_post", str(number)).wait
    refused = limits.take("message_post", "x")
    assert refused.everything
    assert refused.headers["X-RateLimit-Global"] == "true"
    assert not limits.take("webhook_post", "x", counts=False).wait
    now[0] = 1.0
    assert not limits.take("message_post", "x").wait


# -- the service ---------------------------------------------------------------------------------


def test_messages_are_sent_edited_and_deleted(bot: httpx.Client, channel: Channel) -> None:
    sent = bot.post(f"channels/{channel.id}/messages", json={"content": "One"})
    assert sent.headers["X-RateLimit-Remaining"] == "4"
    address = f"channels/{channel.id}/messages/{sent.json()['id']}"
    assert bot.patch(address, json={"content": "Two"}).json()["content"] == "Two"
    assert bot.get(address).json()["content"] == "Two"
    assert bot.delete(address).status_code == 204
    gone = bot.patch(address, json={"content": "Three"})
    assert (gone.status_code, gone.json()["code"]) == (404, 10008)


def test_files_come_in_a_form(bot: httpx.Client, fake: FakeDiscord, channel: Channel) -> None:
    message = {"embeds": [{"image": {"url": "attachment://board.png"}}]}
    parts: dict[str, tuple[str | None, str | bytes, str]] = {
        "payload_json": (None, json.dumps(message), "application/json"),
        "files[0]": ("board.png", b"png", "image/png"),
    }
    assert bot.post(f"channels/{channel.id}/messages", files=parts).status_code == 200
    assert fake.said_in(channel)[0].files == {"board.png": b"png"}
    refused = bot.post(f"channels/{channel.id}/messages", json=message)
    assert (refused.status_code, refused.json()["code"]) == (400, 50035)


def test_threads_end(bot: httpx.Client, fake: FakeDiscord, channel: Channel) -> None:
    made = bot.post(f"channels/{channel.id}/threads", json={"name": "Ada vs Ben", "type": 11})
    thread = fake.channels[made.json()["id"]]
    message = bot.post(f"channels/{thread.id}/messages", json={"content": "One"}).json()
    thread.archived = True
    address = f"channels/{thread.id}/messages/{message['id']}"
    assert bot.patch(address, json={"content": "Two"}).json()["code"] == 50083
    bot.post(f"channels/{thread.id}/messages", json={"content": "Three"})
    assert not thread.archived  # who writes there takes it out again
    fake.delete(thread)
    assert bot.patch(address, json={"content": "Two"}).json()["code"] == 10003
    too_long = bot.post(f"channels/{channel.id}/threads", json={"name": "n" * 101})
    assert too_long.json()["code"] == 50035


def test_permissions(bot: httpx.Client, fake: FakeDiscord, channel: Channel) -> None:
    channel.may.discard("send")
    refused = bot.post(f"channels/{channel.id}/messages", json={"content": "One"})
    assert (refused.status_code, refused.json()["code"]) == (403, 50013)
    bot.headers["Authorization"] = "Bot another"
    assert bot.get(f"channels/{channel.id}").status_code == 401


def test_roles(bot: httpx.Client, fake: FakeDiscord) -> None:
    guild = fake.guild(members={"5": set()})
    guild.roles["7"] = "Contestant"
    address = f"guilds/{guild.id}/members/5/roles/7"
    assert bot.put(address).status_code == 204
    assert guild.members["5"] == {"7"}
    assert bot.delete(address).status_code == 204
    assert guild.members["5"] == set()
    assert bot.put(f"guilds/{guild.id}/members/6/roles/7").json()["code"] == 10007
    assert bot.put(f"guilds/{guild.id}/members/5/roles/8").json()["code"] == 10011


def test_the_bot_is_alone_with_whoever_shares_a_server_and_takes_messages(
    bot: httpx.Client, fake: FakeDiscord
) -> None:
    fake.limits.rates["direct_post"] = Rate(100, 1.0)
    server = fake.guild(members={"7": set()})

    def opened(**said: Any) -> httpx.Response:
        return bot.post("/users/@me/channels", json=said)

    own = opened(recipient_id="7").json()
    assert (own["type"], own["recipients"]) == (1, [{"id": "7"}])
    assert opened(recipient_id="7").json()["id"] == own["id"]
    for wrong in ({}, {"recipient_id": 7}, {"recipient_id": "8", "nick": "n"}):
        assert opened(**wrong).json()["code"] == 50035
    assert opened(recipient_id=fake.bot).json()["code"] == 50033

    def written() -> int:
        answer = bot.post(f"/channels/{own['id']}/messages", json={"content": "Psst."})
        return int(answer.json().get("code", answer.status_code))

    assert written() == 200
    fake.closed.add("7")
    assert written() == 50007
    server.members.clear()
    assert written() == 50278
    assert [each.body["content"] for each in fake.told_directly("7")] == ["Psst."]


def test_who_asks_too_often_is_told_for_how_long(
    bot: httpx.Client, fake: FakeDiscord, channel: Channel
) -> None:
    for _ in range(5):
        assert bot.get(f"channels/{channel.id}").status_code == 200
    refused = bot.get(f"channels/{channel.id}")
    assert refused.status_code == 429
    assert 0 < refused.json()["retry_after"] <= 5
    assert refused.json()["global"] is False
    fake.skip(5)
    assert bot.get(f"channels/{channel.id}").status_code == 200


# -- interactions --------------------------------------------------------------------------------


def answering(said: Any, status: int = 200) -> Any:
    return lambda _body, _headers: (status, json.dumps(said).encode())


def test_interactions_are_signed(fake: FakeDiscord) -> None:
    seen = {}

    def post(body: bytes, headers: Any) -> tuple[int, bytes]:
        seen[body] = headers
        return 200, b'{"type": 1}'

    there = Interactions(fake, post)
    assert there.ping().body == {"type": 1}
    ((body, headers),) = seen.items()
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(there.public_key))
    signature = bytes.fromhex(headers["X-Signature-Ed25519"])
    stamp = headers["X-Signature-Timestamp"].encode()
    key.verify(signature, stamp + body)
    with pytest.raises(InvalidSignature):
        key.verify(signature, stamp + body + b" ")


def test_what_was_promised_comes_by_the_token(
    fake: FakeDiscord, bot: httpx.Client, channel: Channel
) -> None:
    ada = Person(Interactions(fake, answering({"type": 5, "data": {"flags": 64}})), "Ada", channel)
    answer = ada.command("match")
    assert answer.token is not None
    address = f"webhooks/{fake.application}/{answer.token.token}/messages/@original"
    assert bot.patch(address, json={"content": "c" * 2001}).status_code == 400
    assert answer.token.original is None  # what is not taken is nothing
    assert bot.patch(address, json={"content": "There."}).status_code == 200
    assert answer.original.body == {"flags": 64, "content": "There."}
    fake.skip(15 * 60 + 1)
    late = bot.patch(address, json={"content": "Too late."})
    assert (late.status_code, late.json()["code"]) == (401, 50027)


def test_a_token_that_was_not_answered_is_nothing(fake: FakeDiscord, bot: httpx.Client) -> None:
    ada = Person(Interactions(fake, answering({"detail": "away"}, 503)), "Ada")
    answer = ada.command("match")
    assert answer.token is not None
    address = f"webhooks/{fake.application}/{answer.token.token}/messages/@original"
    assert bot.patch(address, json={"content": "There."}).json()["code"] == 10015


def test_an_answer_that_discord_does_not_take_fails_the_test(fake: FakeDiscord) -> None:
    said = {"type": 4, "data": {"content": "c" * 2001}}
    with pytest.raises(Invalid):
        Person(Interactions(fake, answering(said)), "Ada").command("match")
