"""Passkeys and apps in a real browser, with an authenticator that the browser plays itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.accessibility import axe
from tests.accounts.conftest import PASSWORD
from tests.accounts.factors import app_code
from tests.accounts.test_browser import register
from tests.security.support import later_at
from tests.support.fixtures import Pages
from tests.support.screens import Screen, assert_fits_each
from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCREENS: tuple[Screen, ...] = ((390, "light"), (1280, "dark"))


class Visitor:
    """Somebody at the site's name, where browsers take passkeys: at a number they do not."""

    def __init__(self, new_page: Pages, site: Site, **options: Any) -> None:
        self.page: Page = new_page(base_url=f"http://localhost:{site.port}", **options)
        self.examiner = axe.Examiner()

    def holds_a_key(self) -> None:
        """Their device keeps passkeys, and knows them by their finger."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }  # fmt: skip
        session.send("WebAuthn.addVirtualAuthenticator", {"options": options})

    def looks(self) -> None:
        """Nothing is wrong with the page, on any screen."""
        assert_fits_each(self.page, SCREENS)
        assert self.examiner.faults(self.page) == []

    def presses(self, name: str) -> None:
        self.page.locator("main").get_by_role("button", name=name).click()

    def follows(self, name: str) -> None:
        self.page.locator("main").get_by_role("link", name=name).click()

    def reads(self, heading: str) -> None:
        self.page.get_by_role("heading", level=1, name=heading).wait_for()

    def proves(self) -> None:
        """Give the password once more."""
        self.reads("Is it you?")
        self.looks()
        self.page.get_by_label("Password").fill(PASSWORD)
        self.presses("Continue")

    def leaves(self) -> None:
        self.page.goto("/accounts/logout/")
        self.presses("Sign out")
        self.page.get_by_role("link", name="Sign in").first.wait_for()

    def signs_in(self, name: str) -> None:
        """By name and password, up to the second step."""
        self.page.goto("/accounts/login/")
        self.page.get_by_label("Username or email address").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.locator("main").get_by_role("button", name="Sign in", exact=True).click()

    def is_in(self, name: str) -> None:
        self.page.wait_for_load_state()
        self.page.goto("/accounts/settings/")
        self.page.get_by_text(f"You are @{name}").wait_for()


def confirm_address(site: Site, name: str) -> None:
    """Its owner has followed the link in the mail; it is long since they have signed in."""
    later_at(site, name)
    site.sql(
        "UPDATE account_emailaddress SET verified = true WHERE user_id ="
        " (SELECT id FROM accounts_user WHERE username = %s)",
        name,
    )


def test_a_passkey_is_added_and_signs_in_alone_and_after_a_password(
    new_page: Pages, site: Site
) -> None:
    ada = Visitor(new_page, site)
    ada.holds_a_key()
    name = register(ada.page)
    ada.page.goto("/accounts/second-factor/")
    ada.reads("Second factor")
    ada.looks()
    assert ada.page.get_by_role("link", name="Add a passkey").count() == 0
    ada.page.locator("main").get_by_role("link", name="Confirm my address").wait_for()
    confirm_address(site, name)
    ada.page.reload()
    ada.looks()
    ada.follows("Add a passkey")
    ada.proves()
    ada.reads("Add a passkey")
    ada.looks()
    ada.page.get_by_label("Name").fill("My phone")
    ada.presses("Add it")
    ada.reads("Recovery codes")
    ada.looks()
    assert ada.page.locator(".factor-codes code").count() == 10
    ada.follows("I have kept them")
    ada.page.locator("bdi").get_by_text("My phone").wait_for()
    ada.page.get_by_text("signs in alone").wait_for()
    ada.looks()
    ada.leaves()
    ada.page.goto("/accounts/login/")
    ada.looks()
    ada.presses("Sign in with a passkey")
    ada.page.get_by_text("Signed in").or_(ada.page.locator("[data-menu]")).first.wait_for()
    ada.is_in(name)
    ada.leaves()
    ada.signs_in(name)
    ada.reads("The second step")
    ada.looks()
    ada.presses("Use a passkey")
    ada.page.locator("[data-menu]").wait_for()
    ada.is_in(name)
    ada.page.goto("/accounts/second-factor/")
    later_at(site, name)
    ada.follows("Remove My phone")
    ada.reads("Is it you?")
    ada.follows("Use a passkey")
    ada.looks()
    ada.presses("Use a passkey")
    ada.reads("Remove a passkey")
    ada.looks()
    ada.presses("Remove it")
    ada.reads("Second factor")
    assert new_page.errors == []


def test_a_browser_that_is_refused_says_so(new_page: Pages, site: Site) -> None:
    ada = Visitor(new_page, site)
    ada.holds_a_key()
    ada.page.goto("/accounts/login/")
    ada.presses("Sign in with a passkey")
    problem = ada.page.locator("[data-passkey-problem]")
    problem.wait_for()
    assert problem.inner_text()
    assert ada.page.get_by_role("button", name="Sign in with a passkey").is_enabled()


@pytest.mark.parametrize("scripts", [True, False])
def test_an_app_is_set_up_and_its_code_signs_in(new_page: Pages, site: Site, scripts: bool) -> None:
    eve = Visitor(new_page, site, java_script_enabled=scripts)
    # Registering waits for scripts.
    name = register(Visitor(new_page, site).page)
    eve.signs_in(name)
    eve.page.locator("[data-menu]").wait_for()
    confirm_address(site, name)
    eve.page.goto("/accounts/second-factor/app/")
    eve.page.get_by_label("Password").fill(PASSWORD)
    eve.presses("Continue")
    eve.reads("Authenticator app")
    if scripts:
        eve.looks()
        assert eve.page.locator(".factor svg").bounding_box() is not None
    secret = eve.page.get_by_label("The key").input_value()
    eve.page.get_by_label("Code", exact=True).fill(app_code(secret))
    eve.presses("Switch it on")
    eve.reads("Recovery codes")
    code = eve.page.locator(".factor-codes code").first.inner_text()
    eve.leaves()
    eve.signs_in(name)
    eve.reads("The second step")
    # Nobody is asked for what they do not have.
    assert eve.page.get_by_role("button", name="Use a passkey").count() == 0
    eve.page.get_by_label("Code", exact=True).fill(code)
    eve.page.locator("main").get_by_role("button", name="Sign in", exact=True).click()
    eve.page.locator("[data-menu]").wait_for()
    eve.is_in(name)
    assert new_page.errors == []
