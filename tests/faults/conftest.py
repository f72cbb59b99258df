"""One site on servers of its own for all tests of faults on one worker, mended after each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.games.desk import Desk, Person
from tests.support.ground import Ground
from tests.support.ledger import Crowd
from tests.support.site import AnotherWeb, Site, Web

Crowds = Callable[..., Crowd]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them on one worker."""
    for item in items:
        if item.nodeid.startswith("tests/faults/"):
            item.add_marker(pytest.mark.xdist_group("faults"))


@pytest.fixture(scope="package")
def ground_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """The site and its servers, started once."""
    ground = Ground(tmp_path_factory.mktemp("ground"))
    try:
        ground.start()
        yield ground
    finally:
        ground.stop()


@pytest.fixture
def ground(ground_once: Ground, request: pytest.FixtureRequest) -> Iterator[Ground]:
    """A site that is well, with its servers."""
    ground_once.mend()
    starts = {process: process.log_path.stat().st_size for process in ground_once.there.processes}
    yield ground_once
    for process, start in starts.items():
        with process.log_path.open("rb") as log:
            log.seek(start)
            tail = log.read()[-6000:].decode(errors="replace")
            request.node.add_report_section("call", f"output of {process.name}", tail)
    ground_once.mend()


@pytest.fixture
def site(ground: Ground) -> Site:
    """The site, in place of the one that other tests share."""
    return ground.there


@pytest.fixture
def desk(site: Site) -> Desk:
    """People and matches on the site."""
    return Desk(site)


@pytest.fixture
def players(desk: Desk) -> tuple[Person, Person]:
    """Two who play."""
    return desk.person(), desk.person()


@pytest.fixture(params=["daphne", "uvicorn"])
def web(request: pytest.FixtureRequest, site: Site) -> Iterator[Web]:
    """A web process of this site, once by each server; the second is gone after its test, since
    those of a process that is away count on one alone."""
    if request.param == "daphne":
        yield site
        return
    other = AnotherWeb(site, "uvicorn")
    other.web.start()
    yield other
    other.stop()


@pytest.fixture
def crowd(ground: Ground) -> Iterator[Crowd]:
    """Three matches that are played and watched, in full swing; they are looked after while the
    test lasts, and what they were told is compared with the database at its end."""
    with ExitStack() as stack:
        crowd = stack.enter_context(Crowd(ground.there))
        crowd.begin(played=3)
        crowd.goes_on(turns=2)
        yield crowd
