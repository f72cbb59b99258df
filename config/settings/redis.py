"""Where Redis or Valkey is: the cache, the channel layer, Celery's broker, and who is there.

All of it is at one address unless a part has one of its own. On one server each has a database; in
a cluster, which has only one, the prefixes of their keys keep them apart.
"""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from core.env import env
from core.redis_addresses import Address, Form, address_of

REDIS_URL = env.str("REDIS_URL", "redis://127.0.0.1:6379")
# One prefix per site keeps several sites (and tests run side by side) on one server apart.
REDIS_PREFIX = env.str("GAUNTLET_REDIS_PREFIX", "gauntlet")

# How long an answer is waited for by those who hold something up: a turn, a page, a socket. After
# that nobody asks until the server answers again (`core.broker`). A turn may cost a quarter of a
# second more then, which leaves a tenth for all else that it waits for.
GAUNTLET_REDIS_PATIENCE_MS = env.int("GAUNTLET_REDIS_PATIENCE_MS", 150)
_PATIENCE_S = GAUNTLET_REDIS_PATIENCE_MS / 1000


def _own_or(name: str, database: int) -> Address:
    """The address of a part: its own, or that of all."""
    url = env.str(name, "")
    return address_of(url, name).or_on(database) if url else address_of(REDIS_URL).on(database)


# Who is there and what web processes have got, for those who ask from threads and event loops.
GAUNTLET_REDIS_ADDRESS = str(address_of(REDIS_URL).on(0))

# --- Cache --------------------------------------------------------------------------------------
_CACHE = {
    "LOCATION": [str(_own_or("GAUNTLET_CACHE_URL", 1))],
    "KEY_PREFIX": REDIS_PREFIX,
    "OPTIONS": {"socket_connect_timeout": _PATIENCE_S, "socket_timeout": _PATIENCE_S},
}
CACHES = {
    "default": {"BACKEND": "config.caches.SharedRedisCache", **_CACHE},
    "sessions": {"BACKEND": "config.caches.SessionCache", **_CACHE},
}

# --- Channel layer ------------------------------------------------------------------------------
# What is published goes by one server, or by several, each group by its own
# (`games.publishing.publish.shard_of`): in this order everywhere, since it decides which.
GAUNTLET_LAYER_ADDRESSES: list[str] = [
    str(address_of(url, "GAUNTLET_LAYER_URLS").or_on(0))
    for url in env.str("GAUNTLET_LAYER_URLS", "").split()
] or [GAUNTLET_REDIS_ADDRESS]
if len({address_of(url).place for url in GAUNTLET_LAYER_ADDRESSES}) < len(GAUNTLET_LAYER_ADDRESSES):
    raise ImproperlyConfigured("GAUNTLET_LAYER_URLS names the same servers twice.")


def _layer_host(address: Address) -> dict[str, Any]:
    """A shard, as the channel layer has it."""
    # A subscriber is idle by nature, so reads must never time out (redis-py 8 would give up after
    # five seconds); the connection cap is set above what a process can need; keep-alive and health
    # checks notice a dead peer instead.
    connection: dict[str, Any] = {
        "socket_timeout": None,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "max_connections": 4096,
        "health_check_interval": 30,
        "client_name": f"{REDIS_PREFIX}-layer",
    }
    if address.form is Form.SENTINEL:
        asking = {"socket_timeout": 5, "socket_connect_timeout": 5}
        return {
            "master_name": address.service,
            "sentinels": address.hosts,
            "sentinel_kwargs": {**address.sentinel_options, **asking},
            **address.options,
            **connection,
        }
    if address.form is Form.CLUSTER:
        from core.pools import node_options  # noqa: PLC0415  (nothing else here needs the client)

        return {**node_options(address, REDIS_PREFIX), **connection}
    return {"address": str(address), **connection}


# Pub/sub: one subscription connection per process and shard, no queue in the server that can fill
# up.
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            "hosts": [_layer_host(address_of(url)) for url in GAUNTLET_LAYER_ADDRESSES],
            "prefix": REDIS_PREFIX,
        },
    }
}

# --- Celery's broker ----------------------------------------------------------------------------
_BROKER = _own_or("GAUNTLET_BROKER_URL", 2)
if _BROKER.form is Form.CLUSTER:
    raise ImproperlyConfigured(
        "Celery cannot use a Redis cluster as its broker: GAUNTLET_BROKER_URL must name a server"
        " for it (redis://), or one behind Sentinel (redis+sentinel://)."
    )
GAUNTLET_BROKER_ADDRESS = str(_BROKER)
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
    # What a killed worker had taken comes back after this long. Deadlines do not wait for it (the
    # sweep finds them in the database), and no task is scheduled further ahead than a few seconds,
    # so a short value only shortens recovery and cannot run a task twice by itself.
    "visibility_timeout": 60,
    # And it is looked for this often: every hundred seconds, as kombu has it.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "global_keyprefix": f"{REDIS_PREFIX}.celery.",
    "socket_timeout": 30,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 15,
}
if _BROKER.form is Form.SENTINEL:
    # One address for each Sentinel, and the rest beside it: Celery has no form that holds all.
    CELERY_BROKER_URL = ";".join(
        f"sentinel:{_BROKER.of_one(*host).partition('?')[0].partition(':')[2]}"
        for host in _BROKER.hosts
    )
    CELERY_BROKER_TRANSPORT_OPTIONS |= {
        "master_name": _BROKER.service,
        "sentinel_kwargs": {
            **_BROKER.sentinel_options,
            "socket_timeout": 5,
            "socket_connect_timeout": 5,
        },
    }
    if _BROKER.tls:
        CELERY_BROKER_USE_SSL = {
            "ssl_cert_reqs": "required",
            **{name: value for name, value in _BROKER.tls_options.items() if name != "ssl"},
        }
else:
    CELERY_BROKER_URL = GAUNTLET_BROKER_ADDRESS
