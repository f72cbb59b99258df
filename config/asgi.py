"""The ASGI application: pages and the HTTP API, and live matches by WebSocket. By Daphne, or by
whatever `config.serve` runs."""

import gc
import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

http = get_asgi_application()

from django.urls import get_resolver  # noqa: E402  (these need the app registry)

from accounts.connections.sockets import SessionSockets, TokenSockets  # noqa: E402
from config import door, wire  # noqa: E402
from config.bodies import LimitedBodies  # noqa: E402
from config.lifespan import Lifespan  # noqa: E402
from config.origins import SameOrigin  # noqa: E402
from config.shutdown import GracefulShutdown  # noqa: E402
from config.sockets import DaphneSockets  # noqa: E402
from config.statics import StaticFiles  # noqa: E402
from core.aside import ASIDE  # noqa: E402
from games import heartbeat  # noqa: E402
from games.bots import streams  # noqa: E402
from games.sockets import rooms  # noqa: E402
from games.sockets.routing import websocket_urlpatterns  # noqa: E402

sockets = URLRouter(websocket_urlpatterns)
graceful = GracefulShutdown(
    ProtocolTypeRouter(
        {
            "http": LimitedBodies(StaticFiles(http)),
            "websocket": TokenSockets(
                sockets,
                sessions=SameOrigin(SessionSockets(sockets)),
            ),
        }
    )
)
graceful.at_close.append(streams.end_all)
graceful.at_end.append(rooms.let_close)
graceful.install()
door.install()
wire.install()


def open_up() -> None:
    """On the server's loop, before the first request."""
    ASIDE.begin()
    rooms.keep_open()


# The first sign of life finds out whether the service was away, so it comes before any request.
application = Lifespan(
    DaphneSockets(graceful),
    begin=lambda answers: heartbeat.start(answers=answers),
    open_up=open_up,
)
application.install()

# Imports every view now: a mistake there shows at start-up, not at the first visit.
_ = get_resolver().url_patterns

# Modules, models and views live as long as the process: without this, every full collection walks
# them all and a move waits behind it (measured: p99 of a bare echo 40 ms instead of 6).
gc.collect()
gc.freeze()
