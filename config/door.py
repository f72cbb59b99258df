"""Where requests come in to Daphne: a body that is too large is refused before it is read, and who
is too slow is let go (`config.patience`).

Daphne hands a request on once it has all of it, so that whatever Django refuses has been kept on
disk by then, whoever sent it. Here, what is announced as too large, or turns out so piece by piece
(a chunked body says no length), is answered 413 and not kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import structlog
from daphne import http_protocol
from twisted.web import http

from config.bodies import LINGER, answer_to_more_than, is_signed_in, most_of_anybody
from config.headers import complete
from config.identified import new_id
from config.patience import Patience
from core.sizes import OF_NOBODY, most_at

log = structlog.get_logger("gauntlet.door")


def _ask(cookies: str) -> Any:
    # Imported here because importing it makes a reactor, which only Daphne should do.
    from twisted.internet.threads import deferToThread  # noqa: PLC0415

    return deferToThread(is_signed_in, cookies)


# Untyped, but for what it inherits.
_Channel: Any = http.HTTPChannel


class PatientChannel(_Channel):
    """A connection of Daphne's, whose requests have to come in time."""

    patience: Patience | None = None

    def connectionMade(self) -> None:  # noqa: N802  (the library's name)
        """Somebody has connected."""
        super().connectionMade()
        host = str(getattr(self.transport.getPeer(), "host", ""))
        self.patience = Patience(host, self.callLater, self._say, self._abort)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Bytes have come."""
        if self.patience is not None:
            self.patience.came(len(data))
        super().dataReceived(data)

    def requestDone(self, request: Any) -> None:  # noqa: N802
        """A request is answered."""
        if self.patience is not None:
            self.patience.answered()
        super().requestDone(request)

    def connectionLost(self, reason: Any) -> None:  # noqa: N802
        """They are gone."""
        if self.patience is not None:
            self.patience.end()
        super().connectionLost(reason)

    def _say(self, answer: bytes) -> None:
        self.transport.write(answer)
        self.timeoutConnection()

    def _abort(self) -> None:
        self.transport.abortConnection()


class LimitedRequest(http_protocol.WebRequest):
    """A request of Daphne's that stops reading in time."""

    ask: Callable[[str], Any] = staticmethod(_ask)
    most = OF_NOBODY
    refused = False
    _asked = False
    _took = 0
    _ending: Any = None

    def gotLength(self, length: int | None) -> None:  # noqa: N802  (the library's name)
        """The headers are there: decide by what they say."""
        super().gotLength(length)
        if (patience := self._patience) is not None:
            patience.head_came()
        self.most = most_of_anybody(self._header("authorization"), self._header("cookie"))
        self._check(length or 0)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """A piece of the body."""
        self._took += len(data)
        self._check(self._took)
        if not self.refused:
            super().handleContentChunk(data)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802
        """All of it is there; what was refused is answered already."""
        if (patience := self._patience) is not None:
            patience.request_came()
        if not self.refused:
            super().requestReceived(command, path, version)

    def connectionLost(self, reason: Any) -> None:  # noqa: N802
        """Nobody waits any more."""
        self.refused = True
        if self._ending is not None and self._ending.active():
            self._ending.cancel()
        super().connectionLost(reason)

    @property
    def _patience(self) -> Patience | None:
        return getattr(self.channel, "patience", None)

    @property
    def _path(self) -> str:
        target = self.channel._path  # noqa: SLF001  (the request itself is told of it at the end)
        return unquote(target.split(b"?", 1)[0].decode("latin-1"))

    def _header(self, name: str) -> str:
        found = self.requestHeaders.getRawHeaders(name.encode()) or [b""]
        return "; ".join(each.decode("latin-1") for each in found)

    def _check(self, size: int) -> None:
        if self.refused or size <= self.most:
            return
        most = most_at(self._path)
        if self.most == OF_NOBODY or most <= self.most or size > most:
            self._refuse(self.most if self.most == OF_NOBODY else most)
        elif not self._asked:
            self._asked = True
            self._hold(True)
            asked = self.ask(self._header("cookie"))
            asked.addCallbacks(
                lambda known: self._resume(known, most), lambda _: self._resume(False, 0)
            )

    def _resume(self, known: bool, most: int) -> None:
        if self.refused:
            return
        if known:
            self.most = most
        else:
            self._refuse(self.most)
        self._hold(False)

    def _hold(self, held: bool) -> None:
        reading = self.channel._networkProducer  # noqa: SLF001  (as Daphne does)
        (reading.pauseProducing if held else reading.resumeProducing)()

    def _refuse(self, most: int) -> None:
        self.refused = True
        log.info("body.too-large", path=self._path, most=most, request=new_id())
        self.content.close()
        said, content = answer_to_more_than(most, self._path)
        headers = complete(self._path, said)
        head = b"".join(b"%b: %b\r\n" % (name.title(), value) for name, value in headers)
        channel = self.channel
        channel.transport.write(b"HTTP/1.1 413 Content Too Large\r\n" + head + b"\r\n" + content)
        self._ending = channel.callLater(LINGER, channel.loseConnection)


def patient_protocol() -> Any:
    """What a connection speaks at first, as the library makes it, with our channel."""
    return http._GenericHTTPChannelProtocol(PatientChannel())  # noqa: SLF001  (as the library does)


def install() -> None:
    """Have Daphne make its requests this way, if this process runs it."""
    if "daphne.server" in sys.modules:
        http_protocol.WebRequest = LimitedRequest
        http_protocol.HTTPFactory.protocol = staticmethod(patient_protocol)
