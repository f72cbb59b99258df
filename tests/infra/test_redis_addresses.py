"""Where Redis is, as operators say it: what an address means, and what each part of the site makes
of it."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.celery import Gauntlet
from core.redis_addresses import Form, address_of
from tests.infra.test_settings import PRODUCTION, evaluate

SENTINEL = "redis+sentinel://me:p%40ss@one:26380,two/mymaster"


@pytest.mark.parametrize(
    ("url", "form", "hosts", "rest"),
    [
        ("redis://h", Form.PLAIN, (("h", 6379),), (False, "", None)),
        ("rediss://:pw@h:1/3?ssl_ca_certs=/ca", Form.PLAIN, (("h", 1),), (True, "", 3)),
        ("redis://[::1]:7000/0", Form.PLAIN, (("::1", 7000),), (False, "", 0)),
        (SENTINEL, Form.SENTINEL, (("one", 26380), ("two", 26379)), (False, "mymaster", None)),
        (
            "rediss+sentinel://[fd00::1],two:1/mymaster/4", Form.SENTINEL,
            (("fd00::1", 26379), ("two", 1)), (True, "mymaster", 4),
        ),
        ("redis+cluster://a:1,b:2,c", Form.CLUSTER,
         (("a", 1), ("b", 2), ("c", 6379)), (False, "", None)),
        ("REDIS+CLUSTER://a/0", Form.CLUSTER, (("a", 6379),), (False, "", None)),
    ],
)  # fmt: skip
def test_what_an_address_means(url: str, form: Form, hosts: Any, rest: Any) -> None:
    found = address_of(url)
    assert (found.form, found.hosts) == (form, hosts)
    assert (found.tls, found.service, found.database) == rest
    assert address_of(str(found)) == found


@pytest.mark.parametrize(
    ("url", "because"),
    [
        ("", "must start with"),
        ("http://h", "must start with"),
        ("sentinel://h:1", "must start with"),
        ("redis+elsewhere://h", "must start with"),
        ("one:6379,two:6379", "must start with"),
        ("redis://", "must name hosts"),
        ("redis://:pw@:6379", "must name hosts"),
        ("redis://h:six", "must name hosts"),
        ("redis://::1:6379", "must name hosts"),
        ("redis+cluster://a:1,,b:2", "must name hosts"),
        ("redis+cluster://a:1;b:2", "must name hosts"),
        ("redis://h:0", "port that there is not"),
        ("redis://h:65536", "port that there is not"),
        ("redis://a:1,b:2", "several hosts"),
        ("redis://h/one", "number of a database"),
        ("redis://h/1/2", "number of a database"),
        ("redis+sentinel://h:1", "call the primary"),
        ("redis+sentinel://h:1/", "call the primary"),
        ("redis+sentinel://h:1/0", "call the primary"),
        ("redis+sentinel://h:1/mymaster/first", "number of a database"),
        ("redis+cluster://h:1/2", "only the first"),
        ("redis+cluster://h:1/mymaster", "number of a database"),
        ("redis+sentinel://h/mymaster?master=h", "does not know: master"),
        ("redis+cluster://h?sentinel_password=x", "does not know: sentinel_password"),
    ],
)
def test_addresses_that_are_refused_with_a_sentence(url: str, because: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=because) as refused:
        address_of(url, "GAUNTLET_CACHE_URL")
    sentence = str(refused.value)
    assert sentence.startswith("GAUNTLET_CACHE_URL ")
    assert sentence.endswith(".")


def test_a_refusal_tells_no_password() -> None:
    for url in ("http://me:hidden@h", "redis://me:hid@den@h:x", "redis://me:hidden@h/x"):
        with pytest.raises(ImproperlyConfigured) as refused:
            address_of(url)
        assert "hid" not in str(refused.value)


def test_what_stands_in_logs_has_no_password_and_no_database() -> None:
    assert address_of("redis://me:hidden@h/2").place == "h:6379"
    assert address_of(SENTINEL).place == "one:26380,two:26379/mymaster"


def test_how_to_connect() -> None:
    found = address_of(
        "rediss+sentinel://me:p%40ss@one/mymaster/4?sentinel_username=s&sentinel_password=t%20u"
        "&ssl_ca_certs=/ca&ssl_check_hostname=false"
    )
    tls = {"ssl": True, "ssl_ca_certs": "/ca", "ssl_check_hostname": False}
    assert found.options == {"username": "me", "password": "p@ss", "db": 4, **tls}
    assert found.sentinel_options == {"username": "s", "password": "t u", **tls}
    assert found.of_one("h", 1) == (
        "rediss://me:p%40ss@h:1/4?ssl_ca_certs=/ca&ssl_check_hostname=false"
    )
    assert address_of("redis+cluster://:pw@a,b").options == {"password": "pw"}


def parts(**environment: str) -> dict[str, Any]:
    """What the settings make of an environment."""
    done = evaluate(
        "dict(cache=settings.CACHES['sessions']['LOCATION'], keys=settings.GAUNTLET_REDIS_ADDRESS,"
        " layer=settings.GAUNTLET_LAYER_ADDRESSES, broker=settings.GAUNTLET_BROKER_ADDRESS,"
        " celery=settings.CELERY_BROKER_URL,"
        " options=settings.CELERY_BROKER_TRANSPORT_OPTIONS,"
        " ssl=getattr(settings, 'CELERY_BROKER_USE_SSL', None),"
        " hosts=[{k: v for k, v in host.items() if k in ('address', 'master_name', 'sentinels',"
        " 'password')} for host in settings.CHANNEL_LAYERS['default']['CONFIG']['hosts']])",
        **{**PRODUCTION, **environment},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = ast.literal_eval(done.stdout)
    return found


def test_on_one_server_each_part_has_a_database() -> None:
    found = parts(REDIS_URL="redis://:pw@h:1/9")
    assert found["keys"] == "redis://:pw@h:1/0"
    assert found["cache"] == ["redis://:pw@h:1/1"]
    assert found["broker"] == found["celery"] == "redis://:pw@h:1/2"
    assert found["layer"] == ["redis://:pw@h:1/0"]
    assert found["hosts"] == [{"address": "redis://:pw@h:1/0"}]


def test_each_part_may_be_elsewhere() -> None:
    found = parts(
        REDIS_URL="redis://h:1",
        GAUNTLET_CACHE_URL="redis://cache:2/7",
        GAUNTLET_BROKER_URL="redis://broker:3",
        GAUNTLET_LAYER_URLS="redis://one:4  redis+sentinel://two,three/shard",
    )
    assert found["keys"] == "redis://h:1/0"
    assert found["cache"] == ["redis://cache:2/7"]
    assert found["broker"] == "redis://broker:3/2"
    assert found["layer"] == ["redis://one:4/0", "redis+sentinel://two:26379,three:26379/shard/0"]
    assert found["hosts"] == [
        {"address": "redis://one:4/0"},
        {"master_name": "shard", "sentinels": (("two", 26379), ("three", 26379))},
    ]


def test_behind_sentinel_celery_is_told_in_its_own_way() -> None:
    found = parts(REDIS_URL=f"{SENTINEL}?sentinel_password=s".replace("redis", "rediss", 1))
    urls = [f"sentinel://me:p%40ss@{host}/2" for host in ("one:26380", "two:26379")]
    assert found["celery"] == ";".join(urls)
    assert found["options"]["master_name"] == "mymaster"
    assert found["options"]["sentinel_kwargs"]["password"] == "s"
    assert found["options"]["sentinel_kwargs"]["ssl"] is True
    assert found["ssl"] == {"ssl_cert_reqs": "required"}


def test_who_hands_on_a_task_waits_for_no_sentinel_either(settings: Any) -> None:
    app = Gauntlet("behind-sentinel")
    app.conf.broker_transport_options = {
        "master_name": "mymaster",
        "sentinel_kwargs": {"password": "s", "socket_timeout": 5, "socket_connect_timeout": 5},
    }
    patience = settings.GAUNTLET_REDIS_PATIENCE_MS / 1000
    given = app.connection_for_write("sentinel://one:1;sentinel://two:2").transport_options
    own = {"socket_timeout": patience, "socket_connect_timeout": patience}
    assert given == {"master_name": "mymaster", "sentinel_kwargs": {"password": "s", **own}, **own}
    waiting: Any = app.connection_for_read("sentinel://one:1").transport_options
    assert waiting["sentinel_kwargs"]["socket_timeout"] == 5


def test_a_cluster_has_one_database_and_needs_a_broker_beside_it() -> None:
    cluster = "redis+cluster://:pw@a:1,b:2"
    found = parts(REDIS_URL=cluster, GAUNTLET_BROKER_URL="redis://h")
    assert found["cache"] == [found["keys"]] == found["layer"] == [cluster]
    assert found["celery"] == "redis://h:6379/2"
    assert found["hosts"][0]["password"] == "pw"
    for environment in ({"REDIS_URL": cluster}, {"GAUNTLET_BROKER_URL": cluster}):
        done = evaluate("settings.DEBUG", **{**PRODUCTION, **environment})
        assert done.returncode != 0
        assert "Celery cannot use a Redis cluster" in done.stderr
        assert "GAUNTLET_BROKER_URL must name" in done.stderr


def test_shards_are_different_servers() -> None:
    done = evaluate(
        "settings.DEBUG", **PRODUCTION, GAUNTLET_LAYER_URLS="redis://one/0 redis://one:6379/1"
    )
    assert done.returncode != 0
    assert "GAUNTLET_LAYER_URLS names the same servers twice." in done.stderr


@pytest.mark.parametrize("name", ["GAUNTLET_CACHE_URL", "GAUNTLET_LAYER_URLS"])
def test_an_address_that_is_refused_names_its_setting(name: str) -> None:
    done = evaluate("settings.DEBUG", **PRODUCTION, **{name: "redis+sentinel://h:1"})
    assert done.returncode != 0
    assert f"ImproperlyConfigured: {name} must name what the Sentinels" in done.stderr
