"""A death match played wholly through Discord by one player and in a browser by the other, on the
real site: from linking an account to the record. Each sees what the other has done and what they
may know, the bot tells of it, and the record is whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.browser.players import is_live
from tests.discord.support import labels, plain, said
from tests.posts.support import addresses, content, description
from tests.posts.test_site import CONNECT, port_of
from tests.webhooks.test_site import SEASON
from tournaments.discord.fake.held import Channel, Message, Request
from tournaments.discord.fake.people import Answer, Interactions, Person, by_http
from tournaments.discord.fake.schemas import LATER
from tournaments.discord.fake.server import BASE, MANAGE_WEBHOOKS, FakeDiscord, discord
from tournaments.discord.fake.signin import PATH as BACK
from tournaments.discord.fake.signin import Account, SignIn

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Ada and Ben are signed in in a browser; Ada has not linked her account to Discord yet.
MEET = """
import json
import time
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

leg.ruleset, leg.variant = {game!r}
leg.save()
for seed, side in enumerate(sides, start=1):
    side.seed = seed
    side.save()
keys = []
for user in (ada, ben):
    signed_in = import_module(settings.SESSION_ENGINE).SessionStore()
    signed_in[SESSION_KEY] = str(user.pk)
    signed_in[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    signed_in[HASH_SESSION_KEY] = user.get_session_auth_hash()
    signed_in["confirmed_at"] = time.time()
    signed_in.save()
    keys.append(signed_in.session_key)
print(json.dumps([settings.SESSION_COOKIE_NAME, *keys, pair.get_absolute_url()]))
"""
# What is asked of whom, how many entries there are, and a move that can be made; once the match has
# begun, which waits a while for a number from whoever has no page open.
NEXT = """
import json, random, time
from games import store
from tournaments.models import Leg

match_id = Leg.objects.get(death_match__round__season__slug={name!r}).match_id
held = store.read(match_id)
for _half_a_second in range(120):
    if held.live.waiting is None:
        break
    time.sleep(0.5)
    held = store.read(match_id)
table = held.live.table
if table.result is not None:
    print(json.dumps([None, held.seq, "", False]))
else:
    seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
    decision = table.open[seat].decision
    texts = (
        held.ruleset.print(
            held.ruleset.sample(table.state, decision, random.Random(held.seq + number).random)
        )
        for number in range(100)
    )
    # Not what the other has chosen, where that can be: who has typed it knows it.
    for text in texts:
        if text not in {not_these!r}:
            break
    print(json.dumps([seat, held.seq, text, decision.barrier is not None]))
"""


class Meeting:
    """Ada, in Discord, meets Ben, in a browser; ``there``: the channel in which the bot tells of
    it."""

    def __init__(
        self, site: Site, fake: FakeDiscord, name: str, game: tuple[str, str], new_page: Pages
    ) -> None:
        self.site, self.fake, self.name = site, fake, name
        guild = fake.guild()
        self.there: Channel = fake.channel(guild)
        discord_side = Interactions(fake, by_http(f"{site.base_url}/discord/interactions/"))
        self.ada = Person(discord_side, "Ada", self.there)
        self.stranger = Person(discord_side, "Eve", self.there)
        manager, role = fake.new_id(), fake.new_id()
        guild.roles[role], guild.permissions[role] = "Manager", MANAGE_WEBHOOKS
        guild.members |= {manager: {role}, self.ada.id: set()}
        kinds = ["threads", "matches", "results", "clocks", "rounds"]
        connect = CONNECT.format(member=manager, channel=self.there.id, kinds=kinds)
        told = site.python(SEASON.format(name=name, webhooks=[]) + connect + MEET.format(game=game))
        cookie, *keys, self.address = json.loads(told.strip().splitlines()[-1])
        self.adas_page: Page = new_page()
        self.ben: Page = new_page()
        for page, key in zip((self.adas_page, self.ben), keys, strict=True):
            page.context.add_cookies([{"name": cookie, "value": key, "url": site.base_url}])
        #: What the site has sent Ben's page, and the answers to Ada and others in Discord.
        self.frames: list[str] = []
        self.ben.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda data: self.frames.append(str(data))),
        )
        self.answers: list[Answer] = []

    # -- what Ada does, in Discord ---------------------------------------------------------------

    def links(self, patch: pytest.MonkeyPatch) -> None:
        """Ada's account, from the command to its end."""
        answer = self.ada.command("ready")
        assert answer.is_private
        assert "Use /link first." in said(answer)
        oauth = signs_in(self.fake, self.site, self.ada, patch)
        asked = self.ada.command("link")
        assert asked.is_private
        self.adas_page.goto(path_of(asked.data["components"][0]["components"][0]["url"]))
        self.adas_page.locator("main").get_by_role("button", name="Link it").click()
        self.adas_page.get_by_text("Ada at Discord is linked.").wait_for()
        assert oauth.faults == []
        assert "is linked to" in said(self.ada.command("link"))

    def begin(self) -> None:
        """Ada says so by a command, and Ben by his page's button."""
        first = self.ada.command("ready")
        assert first.is_private
        assert first.content == "You are ready. The match begins when both of you are."
        self.ben.goto(self.address)
        self.ben.get_by_role("link", name="I am ready").or_(
            self.ben.get_by_role("button", name="I am ready")
        ).first.click()
        self.ben.wait_for_url("**/matches/*/")
        is_live(self.ben)

    def submit(self, command: str, text: str) -> Answer:
        """Ada's move, which nobody else is shown."""
        answer = self.ada.command(command, text=text)
        assert answer.body == {"type": LATER, "data": {"flags": 64}}, answer.content
        self.answers.append(answer)
        return answer

    def is_refused(self, command: str, text: str) -> str:
        """What Ada is told who cannot do that: what the site says on its pages, too."""
        answer = self.ada.command(command, text=text)
        assert answer.is_private
        assert answer.body["type"] != LATER
        assert said(answer) == self.page_says(text)
        return said(answer)

    def page_says(self, text: str) -> str:
        """What the page of the match refuses the same move with."""
        (token,) = (
            each["value"]
            for each in self.adas_page.context.cookies()
            if each["name"].endswith("csrftoken")
        )
        asking = self.adas_page.context.request
        match = f"{self.site.base_url}/api/v1/matches/{self.number}/"
        version = asking.get(match).json()["version"]
        response = asking.post(
            f"{match}submissions/",
            data={"id": f"page-{version}-{len(text)}", "text": text, "version": version},
            headers={"X-CSRFToken": token, "Referer": self.site.base_url},
        )
        assert response.status >= 400
        return str(response.json()["sentence"])

    @property
    def number(self) -> int:
        """The match's, as its page has it in its address."""
        return int(self.ben.url.rstrip("/").rsplit("/", 1)[-1])

    def looks(self, person: Person, wait_until: Callable[..., Any]) -> Message:
        """What somebody is shown who asks for the match, whose number is everybody's."""
        answer = person.command("match", match=self.number)
        token = answer.token or pytest.fail("no token")
        wait_until(lambda: token.original is not None, timeout=30)
        return answer.original

    # -- what both do ----------------------------------------------------------------------------

    def next(self, not_these: Sequence[str] = ()) -> tuple[int | None, int, str, bool]:
        """Whose decision is next, how many entries there are, an answer that is none of these, and
        whether that is chosen at the same time as another's."""
        asked = NEXT.format(name=self.name, not_these=list(not_these))
        seat, entries, text, at_once = json.loads(self.site.python(asked).strip().splitlines()[-1])
        return seat, entries, text, at_once

    def type_in(self, text: str) -> None:
        """Ben's move, on his page, which has heard of Ada's by then."""
        self.ben.locator("#notation-text:enabled").fill(text)
        self.ben.locator("#notation-text").press("Enter")

    # -- what is told ----------------------------------------------------------------------------

    @property
    def thread(self) -> Channel | None:
        """The thread of the death match."""
        found = (each for each in self.fake.channels.values() if each.parent == self.there.id)
        return next(found, None)

    def told(self) -> list[Message]:
        """What the bot has said in it."""
        return [] if self.thread is None else self.fake.said_in(self.thread)

    def reached_others(self) -> list[str]:
        """Everything that reached somebody besides Ada: all versions of every message, and what
        they have attached as text, the frames of Ben's page, and the page."""
        messages = [
            json.dumps([version, list(each.files)])
            for each in self.fake.messages.values()
            for version in each.versions
        ]
        # A page says how a move is written, by one that can be made.
        page = re.sub('placeholder="[^"]*"', "", self.ben.locator("main").inner_html())
        return [*messages, *self.frames, page]

    def reached_ada(self) -> list[str]:
        """Everything that reached Ada: the channel's messages, and what she was answered."""
        own = [
            json.dumps([each.body, each.token.original.body])
            for each in self.answers
            if each.token is not None and each.token.original is not None
        ]
        return [*(json.dumps(each.versions) for each in self.fake.messages.values()), *own]


def path_of(address: str) -> str:
    """A link of the site, as one that its pages know."""
    parts = urlsplit(address)
    assert parts.scheme.startswith("http")
    return parts.path


def signs_in(fake: FakeDiscord, site: Site, person: Person, patch: pytest.MonkeyPatch) -> SignIn:
    """Have that Discord ask people for their leave, as ``person`` who is signed in there."""
    oauth = SignIn(fake.application, "of the application", {f"{site.base_url}{BACK}"})
    account = Account(person.id, person.name, None, global_name=person.name)
    answer = fake.answer

    def answered(request: Request) -> Any:
        parts = urlsplit(request.path)
        authorization = request.headers.get("authorization", "")
        if parts.path == "/oauth2/authorize":
            query = dict(parse_qsl(parts.query))
            assert not oauth.refusal(query)
            return 302, None, {"Location": oauth.let_in(query, account)}
        if parts.path == f"{BASE}/oauth2/token":
            return *oauth.trade(dict(parse_qsl(request.body.decode()))), {}
        if authorization.startswith("Bearer "):
            return *oauth.me(authorization), {}
        return answer(request)

    patch.setattr(fake, "answer", answered)
    return oauth


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("nogo-there", ("tetronogo", "standard")),
        ("tiles-there", ("domino-black-white", "standard")),
    ],
)
def test_one_plays_in_discord_and_one_in_a_browser(
    name: str,
    game: tuple[str, str],
    site: Site,
    new_page: Pages,
    wait_until: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with discord(port_of(site)) as fake:
        meeting = Meeting(site, fake, name, game, new_page)
        meeting.links(monkeypatch)
        meeting.begin()
        wait_until(meeting.told, timeout=30)
        reserve = meeting.ada.command("reserve")
        assert "Reserve of " in said(reserve)
        assert re.search(r"As of <t:\d+:T>", reserve.content)
        secrets = _played(meeting, wait_until)
        assert secrets
        assert len(meeting.answers) > 3
        meeting.ben.locator("#match[data-phase=over]").wait_for()
        _must_be_told(meeting, wait_until)
        # Whoever asks is shown the match as they see it, with its board; and has the record.
        over = meeting.looks(meeting.ada, wait_until)
        assert over.files["board.png"].startswith(b"\x89PNG")
        record = meeting.ada.command("record", match=meeting.number).token or pytest.fail(
            "no token"
        )
        wait_until(lambda: record.original is not None and record.original.files, timeout=30)
        # No answer to Ada has become a message for others.
        assert {each.author for each in fake.messages.values()} <= {fake.bot}
        assert all(each.token is not None and each.token.ephemeral for each in meeting.answers)


def _played(meeting: Meeting, wait_until: Callable[..., Any]) -> list[str]:
    """Play it to the end; returns what was secret for a while. Nobody was told of it who may not
    know it."""
    adas: list[str] = []
    bens: list[str] = []
    ever: list[str] = []
    looked = refused = False
    seat, entries, text, at_once = meeting.next()
    while seat is not None:
        hides = at_once or " hide " in text
        if seat == 0:
            if not at_once and not looked:
                _must_see_a_turn(meeting, wait_until)
                looked = True
            command = "pick" if at_once else "move"
            if not meeting.answers:
                assert meeting.is_refused(command, "no such move")
            meeting.submit(command, text)
        else:
            if at_once and not refused:
                # A pick that there is not, while the other one's is in.
                meeting.is_refused("pick", "pick nothing")
            elif not refused:
                assert "nothing for you to decide" in meeting.is_refused("move", text)
                refused = True
            meeting.type_in(text)
        (adas if seat == 0 else bens).extend([text] if hides else [])
        ever.extend([text] if hides else [])
        wait_until(lambda before=entries: meeting.next()[1] > before, timeout=30)
        seat, entries, text, now_at_once = meeting.next([*adas, *bens])
        if at_once and not now_at_once:
            # Both have chosen: everybody is told.
            adas, bens = _still_hidden(adas), _still_hidden(bens)
        if seat is not None:
            _must_not_have_reached(adas, meeting.reached_others())
            _must_not_have_reached(bens, meeting.reached_ada())
        at_once = now_at_once
    assert refused
    assert looked
    return ever


def _still_hidden(texts: list[str]) -> list[str]:
    """What stays secret to the end."""
    return [each for each in texts if " hide " in each]


def _must_not_have_reached(secrets: list[str], texts: list[str]) -> None:
    for secret in secrets:
        assert not [text for text in map(plain, texts) if secret in text], secret


def _must_see_a_turn(meeting: Meeting, wait_until: Callable[..., Any]) -> None:
    """The board, until when, and whose turn it is; and the board's own page is one press away."""
    for person in (meeting.ada, meeting.stranger):
        shown = meeting.looks(person, wait_until)
        assert shown.files["board.png"].startswith(b"\x89PNG")
        assert re.search(r"The turn ends <t:\d+:R>", shown.body["embeds"][0]["description"])
        assert f"{meeting.name}ada: " in description(shown).replace("**", "")
    (board,) = (each for each in meeting.told() if "Open the board" in labels(each))
    address = next(each for each in addresses(board) if "/matches/" in each)
    meeting.adas_page.goto(path_of(address))
    is_live(meeting.adas_page)


def _must_be_told(meeting: Meeting, wait_until: Callable[..., Any]) -> None:
    """One message for the whole match, which was edited as it went and shows its end; the result;
    and the thread is put away."""
    wait_until(lambda: meeting.thread is not None and meeting.thread.archived, timeout=60)
    boards = [each for each in meeting.told() if each.body["embeds"] and len(each.versions) > 1]
    (board,) = boards
    assert labels(board) == ["Open the replay"]
    assert board.files["board.png"].startswith(b"\x89PNG")
    assert "won" in description(board)
    assert any(" wins against " in content(each) for each in meeting.told())
