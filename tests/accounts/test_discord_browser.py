"""Signing in by Discord in a real browser, on the real site: with its policy, cookies and forms."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.accessibility import axe
from tests.accounts.conftest import PASSWORD
from tests.support.discord_oauth import FakeDiscord, fake_discord
from tests.support.fixtures import Pages
from tests.support.screens import Screen, assert_fits_each
from tests.support.site import AnotherWeb, Site
from tournaments.discord.fake.signin import PATH, Account

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCREENS: tuple[Screen, ...] = ((1280, "light"), (320, "dark"))


class Stage(NamedTuple):
    """Discord, and a web process of the site that has an application there."""

    discord: FakeDiscord
    web: AnotherWeb
    site: Site


@pytest.fixture
def stage(site: Site) -> Iterator[Stage]:
    with fake_discord() as discord:
        web = AnotherWeb(site, environment=discord.environment)
        discord.redirects.add(f"{web.base_url}{PATH}")
        web.web.start()
        yield Stage(discord, web, site)
        web.stop()


class Nelly:
    """Somebody at Discord, with a page on the site; each step goes on from the one before."""

    def __init__(self, stage: Stage, page: Page) -> None:
        self.stage, self.page, self.examiner = stage, page, axe.Examiner()
        self.name = f"n{secrets.token_hex(4)}"
        self.number = str(secrets.randbelow(10**17) + 1)
        email = f"{self.name}@example.org"
        stage.discord.person = Account(self.number, self.name, email, global_name="Nelly")

    def looks(self) -> None:
        """Nothing is wrong with the page, on any screen."""
        assert_fits_each(self.page, SCREENS)
        assert self.examiner.faults(self.page) == []

    def reads(self, text: str) -> None:
        self.page.get_by_text(text).wait_for()

    def is_at(self, heading: str) -> None:
        self.page.get_by_role("heading", name=heading).wait_for()

    def presses(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()

    def confirms(self, name: str) -> None:
        """By the button of the page itself, not of its head."""
        self.page.locator("main").get_by_role("button", name=name, exact=True).click()

    def signs_out(self) -> None:
        self.page.goto("/accounts/logout/")
        self.confirms("Sign out")
        self.reads("You have signed out.")

    def registers(self) -> None:
        page = self.page
        page.goto("/accounts/signup/?next=/accounts/settings/discord/")
        self.looks()
        page.get_by_role("link", name="What we read there").click()
        self.is_at("What we never do")
        self.looks()
        page.go_back()
        self.presses("Continue with Discord")
        self.presses("Cancel")
        self.reads("You have not let us in at Discord")
        self.presses("Continue with Discord")
        self.presses("Authorise")
        self.is_at("Choose your name")
        self.looks()
        assert page.get_by_label("Username").input_value() == self.name
        assert page.get_by_label("Email address").input_value() == f"{self.name}@example.org"
        page.get_by_label("Username").fill("admin")
        self.confirms("Register")
        self.reads("This username is reserved")
        page.get_by_label("Username").fill(self.name.upper())
        self.confirms("Register")
        self.reads(f"Welcome, {self.name.upper()}.")
        assert page.url.endswith("/accounts/settings/discord/")
        self.reads("Your account has no password.")
        self.looks()

    def signs_in_without_being_asked_again(self) -> None:
        self.page.goto("/accounts/login/")
        self.looks()
        self.presses("Continue with Discord")
        self.reads(f"Welcome, {self.name.upper()}.")

    def unlinks(self) -> None:
        page = self.page
        page.goto("/accounts/settings/discord/")
        self.presses("Unlink")
        self.reads("you could not sign in any more. Set one first.")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Password (again)").fill(PASSWORD)
        self.confirms("Set the password")
        self.reads("Your password is set.")
        page.goto("/accounts/settings/discord/")
        self.presses("Unlink")
        self.reads("Discord is not linked to your account any more.")
        self.looks()

    def is_not_signed_in_by_an_address(self) -> None:
        page = self.page
        page.goto("/accounts/login/")
        self.presses("Continue with Discord")
        self.is_at("You have an account here")
        self.looks()
        page.locator("main").get_by_role("link", name="Sign in", exact=True).click()
        page.get_by_label("Username or email address").fill(self.name)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        self.confirms("Sign in")

    def links(self) -> None:
        self.presses("Link Discord")
        self.presses("Authorise")
        self.reads(f"{self.name} at Discord is linked.")
        self.presses("Unlink")
        self.page.get_by_role("button", name="Link Discord").wait_for()

    def links_from_discords_side(self) -> None:
        address = self.stage.site.python(
            "from accounts.discord.services import discord_link_begin as begin\n"
            f"print(begin(discord_id={self.number!r}, discord_name={self.name!r}))"
        )
        path = re.findall(r"/accounts/discord/link/\S+", address)[0]
        self.page.goto(path)
        self.reads(f"to @{self.name}?")
        self.looks()
        self.presses("Link it")
        self.presses("Authorise")
        self.reads(f"{self.name} at Discord is linked.")
        self.page.goto(path)
        self.reads("This address was used already.")
        self.looks()

    def is_told_that_discord_is_away(self) -> None:
        self.stage.discord.fault = 503
        self.page.goto("/accounts/login/")
        self.presses("Continue with Discord")
        self.is_at("That did not work")
        self.looks()


def test_registering_signing_in_unlinking_and_linking(stage: Stage, new_page: Pages) -> None:
    nelly = Nelly(stage, new_page(base_url=stage.web.base_url, **axe.look()))
    nelly.registers()
    nelly.signs_out()
    nelly.signs_in_without_being_asked_again()
    nelly.unlinks()
    nelly.signs_out()
    nelly.is_not_signed_in_by_an_address()
    nelly.links()
    nelly.links_from_discords_side()
    linked = stage.site.sql(
        "SELECT u.username FROM accounts_discordlink d JOIN accounts_user u ON u.id = d.user_id "
        "WHERE d.discord_id = %s",
        nelly.number,
    )
    assert linked == [(nelly.name,)]
    nelly.signs_out()
    nelly.is_told_that_discord_is_away()
    assert stage.discord.faults == []
    # What the browser says of answers that are no success.
    assert [each for each in new_page.errors if not re.search(r"status of (401|409)", each)] == []
