"""The site as an application that a browser keeps: its service worker, and the page without a
network."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from PIL import Image

from config.installed import DRAWN_WITH

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site


def kept(client: Client) -> dict[str, Any]:
    """What the worker is told to keep."""
    script = client.get("/service-worker.js").content.decode()
    found = re.search(r"kept = (\{.*\});", script)
    assert found
    told: dict[str, Any] = json.loads(found[1])
    return told


def test_the_worker_stands_at_the_root_and_may_load_its_own_script(client: Client) -> None:
    answer = client.get("/service-worker.js")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/javascript"
    assert answer["Content-Security-Policy"] == (
        "default-src 'none'; connect-src 'self'; script-src 'self'"
    )
    assert "js/service-worker" in answer.content.decode()
    for path in ("/service-worker.js", "/offline/"):
        assert client.post(path).status_code == 405
        assert "max-age=3600" in client.get(path)["Cache-Control"]


def test_the_worker_keeps_what_the_page_without_a_network_names_and_nothing_else(
    client: Client,
) -> None:
    told = kept(client)
    page = client.get("/offline/").content.decode()
    named = {
        each for each in re.findall(r'(?:href|src)="([^"]+)"', page) if each.startswith("/static/")
    }
    assert told["files"][0] == told["offline"] == "/offline/"
    assert named <= set(told["files"])
    fonts = {each for each in told["files"] if each.endswith(".woff2")}
    assert set(told["files"]) == {"/offline/", *named, *fonts}
    assert len(told["files"]) == len(DRAWN_WITH) + 1


def test_another_page_is_another_release(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept(client)["release"]
    assert kept(client)["release"] == before
    monkeypatch.setattr("config.installed.render_to_string", lambda _name: "other words")
    assert kept(client)["release"] != before


@pytest.mark.django_db
def test_nobody_is_told_apart(client: Client, admin_client: Client) -> None:
    for path in ("/service-worker.js", "/offline/"):
        answers = [each.get(path) for each in (client, admin_client)]
        assert answers[0].content == answers[1].content
        assert not any(answer.cookies for answer in answers)


def _found(name: str) -> Path:
    from pathlib import Path

    place = finders.find(name)
    assert isinstance(place, str), name
    return Path(place)


@pytest.mark.django_db
def test_what_the_manifest_names_is_there(client: Client) -> None:
    manifest = json.loads(_found("img/site.webmanifest").read_text())
    for icon in manifest["icons"]:
        path = _found(f"img/{icon['src']}")
        if icon["type"] == "image/png":
            with Image.open(path) as picture:
                assert "x".join(map(str, picture.size)) == icon["sizes"]
    assert {icon.get("purpose") for icon in manifest["icons"]} == {None, "maskable"}
    for place in (manifest["start_url"], *(each["url"] for each in manifest["shortcuts"])):
        answer = client.get(place)
        assert answer.status_code in (200, 302)
        assert answer.status_code == 200 or "login" in answer["Location"]


def with_worker(page: Page, address: str = "/rules/") -> None:
    """Open a page and wait until its worker answers for it."""
    page.goto(address)
    page.evaluate("() => navigator.serviceWorker.ready.then(() => undefined)")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


@pytest.mark.browser
def test_without_a_network_there_is_a_page_that_says_so(site: Site, new_page: Pages) -> None:
    """Drawn as the others are, and gone by itself once there is a network again."""
    page = new_page(
        service_workers="allow", viewport={"width": 390, "height": 844}, color_scheme="dark"
    )
    with_worker(page)
    page.context.set_offline(True)
    page.goto("/lobby/?from=here")
    assert page.locator("h1").inner_text() == "You are offline"
    assert urlsplit(page.url).path == "/lobby/"
    font, ground = page.evaluate(
        "() => [getComputedStyle(document.querySelector('h1')).fontFamily,"
        " getComputedStyle(document.documentElement).backgroundColor]"
    )
    assert "Marcellus" in font
    assert page.evaluate("() => document.fonts.check('20px Marcellus')")
    assert ground not in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    page.get_by_role("button", name="Try again").click()
    page.locator("h1", has_text="You are offline").wait_for()
    page.context.set_offline(False)
    page.locator("h1", has_text="Lobby").wait_for()
    assert page.url.endswith("/lobby/?from=here")


@pytest.mark.browser
def test_the_worker_keeps_nothing_of_anybody(site: Site, new_page: Pages) -> None:
    page = new_page(service_workers="allow")
    with_worker(page)
    for path in ("/lobby/", "/watch/", "/api/v1/matches/"):
        page.goto(path)
    held = page.evaluate(
        """async () => {
          const found = [];
          for (const name of await caches.keys()) {
            for (const { url } of await (await caches.open(name)).keys()) found.push(url);
          }
          return found.map((each) => new URL(each).pathname);
        }"""
    )
    assert len(held) == len(DRAWN_WITH) + 1
    assert {each for each in held if not each.startswith("/static/")} == {"/offline/"}


@pytest.mark.browser
def test_an_error_of_the_server_is_shown_as_it_is(site: Site, new_page: Pages) -> None:
    page = new_page(service_workers="allow")
    with_worker(page)
    answer = page.goto("/nothing/here/")
    assert answer is not None
    assert answer.status == 404
    assert page.locator("h1", has_text="offline").count() == 0
