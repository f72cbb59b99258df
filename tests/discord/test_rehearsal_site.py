"""The rehearsal of the real site: the command itself, and a match that is played on its page."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest

from script.lib.console import ROOT
from script.lib.ports import free_port
from tests.accessibility import axe
from tests.discord.test_browser import MEET, NEXT
from tests.posts.test_site import port_of
from tests.support.fixtures import Pages
from tests.support.site import AnotherWeb, Site
from tests.webhooks.test_site import SEASON
from tournaments.discord.commands import COMMANDS
from tournaments.discord.fake.pages import rehearsing
from tournaments.discord.fake.people import TESTS
from tournaments.discord.fake.rehearsal import Invited, number_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def test_the_command_plays_discord_until_ctrl_c(
    site: Site, tmp_path: Path, wait_until: Callable[..., Any]
) -> None:
    port = free_port()
    command = [sys.executable, "manage.py", "discord_rehearsal", "--port", str(port)]
    env = {**site.env, "DJANGO_SETTINGS_MODULE": "config.settings.dev"}
    for name in TESTS.settings(port):
        del env[name]
    told = subprocess.run(
        [*command, "--print-settings"],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    web = AnotherWeb(site, environment=dict(re.findall(r"^(\w+)=(.*)$", told.stdout, re.MULTILINE)))
    web.web.start()
    output = tmp_path / "output"
    with output.open("wb") as written:
        child = subprocess.Popen(
            [*command, "--site", web.base_url, "--person", "newcomer"],
            env=env, cwd=ROOT, stdout=written, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        wait_until(lambda: "Discord is played at" in output.read_text(), timeout=60)
        said = output.read_text()
        assert f"{len(COMMANDS)} commands in all servers." in said
        assert set(told.stdout.splitlines()) <= set(said.splitlines())
        origin = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=30) as page:
            assert "<title>Discord, rehearsed</title>" in page.get("/").text
            assert page.post("/check").json() == []
            person = number_of("person", "newcomer")
            state = page.get("/state", params={"as": person}).json()
            assert [each["name"] for each in state["commands"]] == list(COMMANDS)
            channel = state["channels"][0]["id"]
            act = {"person": person, "channel": channel, "kind": "command", "name": "ready"}
            assert page.post("/act", json=act).json() == {}
            (there, _) = page.get("/state", params={"as": person}).json()["channels"]
            (message,) = there["messages"]
            assert "/link" in message["content"]
            assert message["private"]
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 0
        assert "Discord is not played any more." in output.read_text()
    finally:
        child.kill()
        child.wait()
        web.stop()


class Chat:
    """The rehearsal's page, in a browser."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.goto(address)

    def turn_into(self, name: str) -> None:
        self.page.get_by_label("You are").select_option(name)

    def says(self, command: str) -> None:
        self.page.get_by_label("Command").fill(command)
        self.page.get_by_label("Command").press("Enter")
        send = self.page.get_by_role("button", name="Send")
        send.click()

    def reads(self, text: str) -> None:
        self.page.locator("#messages").get_by_text(text).last.wait_for()

    def moves(self, text: str) -> None:
        """By what is offered to whoever has typed most of it: no more than 25 are."""
        self.page.get_by_label("Command").press_sequentially(f"/move {text[:-1]}")
        self.page.locator("#offered").get_by_role("button", name=text, exact=True).click()
        self.page.get_by_role("button", name="Send").click()


@pytest.mark.browser
def test_somebody_links_readies_and_plays(
    site: Site, new_page: Pages, wait_until: Callable[..., Any]
) -> None:
    name = "rehearsed"
    people = [Invited(f"{name}ada", "Ada"), Invited(f"{name}ben", "Ben")]

    def next_move() -> list[Any]:
        lines = site.python(NEXT.format(name=name, not_these=[])).strip().splitlines()
        return list(json.loads(lines[-1]))

    with rehearsing(site.base_url, people, TESTS, port_of(site)) as there:
        site.manage("discord_commands")
        meet = MEET.format(game=("tetronogo", "standard"))
        said = site.python(SEASON.format(name=name, webhooks=[]) + meet)
        cookie, *sessions, _ = json.loads(said.strip().splitlines()[-1])
        chat = Chat(new_page(**axe.look()), f"http://127.0.0.1:{there.fake.port}/")
        # Each is signed in to the site, and links their account.
        for who, session in zip(("Ada", "Ben"), sessions, strict=True):
            chat.page.context.add_cookies(
                [{"name": cookie, "value": session, "url": site.base_url}]
            )
            chat.turn_into(who)
            chat.says("/link")
            link = chat.page.get_by_role("link", name="Link my account").last
            own = chat.page.context.new_page()
            own.goto(f"{site.base_url}{urlsplit(link.get_attribute('href') or '').path}")
            own.get_by_role("button", name="Link it").click()
            own.get_by_role("button", name=f"Authorise as {who}").click()
            own.get_by_text(f"{who} at Discord is linked.").wait_for()
            chat.says("/link")
            chat.reads("Your Discord account is linked to")
        # Both are ready, one by a command each.
        chat.says("/ready")
        chat.reads("You are ready.")
        chat.turn_into("Ada")
        chat.page.get_by_text("You are ready.").wait_for(state="detached")
        chat.says("/ready")
        chat.reads("Ada used /ready")
        moved = [0, 0]
        while min(moved) < 3:
            seat, entries, text, _ = next_move()
            assert seat is not None
            chat.turn_into(("Ada", "Ben")[seat])
            chat.moves(text)
            wait_until(lambda before=entries: next_move()[1] > before, timeout=30)
            moved[seat] += 1
        # The board, as it is for everybody.
        chat.says("/match")
        chat.page.get_by_role("img", name="The board").last.wait_for()
        assert chat.page.locator("#faults").is_hidden()
        assert axe.Examiner().faults(chat.page) == []
        assert list(there.faults) == []
        assert there.signin.faults == []
    assert new_page.errors == []


@pytest.mark.browser
def test_what_would_have_been_refused_can_be_closed(site: Site, new_page: Pages) -> None:
    """By its button, with the keyboard, too; and by the next command."""
    with rehearsing(site.base_url, [Invited("zoe", "Zoe")], TESTS, port_of(site)) as there:
        site.manage("discord_commands")
        chat = Chat(new_page(**axe.look()), f"http://127.0.0.1:{there.fake.port}/")
        box = chat.page.get_by_role("region", name="Discord would have refused")
        close = box.get_by_role("button", name="Close")

        def refuse(what: str) -> None:
            there.fault(what, 400, {"message": "Invalid Form Body", "errors": {"content": "long"}})
            box.get_by_text(what).wait_for()

        refuse("POST /first")
        assert axe.Examiner().faults(chat.page) == []
        close.click()
        box.wait_for(state="hidden")
        # What comes later is shown, and nothing of before.
        refuse("POST /second")
        assert box.get_by_role("listitem").count() == 1
        close.focus()
        chat.page.keyboard.press("Enter")
        box.wait_for(state="hidden")
        assert chat.page.get_by_label("Command").evaluate("it => it === document.activeElement")
        refuse("POST /third")
        chat.says("/link")
        chat.reads("Zoe used /link")
        box.wait_for(state="hidden")
    assert new_page.errors == []
