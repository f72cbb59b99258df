"""A match within a page of another site: what happens arrives there, and nobody is signed in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from games.rulesets import REGISTRY
from tests.accessibility import axe
from tests.browser import players
from tests.support.loading import Loading

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

NARROW = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
# Bytes over the line: a page that is framed is to be lighter than the page of the site.
AT_MOST = 118_000
FORUM = """<!doctype html><html lang="en"><title>A forum</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><main><h1>A forum</h1>
<iframe src="{}" title="A match" width="100%" height="640"></iframe></main></html>"""


class _Forum(BaseHTTPRequestHandler):
    def __init__(self, page: str, *args: Any) -> None:
        self.page = page
        super().__init__(*args)

    def do_GET(self) -> None:
        found = self.path == "/"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.page.encode() if found else b"")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def forum(address: str, page: str = FORUM) -> Iterator[str]:
    """Another site with a page in which this one's is framed, at a name of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Forum, page.format(address)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def framed(page: Page) -> Frame:
    """The frame, connected."""
    frame = next(each for each in page.frames if "/embed/" in each.url)
    frame.locator("#match[data-connection=live][data-phase]").wait_for()
    return frame


def test_a_move_arrives_in_a_page_of_another_site(
    new_page: Pages, site: Site, wait_until: Callable[..., Any]
) -> None:
    game = players.start(site, "tetronogo")
    with forum(f"{site.base_url}/embed/matches/{game.match}/") as address:
        reader = new_page(**NARROW)
        # Signed in to the site, and still nobody within the other one's page.
        cookie: Any = {"name": game.cookie, "value": game.sessions["Ada"], "url": game.base_url}
        reader.context.add_cookies([cookie])
        reader.goto(address)
        frame = framed(reader)
        assert frame.locator(".tag", has_text="You").count() == 0
        assert frame.locator("button, form, input").count() == 0
        ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
        before = frame.locator("[data-part=turn]").inner_text()
        players.choose(ada, "T", "Pick T")
        players.choose(ben, "L", "Pick L")
        wait_until(lambda: frame.locator("[data-part=turn]").inner_text() != before)
        frame.locator("[data-part=board] svg").first.wait_for()
        wide = "document.documentElement.scrollWidth <= innerWidth"
        assert frame.evaluate(wide)
        assert axe.Examiner().faults(reader) == []
        ada.get_by_role("button", name="Concede").click()
        ada.locator("dialog").get_by_role("button", name="Concede").click()
        frame.locator("[data-part=replay]").wait_for()
        assert "Ben" in frame.locator("[data-part=turn]").inner_text()
        with reader.context.expect_page() as opened:
            frame.locator("[data-part=replay]").click()
        assert opened.value.evaluate("window.opener") is None
        assert opened.value.url.endswith(f"/matches/{game.match}/replay/")
    assert new_page.errors == []


def test_in_a_sandbox_it_looks_and_goes_on_as_it_does_elsewhere(
    new_page: Pages, site: Site, wait_until: Callable[..., Any]
) -> None:
    """There it is of no origin: style sheets, scripts and type come from another's, and browsers
    take them only because they are for everybody (`config.statics.Files`). No socket is opened for
    a page of no origin, so it asks; and browsers take no icons from elsewhere, whoever they are
    for."""
    game = players.start(site, "tetronogo")
    sandboxed = FORUM.replace("<iframe ", '<iframe sandbox="allow-scripts" ')
    with forum(f"{site.base_url}/embed/matches/{game.match}/", sandboxed) as address:
        page = new_page(**NARROW)
        failed: list[str] = []
        page.on("requestfailed", lambda request: failed.append(request.url))
        page.goto(address)
        frame = next(each for each in page.frames if "/embed/" in each.url)
        frame.locator("#match[data-phase]").wait_for()
        frame.locator("[data-part=board] svg").first.wait_for()
        assert [each for each in failed if "/static/" in each and "/img/icons." not in each] == []
        assert frame.evaluate("self.origin") == "null"
        assert frame.evaluate("document.fonts.check('1em Figtree')")
        assert frame.evaluate("document.styleSheets.length") > 0
        before = frame.locator("[data-part=turn]").inner_text()
        ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
        players.choose(ada, "T", "Pick T")
        players.choose(ben, "L", "Pick L")
        wait_until(lambda: frame.locator("[data-part=turn]").inner_text() != before)
        assert frame.locator("#match").get_attribute("data-connection") == "polling"
    left_out = ("/static/img/icons.", "/ws/v1/embed/")
    assert [each for each in new_page.errors if not any(one in each for one in left_out)] == []
    new_page.errors.clear()


def test_without_a_socket_it_goes_on_by_asking(new_page: Pages, site: Site) -> None:
    game = players.start(site, "tetronogo")
    page = new_page(**NARROW)
    page.route_web_socket("**/ws/**", lambda socket: socket.close(code=1011))
    asked: list[dict[str, str]] = []
    page.on(
        "request", lambda each: asked.append(each.all_headers()) if "/api/" in each.url else None
    )
    cookie: Any = {"name": game.cookie, "value": game.sessions["Ada"], "url": game.base_url}
    page.context.add_cookies([cookie])
    page.goto(f"/embed/matches/{game.match}/")
    page.locator("#match[data-connection=polling]").wait_for()
    assert asked
    assert all("cookie" not in each for each in asked)


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_it_is_light_and_fits(new_page: Pages, site: Site, ruleset: str) -> None:
    game = players.start(site, ruleset, variant=REGISTRY.get(ruleset).variants[0].id)
    page = new_page(**NARROW)
    loading = Loading(page)
    page.goto(f"/embed/matches/{game.match}/")
    players.is_live(page)
    page.wait_for_load_state("networkidle")
    loading.settle()
    parts = loading.parts
    assert [each for each in parts if each.depth > 2] == []
    assert sum(each.bytes for each in loading.fetched) < AT_MOST
    for width in (280, 390, 480):
        page.set_viewport_size({"width": width, "height": 720})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
    assert axe.Examiner().faults(page) == []
    assert new_page.errors == []
