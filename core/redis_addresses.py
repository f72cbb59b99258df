"""Addresses of Redis: of one server, of several behind Sentinel, of a cluster.

    redis://[user:password@]host[:6379][/database][?options]
    redis+sentinel://[user:password@]host[:26379][,host[:port]...]/service[/database][?options]
    redis+cluster://[user:password@]host[:6379][,host[:port]...][?options]

`rediss` instead of `redis` has all of it speak TLS. Behind Sentinel the hosts are the Sentinels',
the service is what they call the primary, and user and password are the servers'; the Sentinels'
own are the options ``sentinel_username`` and ``sentinel_password``. Of a cluster some nodes are
enough, who name the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from django.core.exceptions import ImproperlyConfigured


class Form(StrEnum):
    """How the servers at an address stand to each other."""

    PLAIN = ""
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


Hosts = tuple[tuple[str, int], ...]

_SCHEME: Final = re.compile(r"redis(?P<tls>s?)(\+(?P<form>sentinel|cluster))?", re.IGNORECASE)
_HOST: Final = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^:\[\]@]+)(:(?P<port>[0-9]+))?")
_PORTS: Final = {Form.PLAIN: 6379, Form.SENTINEL: 26379, Form.CLUSTER: 6379}
_TLS_OPTIONS: Final = (
    "ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile",
)  # fmt: skip
_NO: Final = ("false", "no", "0", "f", "n")  # as `redis` has it
_SENTINEL_OPTIONS: Final = ("sentinel_username", "sentinel_password")


@dataclass(frozen=True)
class Address:
    """What an address says. ``user`` is as it stands there, with its ``@``; ``hosts`` are those of
    ``form``; ``service`` is empty but behind Sentinel; ``database`` None where none is named."""

    form: Form
    tls: bool
    user: str
    hosts: Hosts
    service: str
    database: int | None
    query: str

    def __str__(self) -> str:
        path = "/".join(part for part in (self.service, self._number) if part)
        return self._url(self.form, self.hosts, path, self.query)

    @property
    def place(self) -> str:
        """Which servers these are: without a database, and nothing that is secret."""
        hosts = ",".join(f"{host}:{port}" for host, port in self.hosts)
        return f"{hosts}/{self.service}" if self.service else hosts

    def on(self, number: int) -> Address:
        """The same servers with another database. A cluster has only one, which is not named."""
        return self if self.form is Form.CLUSTER else replace(self, database=number)

    def or_on(self, number: int) -> Address:
        """The same, unless the address names a database of its own."""
        return self if self.database is not None else self.on(number)

    def of_one(self, host: str, port: int) -> str:
        """The address of one server or node, as libraries know it."""
        options = "&".join(
            part for part in self.query.split("&") if part.split("=")[0] not in _SENTINEL_OPTIONS
        )
        return self._url(Form.PLAIN, ((host, port),), self._number, options)

    @property
    def options(self) -> dict[str, Any]:
        """How to connect to one of the servers, but for where it is: behind Sentinel and of a
        cluster, by the names that `redis` has for it."""
        name, _, password = self.user.removesuffix("@").partition(":")
        found: dict[str, Any] = {"username": unquote(name), "password": unquote(password)}
        if self.form is not Form.CLUSTER:
            found["db"] = self.database or 0
        return {key: value for key, value in found.items() if value != ""} | self.tls_options

    @property
    def sentinel_options(self) -> dict[str, Any]:
        """How to connect to the Sentinels."""
        given = dict(parse_qsl(self.query))
        own = {
            option.removeprefix("sentinel_"): given[option]
            for option in _SENTINEL_OPTIONS
            if option in given
        }
        return own | self.tls_options

    @property
    def tls_options(self) -> dict[str, Any]:
        """What is to be said of TLS; nothing where there is none."""
        if not self.tls:
            return {}
        given = dict(parse_qsl(self.query))
        found: dict[str, Any] = {name: given[name] for name in _TLS_OPTIONS if name in given}
        if "ssl_check_hostname" in found:
            found["ssl_check_hostname"] = found["ssl_check_hostname"].lower() not in _NO
        return {"ssl": True, **found}

    @property
    def _number(self) -> str:
        return "" if self.database is None else str(self.database)

    def _url(self, form: Form, hosts: Hosts, path: str, query: str) -> str:
        scheme = f"redis{'s' if self.tls else ''}{'+' if form else ''}{form}"
        places = ",".join(f"{f'[{h}]' if ':' in h else h}:{port}" for h, port in hosts)
        more = f"{'/' if path else ''}{path}{'?' if query else ''}{query}"
        return f"{scheme}://{self.user}{places}{more}"


@lru_cache(maxsize=128)
def address_of(url: str, name: str = "REDIS_URL") -> Address:
    """What an address says; ``name`` is the setting that it stands in.

    Raises ImproperlyConfigured, with a sentence that holds no password.
    """
    scheme, _, rest = url.strip().partition("://")
    known = _SCHEME.fullmatch(scheme)
    if not known:
        raise ImproperlyConfigured(
            f"{name} must start with redis://, redis+sentinel:// or redis+cluster://, or the same"
            " with rediss for TLS."
        )
    form = Form((known["form"] or "").lower())
    rest, _, query = rest.partition("?")
    netloc, _, path = rest.partition("/")
    user, at, places = netloc.rpartition("@")
    hosts = tuple(_host(place, form, name) for place in places.split(","))
    if form is Form.PLAIN and len(hosts) > 1:
        raise ImproperlyConfigured(
            f"{name} names several hosts: that is for redis+sentinel:// and redis+cluster://."
        )
    service, database = _path(path, form, name)
    if form is not Form.PLAIN:
        _check_options(query, form, name)
    return Address(form, bool(known["tls"]), user + at, hosts, service, database, query)


def _host(place: str, form: Form, name: str) -> tuple[str, int]:
    found = _HOST.fullmatch(place)
    if not found:
        raise ImproperlyConfigured(
            f"{name} must name hosts as host or host:port, with commas between; an IPv6 address"
            " stands in brackets, and what is special in a password is escaped (%40 for @)."
        )
    port = int(found["port"] or _PORTS[form])
    if not 0 < port < 2**16:
        raise ImproperlyConfigured(f"{name} names a port that there is not: {port}.")
    return found["host"].strip("[]"), port


def _path(path: str, form: Form, name: str) -> tuple[str, int | None]:
    """The service and the database that a path names."""
    parts = [unquote(part) for part in path.rstrip("/").split("/") if part]
    service = ""
    if form is Form.SENTINEL:
        if not parts or parts[0].isdecimal():
            raise ImproperlyConfigured(
                f"{name} must name what the Sentinels call the primary, after the hosts: /mymaster."
            )
        service = parts.pop(0)
    if len(parts) > 1 or not all(part.isdecimal() for part in parts):
        raise ImproperlyConfigured(f"{name} must end with the number of a database, or none.")
    database = int(parts[0]) if parts else None
    if form is Form.CLUSTER and database:
        raise ImproperlyConfigured(f"{name} names a database, and a cluster has only the first, 0.")
    return service, None if form is Form.CLUSTER else database


def _check_options(query: str, form: Form, name: str) -> None:
    allowed = (*_TLS_OPTIONS, *(_SENTINEL_OPTIONS if form is Form.SENTINEL else ()))
    unknown = [option for option, _ in parse_qsl(query) if option not in allowed]
    if unknown:
        raise ImproperlyConfigured(
            f"{name} has an option that redis+{form}:// does not know: {unknown[0]}. There are"
            f" {', '.join(allowed)}."
        )
