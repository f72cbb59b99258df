"""A device is switched on in a real browser, and shows what is pushed to it unless its page is in
view.

Chromium subscribes at its maker's service alone, so the subscription is one of the push service
that the test plays: its keys are the test's, and the site sends to it in earnest. What it would
hand on to the browser is then handed to the service worker as the browser itself does it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.accounts.test_browser import register
from tests.support.push_service import Browser, PushService, pushing
from tests.support.screens import assert_fits_each
from tests.support.site import wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page, Worker

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

SETTINGS = "/accounts/settings/announcements/"
# What the page asks its browser for, answered with a subscription that the test holds the keys of.
SUBSCRIBING = """(given) => {
  const key = "told-to-the-browser";
  const made = () => ({
    toJSON: () => ({ endpoint: given.endpoint, keys: { p256dh: given.p256dh, auth: given.auth } }),
    unsubscribe: async () => localStorage.removeItem(key),
  });
  PushManager.prototype.subscribe = async (options) => {
    if (!options.userVisibleOnly) throw new Error("must be visible");
    localStorage.setItem(key, String(options.applicationServerKey.length));
    return made();
  };
  PushManager.prototype.getSubscription = async () =>
    localStorage.getItem(key) === null ? null : made();
}"""
# Chromium without windows has nowhere to show anything, and lets no site: the worker's last call is
# kept instead, as the device's own list would.
GRANTED = """() => {
  Object.defineProperty(Notification, "permission", { get: () => "granted" });
  Notification.requestPermission = async () => "granted";
}"""
KEEPING = """() => {
  self.list = new Map();
  registration.showNotification = async (title, { body, tag, data }) =>
    void self.list.set(tag, { title, body, tag, url: data.url });
}"""


@pytest.fixture
def service() -> Iterator[PushService]:
    with pushing() as there:
        yield there


class Device:
    """A browser whose owner is signed in."""

    def __init__(self, page: Page, browser: Browser) -> None:
        self.page = page
        self.browser = browser
        self.protocol = page.context.new_cdp_session(page)
        self.registrations: list[dict[str, Any]] = []
        self.protocol.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda told: self.registrations.extend(told["registrations"]),
        )
        self.protocol.send("ServiceWorker.enable")

    def deliver(self, told: dict[str, Any]) -> None:
        """What the browser does with a message that it has decrypted."""
        origin = self.page.evaluate("() => location.origin")
        self.protocol.send(
            "ServiceWorker.deliverPushMessage",
            {
                "origin": origin,
                "registrationId": self.registrations[-1]["registrationId"],
                "data": json.dumps(told),
            },
        )

    def keep_what_is_shown(self) -> None:
        """Have the worker keep a list."""
        self.worker.evaluate(KEEPING)

    @property
    def worker(self) -> Worker:
        wait_for(lambda: self.page.context.service_workers, what="the service worker")
        return self.page.context.service_workers[0]

    def shown(self) -> list[dict[str, str]]:
        """What stands in the device's list."""
        found: list[dict[str, str]] = self.worker.evaluate("() => [...self.list.values()]")
        return found


@pytest.fixture
def device(site: Site, new_page: Pages, service: PushService) -> Device:
    page = new_page(service_workers="allow", base_url=site.base_url)
    browser = service.browser()
    page.add_init_script(f"({SUBSCRIBING})({json.dumps(browser.subscription)})")
    page.add_init_script(f"({GRANTED})()")
    return Device(page, browser)


def state(page: Page, wanted: str) -> None:
    """Wait until the page tells how things stand with its device."""
    page.locator(f"[data-push={wanted}]").wait_for()


def test_a_device_is_switched_on_tested_and_off_again(device: Device, site: Site) -> None:
    page, browser = device.page, device.browser
    register(page)
    page.goto(SETTINGS)
    state(page, "off")
    page.get_by_role("button", name="Switch on for this device").click()
    state(page, "on")
    device.keep_what_is_shown()
    page.get_by_text("This one").wait_for()
    assert page.get_by_role("button", name="Switch on for this device").is_hidden()
    page.get_by_role("button", name="Send a test").click()
    page.get_by_text("A test is on its way").wait_for()
    wait_for(lambda: browser.messages, what="the site's worker to push")
    told = browser.messages[0].told
    device.deliver(told)  # which is seen by whoever has asked for it
    (shown,) = wait_for(device.shown, what="the test to be shown")
    assert shown == {
        "title": told["subject"], "body": told["words"], "tag": told["tag"],
        "url": "/accounts/announcements/",
    }  # fmt: skip
    of_settings = {**told, "url": f"{site.base_url}{SETTINGS}", "tag": "settings"}
    device.deliver(of_settings)  # of the page that is in view
    device.deliver({**told, "url": f"{site.base_url}/matches/1/", "tag": "turn"})
    wait_for(lambda: len(device.shown()) == 2, what="what leads elsewhere")
    assert device.shown()[1]["tag"] == "turn"
    page.goto("/rules/")
    device.deliver(of_settings)
    wait_for(lambda: len(device.shown()) == 3, what="what leads to the page that was in view")
    page.goto(SETTINGS)
    page.get_by_role("button", name="Switch off for this device").click()
    page.get_by_text("Nothing more is sent to that device.").wait_for()
    state(page, "off")
    assert page.get_by_text("This one").count() == 0


def test_a_browser_that_keeps_the_site_from_it_is_told_what_to_do(
    site: Site, new_page: Pages
) -> None:
    page = new_page(service_workers="allow")
    page.add_init_script(
        "Object.defineProperty(Notification, 'permission', { get: () => 'denied' })"
    )
    register(page)
    page.goto(SETTINGS)
    state(page, "blocked")
    page.get_by_text("Allow them in its settings").wait_for()
    assert page.get_by_role("button", name="Switch on").is_hidden()


def test_a_device_that_is_signed_out_is_off(device: Device, site: Site) -> None:
    page = device.page
    name = register(page)
    page.goto(SETTINGS)
    page.get_by_role("button", name="Switch on for this device").click()
    state(page, "on")
    count = (
        "SELECT count(*) FROM accounts_pushsubscription JOIN accounts_user ON user_id ="
        " accounts_user.id WHERE username = %s"
    )
    assert site.sql(count, name) == [(1,)]
    page.goto("/accounts/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").first.wait_for()
    assert site.sql(count, name) == [(0,)]


def test_without_scripts_the_page_says_so_and_the_settings_fit(
    device: Device, new_page: Pages
) -> None:
    page = device.page
    register(page)
    page.goto(SETTINGS)
    page.get_by_role("button", name="Switch on for this device").click()
    state(page, "on")
    assert_fits_each(page, ((320, "light"), (390, "dark"), (1280, "light")))
    bare = new_page(java_script_enabled=False)
    bare.context.add_cookies(page.context.cookies())  # type: ignore[arg-type]
    bare.goto(SETTINGS)
    bare.get_by_text("here they may not run").wait_for()
    assert bare.get_by_role("button", name="Switch on").is_hidden()
    bare.get_by_role("button", name="Remove").click()
    bare.get_by_text("Nothing more is sent to that device.").wait_for()
