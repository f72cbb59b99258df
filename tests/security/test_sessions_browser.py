"""On a phone, in a real browser: being asked who one is, and signing out elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.accessibility import axe
from tests.accounts.conftest import PASSWORD
from tests.accounts.test_browser import register
from tests.security.support import later_at
from tests.support.screens import Screen, assert_fits_each

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

SCREENS: tuple[Screen, ...] = ((390, "light"), (390, "dark"), (320, "light"), (1280, "dark"))


def looked_at(page: Page) -> None:
    assert_fits_each(page, SCREENS)
    assert axe.Examiner().faults(page, axe.TWO[0]) == []


def test_a_phone_signs_out_what_is_elsewhere(new_page: Pages) -> None:
    laptop, phone = new_page(), new_page(viewport={"width": 390, "height": 740})
    name = register(laptop)
    phone.goto("/accounts/login/?next=/accounts/settings/sessions/")
    phone.get_by_label("Username or email address").fill(name)
    phone.get_by_label("Password").fill(PASSWORD)
    phone.locator("main").get_by_role("button", name="Sign in", exact=True).click()
    phone.get_by_role("heading", name="Where you are signed in").wait_for()
    looked_at(phone)
    rows = phone.locator(".manage").get_by_role("listitem")
    assert rows.count() == 2
    assert rows.first.get_by_text("this one").is_visible()
    phone.get_by_role("button", name="Sign out everywhere but here").click()
    phone.get_by_text("You are signed out everywhere but here.").wait_for()
    assert rows.count() == 1
    laptop.goto("/accounts/settings/")
    laptop.locator("main").get_by_role("button", name="Sign in", exact=True).wait_for()
    phone.get_by_role("button", name="Sign out everywhere", exact=True).click()
    phone.get_by_text("You are signed out everywhere.").wait_for()
    assert new_page.errors == []


def test_what_was_typed_is_there_again_after_confirming(site: Site, new_page: Pages) -> None:
    page = new_page(viewport={"width": 390, "height": 740})
    name = register(page)
    later_at(site, name)
    page.goto("/accounts/settings/tokens/")
    page.get_by_role("heading", name="Is it you?").wait_for()
    looked_at(page)
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Continue").click()
    page.get_by_role("textbox", name="Name").fill("The bot at home")
    later_at(site, name)  # meanwhile
    page.locator("input[name=scopes][value=play]").check()
    page.get_by_role("button", name="Make a token").click()
    page.get_by_text("please press it once more").wait_for()
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Make a token").wait_for()
    assert page.get_by_role("textbox", name="Name").input_value() == "The bot at home"
    assert page.locator("input[name=scopes][value=play]").is_checked()
    page.get_by_role("button", name="Make a token").click()
    page.get_by_text("“The bot at home” is made.").wait_for()
    assert new_page.errors == []


def test_the_boxes_of_a_new_password(new_page: Pages) -> None:
    page = new_page(viewport={"width": 390, "height": 740})
    register(page)
    page.goto("/accounts/password/change/")
    looked_at(page)
    assert page.get_by_label("Sign out in all other browsers").is_checked()
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill("new-swordfish-88")
    page.get_by_label("New password (again)").fill("new-swordfish-88")
    page.get_by_role("button", name="Change the password").click()
    page.get_by_text("Your password is changed").wait_for()
    assert new_page.errors == []
