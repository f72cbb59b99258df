"""Fixtures: the real site, and real browsers in front of it."""

import gc
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.nodeid import NodeId

from script.lib import chromium
from script.lib.console import ROOT
from tests.support import failures
from tests.support.site import AnotherWeb, Site, Web
from tests.support.workers import Workers, set_up

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Playwright

BROWSER_FIXTURES = {"browser", "new_page"}
SITE_FIXTURES = {"site", "site_session", "new_page"}
SERVER_FIXTURES = {"web", "uvicorn_session"}
ALL_FIXTURES = SITE_FIXTURES | BROWSER_FIXTURES
# The longest part of the browser tests: matches on their boards. They have a worker of their own.
BOARDS = "tests/browser/"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
FAILURES = ROOT / ".data" / "test-failures"
TIMEOUT = 60_000  # milliseconds for one browser action, on a machine that is busy with others


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of the real site and of browsers, in groups: each keeps to one worker,
    starts its site once, and leaves its browser open."""

    def uses(item: pytest.Item, fixtures: set[str]) -> bool:
        return bool(fixtures & set(getattr(item, "fixturenames", ())))

    for item in items:
        mark = item.get_closest_marker("xdist_group")
        group = mark.args[0] if mark else ""
        if uses(item, ALL_FIXTURES):
            item.add_marker(pytest.mark.site)
            group = "browser" if uses(item, BROWSER_FIXTURES) else "site"
            if not uses(item, SITE_FIXTURES):
                group = "browser alone"
            elif group == "browser" and item.nodeid.startswith(BOARDS):
                group = "boards"
        if group and "PYTEST_XDIST_WORKER" in os.environ:
            # What pytest-xdist does for an `xdist_group` mark; its own way of doing so (3.8) has no
            # effect on the item ids of pytest 9.
            failures.call(item)
            item._id = NodeId.parse(f"{item.nodeid}@{group}")
    items.sort(key=lambda item: (not uses(item, ALL_FIXTURES), not uses(item, BROWSER_FIXTURES)))


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: the garbage collector need not walk over them, and
    over every module, again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> object:
    """Run a test as pytest does, in a frame so wide that the frames of all that it calls fit beside
    it.

    CPython keeps frames in chunks of 16 KiB, or what the first frame in one needs. It maps a chunk
    when a call does not fit into the last and unmaps it when that call returns: a loop whose calls
    happen to cross such an edge does so every time, which took a tenth of the suite's time.
    """
    runner: Any = item.config.pluginmanager.getplugin("runner")
    return runner.pytest_runtest_protocol(item, nextitem)


pytest_runtest_protocol.__code__ = pytest_runtest_protocol.__code__.replace(
    co_stacksize=17_000  # of 8 bytes: 256 KiB
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Put the site's output and a picture of every page into the report of a failed test."""
    report: pytest.TestReport = yield  # type: ignore[assignment]
    fixtures = getattr(item, "funcargs", {})
    if report.when == "call" and report.failed:
        site = fixtures.get("site")
        if isinstance(site, Site):
            for process in [*site.processes, *site.others]:
                tail = process.log(since_start=False)[-6000:]
                report.sections.append((f"output of {process.name}", tail))
        pages = fixtures.get("new_page")
        if isinstance(pages, Pages):
            pages.keep_pictures(item.name)
    return report  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def results_taken_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests in this process have no worker: what one would do with a match that has ended, or that
    waited and has begun, is done where that happens. The real site has a worker, and its tests wait
    for it."""
    from django.apps import apps

    if apps.ready:
        from core.clock import instant_of
        from core.queueing import enqueue
        from tournaments import receivers
        from tournaments.jobs import SETTLE, UNSEAL
        from tournaments.services.legs import leg_unseal
        from tournaments.services.results.settlement import leg_settle

        def at_once(task: str, *arguments: Any) -> None:
            if task == SETTLE:
                leg_settle(match_id=arguments[0])
            elif task == UNSEAL:
                leg_unseal(match_id=arguments[0], at=instant_of(arguments[1]))
            else:
                enqueue(task, *arguments)

        monkeypatch.setattr(receivers, "enqueue", at_once)


@pytest.fixture(autouse=True)
def ends_followed_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, of what a turn leaves to a worker: what follows the end of its match, and that it
    waits for a ruling. Ratings apart, which most tests do not look at."""
    from django.apps import apps

    if apps.ready:
        from core.queueing import enqueue
        from games import tasks
        from games.jobs import FOLLOW_UP, TELL_RULING
        from games.ratings import tasks as ratings
        from games.services import settling

        done_here: dict[str, Callable[..., Any]] = {
            FOLLOW_UP: tasks.follow_up,
            TELL_RULING: tasks.tell_ruling,
        }

        def at_once(task: str, *arguments: Any) -> None:
            done_here.get(task, partial(enqueue, task))(*arguments)

        monkeypatch.setattr(settling, "enqueue", at_once)
        for name in ("match_rate", "match_judge_course", "match_look"):
            monkeypatch.setattr(ratings, name, lambda **_match: None)


@pytest.fixture(autouse=True)
def pictures_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, of pictures that somebody waits for."""
    from django.apps import apps

    if apps.ready:
        from games import tasks
        from games.pictures import keeping

        def at_once(_task: str, *arguments: Any, expires: float) -> bool:
            assert expires > 0
            tasks.draw(*arguments)
            return True

        monkeypatch.setattr(keeping, "enqueue", at_once)


@pytest.fixture
def left_to_workers(monkeypatch: pytest.MonkeyPatch) -> Workers:
    """What is handed to workers, in place of a broker: what a turn leaves to them, too."""
    from core.queueing import enqueue
    from games.ratings import course, pairs, services
    from games.ratings import tasks as ratings
    from games.services import settling

    monkeypatch.setattr(settling, "enqueue", enqueue)
    monkeypatch.setattr(ratings, "match_rate", services.match_rate)
    monkeypatch.setattr(ratings, "match_judge_course", course.match_judge_course)
    monkeypatch.setattr(ratings, "match_look", pairs.match_look)
    return set_up(monkeypatch)


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Workers:
    """What is handed to workers, in place of a broker."""
    return set_up(monkeypatch)


@pytest.fixture
def letters_go_out(workers: Workers) -> None:
    """Announcements that leave the site are sent as soon as they are written."""
    from accounts.announcing.tasks import deliver
    from accounts.jobs import DELIVER

    workers.at_once[DELIVER] = deliver


@pytest.fixture(autouse=True)
def broker_asked_again() -> None:
    """Tests give this process brokers that are away; the next one finds its own as it is."""
    from core.broker import ask_all_again

    ask_all_again()


@pytest.fixture(autouse=True)
def nothing_announced_to_everybody() -> None:
    """What this process knows of it goes with the test's rows, and by no age in the midst of one:
    then a page would ask for it."""
    from django.apps import apps

    if apps.ready:
        from accounts.site.announcements import know

        know((), read_at=float("inf"))


@pytest.fixture(autouse=True)
def outages_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this process knows of outages goes with the test's rows."""
    from django.apps import apps

    if apps.ready:
        from games.services.outage import known

        monkeypatch.setattr(known, "end", 0)
        monkeypatch.setattr(known, "beat", None)
        monkeypatch.setattr(known, "is_awaited", False)


@pytest.fixture(scope="session")
def site_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site's processes, started once per worker."""
    site = Site(tmp_path_factory.mktemp("site"), apart=True)
    SITES.append(site)
    try:
        site.start()
        yield site
    finally:
        SITES.remove(site)
        site.stop()


@pytest.fixture
def site(site_session: Site) -> Site:
    """The running site; whatever an earlier test killed has been started again."""
    site_session.ensure_running()
    return site_session


@pytest.fixture(scope="session")
def uvicorn_session(site_session: Site) -> Iterator[AnotherWeb]:
    """A web process of the site that runs uvicorn; it is not started yet."""
    other = AnotherWeb(site_session, "uvicorn")
    yield other
    other.stop()


@pytest.fixture(params=["daphne", "uvicorn"])
def web(request: pytest.FixtureRequest, site: Site) -> Web:
    """A running web process of the site, once by each of the servers that operators may choose."""
    if request.param == "daphne":
        return site
    other: AnotherWeb = request.getfixturevalue("uvicorn_session")
    other.web.start()
    return other


@pytest.fixture
def another(site: Site) -> Iterator[AnotherWeb]:
    """A second web process of the site, for this test alone."""
    web = AnotherWeb(site)
    web.web.start()
    yield web
    web.stop()


class Pages:
    """Opens pages, each as a different visitor, and remembers what went wrong in them."""

    def __init__(self, browser: "Browser", base_url: str) -> None:
        self.browser = browser
        self.base_url = base_url
        self.contexts: list[BrowserContext] = []
        self.errors: list[str] = []

    def __call__(self, **options: Any) -> "Page":
        """Open a page in a fresh context (its own cookies); options are Playwright's.

        Without the site's service worker, unless it is asked for: what a worker fetches, no test
        can answer in the server's place.
        """
        usual = {
            "base_url": self.base_url, "locale": "en-GB", "timezone_id": "UTC",
            "service_workers": "block",
        }  # fmt: skip
        context = self.browser.new_context(**{**usual, **options})
        context.set_default_timeout(TIMEOUT)
        self.contexts.append(context)
        context.on("page", self._watch)
        return context.new_page()

    def _watch(self, page: "Page") -> None:
        page.on("pageerror", lambda error: self.errors.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda message: (
                self.errors.append(f"{page.url}: {message.text}")
                if message.type == "error"
                else None
            ),
        )

    def keep_pictures(self, name: str) -> None:
        """Save a picture of every open page below .data/test-failures; none of one that is gone, or
        too busy: what failed is to be told all the same."""
        from playwright.sync_api import Error

        FAILURES.mkdir(parents=True, exist_ok=True)
        safe = re.sub(r"[^\w.-]+", "_", name)
        pages = [page for context in self.contexts for page in context.pages]
        for number, page in enumerate(pages):
            if not page.is_closed():
                with suppress(Error):
                    page.screenshot(path=FAILURES / f"{safe}-{number}.png", timeout=5000)

    def close(self) -> None:
        """Close everything."""
        for context in self.contexts:
            context.close()


class Chromium:
    """The browser of this process. Each test gets contexts of its own in it.

    Playwright's synchronous interface runs an event loop in this thread for as long as it is open,
    so it stays open only from one browser test to the next: asynchronous tests find the thread
    free. Django's guard against database calls beside a loop is lifted meanwhile: here nothing
    awaits them.
    """

    GUARD = "DJANGO_ALLOW_ASYNC_UNSAFE"

    def __init__(self) -> None:
        self.playwright: Playwright | None = None
        self.running: Browser | None = None

    def open(self, path: str) -> "Browser":
        """The running browser, started where there is none."""
        if self.running is not None and not self.running.is_connected():
            self.close()  # it has crashed
        if self.running is None:
            from playwright.sync_api import sync_playwright

            os.environ[self.GUARD] = "1"
            self.playwright = sync_playwright().start()
            self.running = self.playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        return self.running

    def close(self) -> None:
        """Close the browser, if there is one, and free the thread."""
        running, playwright = self.running, self.playwright
        self.running = self.playwright = None
        try:
            if running is not None and running.is_connected():
                running.close()
        finally:
            if playwright is not None:
                playwright.stop()
                del os.environ[self.GUARD]


CHROMIUM = Chromium()
SITES: list[Site] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """Close the browser, and let the site rest, unless the next test takes it over."""
    try:
        yield
    finally:
        needed = set(getattr(nextitem, "fixturenames", ()))
        if not BROWSER_FIXTURES & needed:
            CHROMIUM.close()
        for site in SITES:
            if not SITE_FIXTURES & needed:
                site.rest()
            elif not SERVER_FIXTURES & needed:
                # Tests of outages take the site's own web process for the only one.
                site.end_others()


@pytest.fixture
def browser() -> Iterator["Browser"]:
    """A real Chromium. Skips when there is none, which `script/test` says loudly."""
    path = chromium.find()
    if path is None:
        pytest.skip("NO BROWSER: install Chromium or set GAUNTLET_CHROMIUM")
    running = CHROMIUM.open(path)
    yield running
    for context in running.contexts:
        context.close()


@pytest.fixture
def new_page(browser: "Browser", site: Site) -> Iterator[Pages]:
    """A function that opens a page on the site as a new visitor.

    `new_page.errors` lists script errors and console errors (Content Security Policy refusals are
    among them) of all its pages.
    """
    pages = Pages(browser, site.base_url)
    yield pages
    pages.close()


@pytest.fixture
def wait_until() -> Callable[..., Any]:
    """`wait_until(condition)`: the first true value of `condition()`."""
    from tests.support.site import wait_for

    return wait_for
