"""What a browser fetches for a page that it has never seen: how many bytes, and in how many steps,
one waiting for the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Page

TIMEOUT_S: Final = 30
# What makes up a page; what it asks for once it runs is data.
PARTS = {"Document", "Stylesheet", "Script", "Font", "Image", "Manifest"}


class Fetched(NamedTuple):
    """One answer. ``depth``: 1 for the page itself, 2 for what it names, 3 for what is known only
    once one of those is there. ``bytes`` as they came over the line, headers included."""

    path: str
    kind: str
    depth: int
    bytes: int
    coding: str
    by: str


class Loading:
    """Listens, from before a page is opened, to all that it fetches."""

    def __init__(self, page: Page, *, slower: float = 1) -> None:
        """``slower``: how many times slower than it is the processor is to be for the page."""
        self._asked: dict[str, dict[str, Any]] = {}
        self._kinds: dict[str, str] = {}
        self._bytes: dict[str, int] = {}
        self._codings: dict[str, str] = {}
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.session.on("Network.requestWillBeSent", self._on_request)
        self.session.on("Network.responseReceived", self._on_response)
        self.session.on("Network.loadingFinished", self._on_finished)
        self.session.send("Network.enable")
        if slower != 1:
            self.session.send("Emulation.setCPUThrottlingRate", {"rate": slower})

    def _on_request(self, told: dict[str, Any]) -> None:
        self._asked[told["requestId"]] = told
        self._kinds[told["requestId"]] = told.get("type", "Other")

    def _on_response(self, told: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in told["response"]["headers"].items()}
        self._codings[told["requestId"]] = headers.get("content-encoding", "")
        self._kinds[told["requestId"]] = told["type"]

    def _on_finished(self, told: dict[str, Any]) -> None:
        self._bytes[told["requestId"]] = int(told["encodedDataLength"])

    def settle(self, condition: Callable[[], bool] = lambda: True) -> None:
        """Wait until all that was asked for is there, and ``condition`` holds."""
        until = time.monotonic() + TIMEOUT_S
        while not (self._asked.keys() <= self._bytes.keys() and condition()):
            assert time.monotonic() < until, self._asked.keys() - self._bytes.keys()
            self.page.wait_for_timeout(20)  # in which news of the browser are heard

    @property
    def fetched(self) -> list[Fetched]:
        """All of it, in the order in which it was asked for."""
        depths: dict[str, int] = {}
        found = []
        for key, asked in self._asked.items():
            url = asked["request"]["url"]
            by = _initiator(asked)
            depths.setdefault(url, depths.get(by, 0) + 1)
            if url.startswith("data:"):
                continue
            found.append(
                Fetched(
                    _path(url),
                    self._kinds[key],
                    depths[url],
                    self._bytes.get(key, 0),
                    self._codings.get(key, ""),
                    _path(by),
                )
            )
        return found

    @property
    def parts(self) -> list[Fetched]:
        """What makes up the page, without the data that it asks for once it runs."""
        return [each for each in self.fetched if each.kind in PARTS]


def _initiator(asked: dict[str, Any]) -> str:
    """The address of what led to a request; empty for the page itself."""
    if asked["type"] == "Document":
        return ""
    initiator = asked["initiator"]
    frames = initiator.get("stack", {}).get("callFrames", [])
    named = initiator.get("url") or (frames[0]["url"] if frames else "")
    return str(named or asked["documentURL"])


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3] if url.count("/") >= 3 else url
