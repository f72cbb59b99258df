"""The ASGI application: pages and the HTTP API, and live matches by WebSocket. By Daphne, or by
whatever `config.serve` runs."""

import asyncio
import gc
import os
from functools import partial

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

http = get_asgi_application()

from django.urls import get_resolver  # noqa: E402  (these need the app registry)

from accounts.connections.sockets import SessionSockets, TokenSockets  # noqa: E402
from config import door, wire  # noqa: E402
from config.bodies import LimitedBodies  # noqa: E402
from config.crowding import RequestsByAddress, SocketsByAddress  # noqa: E402
from config.headers import Headers  # noqa: E402
from config.identified import Identified  # noqa: E402
from config.instants import Instants  # noqa: E402
from config.lifespan import Answers, Lifespan  # noqa: E402
from config.operations import exposition  # noqa: E402
from config.origins import SameOrigin  # noqa: E402
from config.shutdown import GracefulShutdown  # noqa: E402
from config.sockets import DaphneSockets  # noqa: E402
from config.statics import StaticFiles  # noqa: E402
from core.aside import ASIDE  # noqa: E402
from games import heartbeat, watch  # noqa: E402
from games.bots import streams  # noqa: E402
from games.intake import REPORTER  # noqa: E402
from games.sockets import executor, rooms  # noqa: E402
from games.sockets.routing import websocket_urlpatterns  # noqa: E402

exposition.this.role = "web"
sockets = URLRouter(websocket_urlpatterns)
graceful = GracefulShutdown(
    ProtocolTypeRouter(
        {
            "http": Headers(
                LimitedBodies(exposition.Metrics(StaticFiles(RequestsByAddress(Instants(http)))))
            ),
            "websocket": SocketsByAddress(
                TokenSockets(
                    sockets,
                    sessions=SameOrigin(SessionSockets(sockets)),
                )
            ),
        }
    )
)
graceful.at_close.append(streams.end_all)
graceful.at_end.append(rooms.let_close)
graceful.at_end.append(REPORTER.end)
graceful.at_end.append(partial(asyncio.to_thread, heartbeat.end))
graceful.install()
door.install()
wire.install()


def begin(answers: Answers) -> None:
    """Give signs of life, and look after what nobody asks for. The first sign finds out whether the
    service was away, so it comes before any request."""
    heartbeat.start(answers=answers, turns_go_on=executor.turns_go_on)
    REPORTER.start()
    watch.start()


def open_up() -> None:
    """On the server's loop, before the first request."""
    ASIDE.begin()
    rooms.keep_open()


application = Lifespan(
    DaphneSockets(Identified(graceful)),
    begin=begin,
    open_up=open_up,
)
application.install()

# Imports every view now: a mistake there shows at start-up, not at the first visit.
_ = get_resolver().url_patterns

# Modules, models and views live as long as the process: without this, every full collection walks
# them all and a move waits behind it (measured: p99 of a bare echo 40 ms instead of 6).
gc.collect()
gc.freeze()
