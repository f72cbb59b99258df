"""Announcements in Discord on the real site: a worker writes them, and the page of choices asks
about them, and says what to do where Discord lets none through."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.accessibility import axe
from tests.accounts.test_browser import register
from tests.discord.support import plain
from tests.support.screens import Screen, assert_fits_each
from tests.support.site import wait_for
from tournaments.discord.fake.server import discord

if TYPE_CHECKING:
    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

SETTINGS = "/accounts/settings/announcements/"
SCREENS: tuple[Screen, ...] = ((1280, "light"), (760, "light"), (390, "dark"), (320, "light"))
LINK = """
from accounts.discord.services import discord_link
from accounts.models import User

discord_link(acting_user=User.objects.get(username={name!r}), discord_id={person!r},
             discord_name="ada.lovelace")
"""
TELL = """
from accounts.announcing.services import Told, announce
from accounts.models import User

announce([Told(User.objects.get(username={name!r}), "episode.choice", {key!r}, "Autumn: choose",
               "You are the *EC*.", "/seasons/")])
"""


def test_whoever_is_linked_hears_of_it_there(site: Site, new_page: Pages) -> None:
    page, examiner = new_page(), axe.Examiner()
    name = register(page)
    page.goto(SETTINGS)
    page.get_by_role("link", name="link your account there").wait_for()
    assert page.get_by_role("columnheader", name="In Discord").count() == 0
    port = urlsplit(site.env["GAUNTLET_DISCORD_API"]).port
    assert port is not None
    with discord(port) as there:
        person = there.new_id()
        there.guild(members={person: set()})
        there.closed.add(person)
        site.python(LINK.format(name=name, person=person))

        def tell() -> None:
            site.python(TELL.format(name=name, key=token_hex(8)))

        def is_shut() -> bool:
            asked = "SELECT shut_since FROM accounts_discordlink WHERE discord_id = %s"
            ((since,),) = site.sql(asked, person)
            return since is not None

        tell()
        wait_for(is_shut, what="Discord to say that they take no messages")
        page.goto(SETTINGS)
        page.get_by_text("allow direct messages").wait_for()
        assert page.get_by_role("columnheader", name="In Discord").count() == 5
        assert_fits_each(page, SCREENS)
        assert examiner.faults(page) == []
        page.get_by_role("button", name="Send a test").click()
        page.get_by_text("Discord did not let the test through to you.").wait_for()
        assert there.told_directly(person) == []
        there.closed.clear()
        tell()
        (message,) = wait_for(lambda: there.told_directly(person), what="a worker to write")
        assert plain(message.body["content"]) == "**Autumn: choose**\nYou are the *EC*."
        wait_for(lambda: not is_shut(), what="it to be noted that one has arrived")
        page.reload()
        assert page.get_by_text("allow direct messages").count() == 0
        own = page.get_by_label("You choose your opponent: In Discord")
        own.select_option("off")
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Your choice is saved.").wait_for()
        assert own.input_value() == "off"
        assert there.bot_token not in site.worker.log()
