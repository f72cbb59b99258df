"""Trying a site without Discord: what is shown to whom, what is refused, and who may come."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tournaments.discord.fake.pages import rehearsing
from tournaments.discord.fake.people import TESTS
from tournaments.discord.fake.rehearsal import Act, Invited, Rehearsal
from tournaments.discord.fake.schemas import EPHEMERAL, LATER, MESSAGE, UPDATE
from tournaments.discord.fake.server import BASE
from tournaments.discord.fake.signin import PATH

SITE = "http://localhost:8000"
PRIVATE = {"flags": EPHEMERAL}


class Play:
    """A rehearsal whose site answers what a test says, and its page as a browser asks it."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self.rehearsal = rehearsal
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[dict[str, Any]] = []
        rehearsal.discord.post = self._post
        self.origin = f"http://127.0.0.1:{rehearsal.fake.port}"
        self.http = httpx.Client(base_url=self.origin, headers={"Origin": self.origin})
        self.ada, self.ben = rehearsal.people
        self.channel = next(iter(rehearsal.fake.channels))

    def _post(self, body: bytes, _headers: Mapping[str, str]) -> tuple[int, bytes]:
        self.asked.append(json.loads(body))
        status, said = self.answers.pop(0)
        return status, json.dumps(said).encode()

    def act(self, person: str, answer: Any, status: int = 200, **more: Any) -> Any:
        """What the page is told where somebody does something, and the site answers that."""
        self.answers.append((status, answer))
        what = {"person": person, "channel": self.channel, "kind": "command", "name": "match"}
        told = self.http.post("/act", json=what | more)
        assert told.status_code == 200, told.text
        return told.json()

    def state(self, person: str) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get("/state", params={"as": person}).json()
        return found

    def sees(self, person: str) -> list[dict[str, Any]]:
        """What somebody sees in the channel."""
        channels = self.state(person)["channels"]
        (there,) = (each for each in channels if each["id"] == self.channel)
        return list(there["messages"])

    def bot(self, method: str, path: str, **more: Any) -> httpx.Response:
        """The site asks Discord."""
        token = self.rehearsal.fake.bot_token
        headers = {"Authorization": f"Bot {token}", "User-Agent": "DiscordBot (here, 1)"}
        return httpx.request(method, f"{self.origin}{BASE}{path}", headers=headers, **more)


@pytest.fixture
def play() -> Iterator[Play]:
    people = [Invited("ada", "Ada <b>"), Invited("ben", "Ben", organises=True)]
    with rehearsing(SITE, people, TESTS) as rehearsal:
        yield Play(rehearsal)


def test_what_is_for_ones_own_eyes_is_shown_to_nobody_else(play: Play) -> None:
    play.act(play.ada, {"type": MESSAGE, "data": {"content": "Mine.", **PRIVATE}})
    play.act(play.ada, {"type": MESSAGE, "data": {"content": "For all."}})
    play.act(play.ada, {"type": LATER, "data": PRIVATE}, name="move")
    assert [each["content"] for each in play.sees(play.ben)] == ["For all."]
    own = play.sees(play.ada)
    assert [each["content"] for each in own] == ["Mine.", "For all.", "…is thinking."]
    assert [each["private"] for each in own] == [True, False, True]
    assert own[0]["asked"] == "Ada <b> used /match"
    # The site says it by the token.
    path = f"/webhooks/{play.rehearsal.fake.application}/{play.asked[-1]['token']}"
    play.bot("PATCH", f"{path}/messages/@original", json={"content": "Moved."})
    assert [each["content"] for each in play.sees(play.ada)] == ["Mine.", "For all.", "Moved."]
    assert [each["content"] for each in play.sees(play.ben)] == ["For all."]


def test_what_follows_says_for_itself_whom_it_is_for(play: Play) -> None:
    """Also behind an answer that changes what everybody sees."""
    press = {"type": 2, "style": 1, "label": "I'm ready", "custom_id": "ready:1"}
    row = {"type": 1, "components": [press]}
    play.act(play.ada, {"type": MESSAGE, "data": {"content": "Who plays?", "components": [row]}})
    (there,) = play.sees(play.ben)
    gone = {"type": UPDATE, "data": {"components": []}}
    play.act(play.ben, gone, kind="press", custom_id="ready:1", message=there["id"])
    path = f"/webhooks/{play.rehearsal.fake.application}/{play.asked[-1]['token']}"
    for told in ({"content": "The match is on.", **PRIVATE}, {"content": "It is on."}):
        assert play.bot("POST", path, json=told).status_code == 200
    own, others = play.sees(play.ben), play.sees(play.ada)
    assert [each["content"] for each in own] == ["Who plays?", "The match is on.", "It is on."]
    assert [each.get("private", False) for each in own] == [False, True, False]
    assert [each["content"] for each in others] == ["Who plays?", "It is on."]


def test_what_the_bot_writes_to_one_person_is_shown_to_nobody_else(play: Play) -> None:
    before = len(play.state(play.ben)["channels"])
    made = play.bot("POST", "/users/@me/channels", json={"recipient_id": play.ada}).json()
    told = {"content": "It begins."}
    assert play.bot("POST", f"/channels/{made['id']}/messages", json=told).status_code == 200
    assert len(play.state(play.ben)["channels"]) == before
    own = play.state(play.ada)["channels"][-1]
    assert (own["id"], own["direct"]) == (made["id"], True)
    assert [each["content"] for each in own["messages"]] == ["It begins."]
    # There is no server there, and nobody is its member.
    play.channel = made["id"]
    play.act(play.ada, {"type": MESSAGE, "data": {"content": "Here it is.", **PRIVATE}})
    assert play.asked[-1]["user"]["id"] == play.ada
    assert "guild_id" not in play.asked[-1]
    assert [each["content"] for each in play.sees(play.ada)] == ["It begins.", "Here it is."]


def test_a_button_changes_its_message(play: Play) -> None:
    press = {"type": 2, "style": 1, "label": "Accept", "custom_id": "accept:1"}
    row = {"type": 1, "components": [press]}
    play.act(play.ada, {"type": MESSAGE, "data": {"content": "Who plays?", "components": [row]}})
    (there,) = play.sees(play.ben)
    changed = {"type": UPDATE, "data": {"content": "Ben plays.", "components": []}}
    play.act(play.ben, changed, kind="press", custom_id="accept:1", message=there["id"])
    told = play.asked[-1]
    assert told["data"] == {"component_type": 2, "custom_id": "accept:1"}
    assert (told["member"]["user"]["id"], told["message"]["id"]) == (play.ben, there["id"])
    (after,) = play.sees(play.ada)
    assert (after["id"], after["content"], after["components"]) == (there["id"], "Ben plays.", [])
    # A menu says what was chosen, and a message that is not there has no button.
    play.act(play.ben, changed, kind="choose", custom_id="who", values=["7"], message=there["id"])
    assert play.asked[-1]["data"]["values"] == ["7"]
    nothing = {"person": play.ben, "channel": play.channel, "kind": "press", "message": "1"}
    assert play.http.post("/act", json=nothing).status_code == 400


def test_what_is_offered_while_somebody_types(play: Play) -> None:
    choices = [{"name": "pick T", "value": "pick T"}]
    typed: dict[str, Any] = {
        "kind": "typing",
        "name": "move",
        "field": "text",
        "options": {"text": "p"},
    }
    assert play.act(play.ada, {"type": 8, "data": {"choices": choices}}, **typed) == {
        "choices": choices
    }
    (option,) = play.asked[-1]["data"]["options"]
    assert (option["name"], option["value"], option["focused"]) == ("text", "p", True)
    assert play.sees(play.ada) == []


@pytest.mark.parametrize(
    ("status", "answer", "why", "errors"),
    [
        (200, {"type": MESSAGE, "data": {"content": "c" * 2001}}, "200: Invalid Form Body", 1),
        (200, {"type": 8, "data": {"choices": []}}, "200: Invalid Form Body", 1),
        (401, "no", "401: The site answered 401.", 0),
    ],
)
def test_an_answer_that_is_not_taken_shows_with_the_reason(
    status: int, answer: Any, why: str, errors: int, play: Play
) -> None:
    play.act(play.ada, answer, status)
    (fault,) = play.state(play.ben)["faults"]
    assert (fault["what"], fault["why"], len(fault["errors"])) == (
        "the answer to /match",
        why,
        errors,
    )
    (line,) = play.sees(play.ada)
    assert line["fault"]
    assert play.sees(play.ben) == []


def test_what_the_bot_says_wrongly_shows_with_the_place(play: Play) -> None:
    path = f"/channels/{play.channel}/messages"
    assert play.bot("POST", path, json={"content": "Fine."}).status_code == 200
    assert play.state(play.ada)["faults"] == []
    assert play.bot("POST", path, json={"embeds": [{"title": "t" * 257}]}).status_code == 400
    (fault,) = play.state(play.ada)["faults"]
    assert fault["what"] == f"POST {path}"
    assert list(fault["errors"]) == ["body.embeds[0].title"]
    assert [each["content"] for each in play.sees(play.ada)] == ["Fine."]


def test_who_comes_before_an_answer_is_read_comes_again_and_nothing_is_wrong(play: Play) -> None:
    fake = play.rehearsal.fake
    asked = f"/webhooks/{fake.application}"
    statuses: list[int] = []

    def early(body: bytes, _headers: Mapping[str, str]) -> tuple[int, bytes]:
        path = f"{asked}/{json.loads(body)['token']}"
        statuses.append(play.bot("POST", path, json={"content": "Now."}).status_code)
        return 200, json.dumps({"type": LATER, "data": PRIVATE}).encode()

    play.rehearsal.discord.post = early
    play.rehearsal.act(Act(play.ada, play.channel, "command", "match"))
    assert statuses == [404]
    assert play.state(play.ada)["faults"] == []
    # By a token that there is not it is wrong.
    assert play.bot("POST", f"{asked}/none", json={"content": "Now."}).status_code == 404
    assert len(play.state(play.ada)["faults"]) == 1


def test_a_site_that_is_not_there(play: Play) -> None:
    def nobody(*_: Any) -> Any:
        raise httpx.ConnectError("refused")

    play.rehearsal.discord.post = nobody
    assert play.rehearsal.check() == ["The site cannot be reached: refused"]
    play.rehearsal.act(Act(play.ada, play.channel, "command", "match"))
    (line,) = play.sees(play.ada)
    assert line["fault"] == "The site cannot be reached: refused"


def test_the_endpoint_is_tried_as_discord_tries_it(play: Play) -> None:
    play.answers = [(200, {"type": 1}), (401, "")]
    assert play.http.post("/check").json() == []
    play.answers = [(404, ""), (200, {"type": 1})]
    good, forged = play.http.post("/check").json()
    assert "A good signature is answered 404" in good
    assert "A forged signature is answered 200" in forged


def test_pictures_are_shown(play: Play) -> None:
    embed = {"embeds": [{"image": {"url": "attachment://board.png"}}]}
    files = {
        "payload_json": (None, json.dumps(embed), "application/json"),
        "files[0]": ("board.png", b"\x89PNG", "image/png"),
    }
    made = play.bot("POST", f"/channels/{play.channel}/messages", files=files)
    assert made.status_code == 200, made.text
    (message,) = play.sees(play.ben)
    picture = play.http.get(f"/files/{message['id']}/board.png")
    assert (picture.content, picture.headers["content-type"]) == (b"\x89PNG", "image/png")
    assert play.http.get(f"/files/{message['id']}/other.png").status_code == 400


# -- who may come --------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", ""])
@pytest.mark.parametrize("path", ["/", "/state", f"{BASE}/users/@me"])
def test_another_hosts_name_is_refused(path: str, host: str, play: Play) -> None:
    assert play.http.get(path, headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("path", ["/act", "/check", "/oauth2/authorize"])
def test_what_another_page_sends_is_refused(path: str, play: Play) -> None:
    for origin in ("http://evil.example", SITE, "null"):
        answer = play.http.post(path, headers={"Origin": origin}, content=b"{}")
        assert answer.status_code == 403
    assert httpx.post(play.origin + path, content=b"{}").status_code == 403
    assert play.asked == []


def test_the_page_has_a_policy_of_its_own(play: Play) -> None:
    for path in ("/", "/chat.js", "/chat.css", "/state"):
        answer = play.http.get(path)
        assert answer.status_code == 200
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert play.http.get("/../pages.py").status_code == 404
    assert play.http.post("/act", content=b"x" * 70_000).status_code == 413
    assert play.http.post("/act", content=b"{").status_code == 400


def test_signing_in_says_who_one_is(play: Play) -> None:
    query = {
        "client_id": play.rehearsal.fake.application, "response_type": "code", "scope": "identify",
        "redirect_uri": SITE + PATH, "code_challenge": "c" * 43, "code_challenge_method": "S256",
        "state": '"><script>',
    }  # fmt: skip
    page = play.http.get("/oauth2/authorize", params=query)
    assert "Authorise as Ada &lt;b&gt;" in page.text
    assert "<script>" not in page.text
    form = {"query": json.dumps(query), "as": play.ada}
    led = play.http.post("/oauth2/authorize", data=form)
    assert led.status_code == 302
    assert led.headers["location"].startswith(f"{SITE}{PATH}?code=")
    refused = play.http.post("/oauth2/authorize", data={**form, "as": ""})
    assert "error=access_denied" in refused.headers["location"]
    # Nobody is led anywhere else.
    elsewhere = query | {"redirect_uri": "http://evil.example/"}
    assert play.http.get("/oauth2/authorize", params=elsewhere).status_code == 400
    form["query"] = json.dumps(elsewhere)
    assert play.http.post("/oauth2/authorize", data=form).status_code == 400


# -- the command ---------------------------------------------------------------------------------


def test_a_site_that_is_no_development_one_refuses() -> None:
    with pytest.raises(CommandError, match="This site is not a development one"):
        call_command("discord_rehearsal")


def test_its_settings_are_its_own_and_stay(settings: Any) -> None:
    settings.GAUNTLET_DEVELOPMENT = True

    def told() -> dict[str, str]:
        out = StringIO()
        call_command("discord_rehearsal", "--print-settings", "--port", "4000", stdout=out)
        return dict(line.split("=", 1) for line in out.getvalue().splitlines())

    first = told()
    assert first["GAUNTLET_DISCORD_API"] == f"http://127.0.0.1:4000{BASE}"
    assert set(first) == set(TESTS.settings(1))
    assert told() == first
    # Whoever knows the source does not know them.
    settings.SECRET_KEY = "another"
    other = told()
    for name in ("CLIENT_SECRET", "BOT_TOKEN", "PUBLIC_KEY"):
        key = f"GAUNTLET_DISCORD_{name}"
        assert len({first[key], other[key], TESTS.settings(1)[key]}) == 3
    with pytest.raises(CommandError, match="needs a --port"):
        call_command("discord_rehearsal", "--print-settings")
