"""Sockets in the test's own process, without a server."""

from dataclasses import dataclass
from typing import Any

from channels.testing import WebsocketCommunicator

from accounts.connections.sockets import Found
from games.publishing.frames import Lasting
from games.reading.shared import RoomView
from tests.support.site import PATIENCE


class LocalSocket(WebsocketCommunicator):
    """Channels' own gives up whatever takes longer than a second, which a busy machine may well
    need to look into the database; this one has the patience of everything else here."""

    async def receive_output(self, *_given: float) -> Any:
        """The next message of the application."""
        return await super().receive_output(PATIENCE)

    async def wait(self, *_given: float) -> None:
        """Return once the application has ended."""
        await super().wait(PATIENCE)


@dataclass(frozen=True)
class KnownVisitor:
    """Somebody whom nobody need look up."""

    user: Any
    credential: Any = None
    token: str = ""
    is_named: bool = True

    def found(self, *, guests: bool = False) -> Found:
        return Found(self.user, self.credential)


def shared_view(version: int = 1) -> RoomView:
    """What spectators are told of a match that is nowhere."""
    view: dict[str, Any] = {"phase": "on", "decisions": [], "game": None}
    sync = {"type": "sync", "version": version, "header": {}, "view": view, "log": []}
    return RoomView("", sync, over=False, lasting=Lasting(), watches=(None, None))
