"""A death match played wholly through Discord by one player and in a browser by the other, on the
real site: each sees what the other has done, the bot tells of it, and the record is whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.players import is_live
from tests.posts.support import content, description, labels
from tests.posts.test_site import CONNECT, port_of
from tests.webhooks.test_site import SEASON
from tournaments.discord.fake.held import Channel, Message
from tournaments.discord.fake.people import Answer, Interactions, Person, by_http
from tournaments.discord.fake.schemas import LATER
from tournaments.discord.fake.server import MANAGE_WEBHOOKS, FakeDiscord, discord

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Ada has linked her account to Discord, and Ben is signed in in a browser.
MEET = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from accounts.discord.services import discord_link

leg.ruleset, leg.variant = {game!r}
leg.save()
for seed, side in enumerate(sides, start=1):
    side.seed = seed
    side.save()
discord_link(acting_user=ada, discord_id={ada!r}, discord_name="Ada")
signed_in = import_module(settings.SESSION_ENGINE).SessionStore()
signed_in[SESSION_KEY] = str(ben.pk)
signed_in[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
signed_in[HASH_SESSION_KEY] = ben.get_session_auth_hash()
signed_in.save()
print(json.dumps([settings.SESSION_COOKIE_NAME, signed_in.session_key, pair.get_absolute_url()]))
"""
# What is asked of whom, how many entries there are, and a move that can be made.
NEXT = """
import json, random
from games import store
from tournaments.models import Leg

match_id = Leg.objects.get(death_match__round__season__slug={name!r}).match_id
held = store.read(match_id)
table = held.live.table
if table.result is not None:
    print(json.dumps([None, held.seq, "", False]))
else:
    seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
    decision = table.open[seat].decision
    move = held.ruleset.sample(table.state, decision, random.Random(held.seq).random)
    print(json.dumps([seat, held.seq, held.ruleset.print(move), decision.barrier is not None]))
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
        manager, role = fake.new_id(), fake.new_id()
        guild.roles[role], guild.permissions[role] = "Manager", MANAGE_WEBHOOKS
        guild.members |= {manager: {role}, self.ada.id: set()}
        kinds = ["threads", "matches", "results", "clocks"]
        connect = CONNECT.format(member=manager, channel=self.there.id, kinds=kinds)
        meet = MEET.format(game=game, ada=self.ada.id)
        said = site.python(SEASON.format(name=name, webhooks=[]) + connect + meet)
        cookie, session, self.address = json.loads(said.strip().splitlines()[-1])
        self.ben: Page = new_page()
        self.ben.context.add_cookies([{"name": cookie, "value": session, "url": site.base_url}])

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

    def next(self) -> tuple[int | None, int, str, bool]:
        """Whose decision is next, how many entries there are, an answer, and whether that is
        chosen at the same time as another's."""
        seat, entries, text, at_once = json.loads(
            self.site.python(NEXT.format(name=self.name)).strip().splitlines()[-1]
        )
        return seat, entries, text, at_once

    def submit(self, command: str, text: str) -> Answer:
        """Ada's move, which nobody else is shown."""
        answer = self.ada.command(command, text=text)
        assert answer.body == {"type": LATER, "data": {"flags": 64}}, answer.content
        return answer

    def type_in(self, text: str) -> None:
        """Ben's move, on his page, which has heard of Ada's by then."""
        self.ben.locator("#notation-text:enabled").fill(text)
        self.ben.locator("#notation-text").press("Enter")

    @property
    def thread(self) -> Channel | None:
        """The thread of the death match."""
        found = (each for each in self.fake.channels.values() if each.parent == self.there.id)
        return next(found, None)

    def told(self) -> list[Message]:
        """What the bot has said in it."""
        return [] if self.thread is None else self.fake.said_in(self.thread)


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
) -> None:
    with discord(port_of(site)) as fake:
        meeting = Meeting(site, fake, name, game, new_page)
        meeting.begin()
        wait_until(meeting.told, timeout=30)
        refused = meeting.ada.command("move", text="no such move")
        assert refused.is_private
        assert refused.content
        answers = []
        seat, entries, text, at_once = meeting.next()
        while seat is not None:
            if seat == 0:
                answers.append(meeting.submit("pick" if at_once else "move", text))
            else:
                meeting.type_in(text)
            before = entries
            wait_until(lambda before=before: meeting.next()[1] > before, timeout=30)
            seat, entries, text, at_once = meeting.next()
        assert len(answers) > 3
        meeting.ben.locator("#match[data-phase=over]").wait_for()
        _must_be_told(meeting, wait_until)
        # Whoever asks is shown the match as they see it, with its board.
        over = meeting.ada.command("match").token or pytest.fail("no token")
        wait_until(lambda: over.original is not None, timeout=30)
        # No answer to Ada has become a message for others.
        assert {each.author for each in fake.messages.values()} <= {fake.bot}
        assert all(each.token is not None and each.token.ephemeral for each in answers)


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
