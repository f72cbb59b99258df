"""What stands before a site and before its database, as `deploy/` sets it up: nginx and PgBouncer,
where there are any."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from script.lib.processes import Child, spawn, stop
from script.lib.services import unprivileged
from tests.support.deploy import DEPLOY, placed
from tests.support.site import wait_for

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")

CONFIGURATION = (DEPLOY / "nginx.conf").read_text()
# What it includes: where the web processes are.
WEBS = DEPLOY / "webs-systemd.conf"
WEBS_OF_COMPOSE = DEPLOY / "webs-compose.conf"
# From which nginx on a name in `upstream` can be asked for again and again.
RESOLVES_SINCE = (1, 27, 3)
TYPES = "/etc/nginx/mime.types"
# The site's name: that of the example settings.
NAME = "gauntlet.example"


class Front:
    """A server with an address that is always the same. It can be killed and started again."""

    name = "front"

    def __init__(self, host: str, port: int, log: Path) -> None:
        self.host = host
        self.port = port
        self.log_path = log
        self.child: Child | None = None

    def launch(self) -> Child:
        """Start it, with its output at the end of its log."""
        raise NotImplementedError

    def start(self) -> None:
        """Start it and wait until it listens."""
        self.child = self.launch()
        wait_for(self._listens, what=f"{self.name} to listen")

    def _listens(self) -> bool:
        assert self.child is not None
        assert self.child.poll() is None, self.log()
        with socket.socket() as probe:
            return probe.connect_ex((self.host, self.port)) == 0

    def kill(self) -> None:
        """Kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self.child is not None:
            stop(self.child, number, 10)
            self.child = None

    def log(self) -> str:
        """What it printed, ever."""
        return self.log_path.read_text(errors="replace")


class Pooler(Front):
    """PgBouncer in front of a database."""

    name = "PgBouncer"

    def __init__(
        self,
        folder: Path,
        database_url: str,
        *,
        address: tuple[str, int],
        settings: Path = DEPLOY / "pgbouncer.ini",
        known_as: str = "",
        places: Mapping[str, str] | None = None,
    ) -> None:
        """Clients ask for the database by the name ``known_as``, by default its own. ``places`` are
        what else stands otherwise in its ``settings``."""
        folder.mkdir()
        super().__init__(*address, folder.parent / "bouncer.log")
        parts = urlsplit(database_url)
        database = parts.path.removeprefix("/")
        users = folder / "users"
        users.write_text(f'"{parts.username}" "{parts.password}"\n')
        own = {
            "gauntlet = host=postgres port=5432 dbname=gauntlet": f"{known_as or database}"
            f" = host={parts.hostname} port={parts.port} dbname={database}",
            "listen_addr = *": f"listen_addr = {self.host}",
            "listen_port = 6432": f"listen_port = {self.port}",
            "/run/pgbouncer/users": str(users),
        }
        text = placed(settings.read_text(), {**own, **(places or {})})
        self.path = folder / "pgbouncer.ini"
        self.path.write_text(f"{text}\nunix_socket_dir =\n")
        self.url = parts._replace(
            netloc=f"{parts.username}:{parts.password}@{self.host}:{self.port}",
            path=f"/{known_as or database}",
        ).geturl()
        self.account = unprivileged()
        if self.account is not None:
            for path in (folder, *folder.iterdir()):
                os.chown(path, self.account.uid, self.account.gid)

    def launch(self) -> Child:
        """As an unprivileged user: it refuses root, as PostgreSQL does."""
        assert PGBOUNCER is not None
        if self.account is not None:
            # Each time: pytest closes them again.
            for parent in self.path.parents:
                if parent.is_relative_to("/tmp") and parent != Path("/tmp"):  # noqa: S108
                    parent.chmod(parent.stat().st_mode | 0o011)
        with self.log_path.open("ab") as log:
            return spawn(
                [PGBOUNCER, self.path], env={"PATH": os.environ["PATH"]}, cwd=Path("/"),
                stdout=log, stderr=log, account=self.account, death_signal=signal.SIGKILL,
            )  # fmt: skip


def with_webs(text: str, webs: str) -> str:
    """The proxy's configuration with what it includes put in its place."""
    return placed(text, {"include gauntlet-webs.conf;": webs})


def with_servers(text: str, *servers: str) -> str:
    """The proxy's configuration with web processes at other addresses."""
    first, second = servers
    webs = placed(WEBS.read_text(), {"127.0.0.1:8001": "FIRST", "127.0.0.1:8002": "SECOND"})
    return with_webs(text, placed(webs, {"FIRST": first, "SECOND": second}))


def nginx_version() -> tuple[int, ...]:
    """The version of the nginx that is here; of none it is lower than any."""
    if NGINX is None:
        return ()
    said = subprocess.run([NGINX, "-v"], capture_output=True, text=True, check=False).stderr
    found = re.search(r"nginx/(\d+(?:\.\d+)+)", said)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def certificate(folder: Path) -> ssl.SSLContext:
    """Make a certificate of the site's name, and its key, in a folder; what trusts it."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
         "-keyout", "privkey.pem", "-out", "fullchain.pem"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return ssl.create_default_context(cafile=folder / "fullchain.pem")


def with_tls(folder: Path, *servers: str) -> str:
    """The configuration as it stands, with the certificate in a folder."""
    places = {"/etc/gauntlet/tls": str(folder), "include mime.types": f"include {TYPES}"}
    return placed(with_servers(CONFIGURATION, *servers), places)


class Proxy(Front):
    """nginx, which says to whom it has handed a request (`X-Upstream`). Without ``tls`` it is what
    tests of sockets take for a web process."""

    name = "nginx"

    def __init__(
        self,
        folder: Path,
        servers: Sequence[str],
        *,
        address: tuple[str, int],
        tls: bool = False,
        webs: str = "",
    ) -> None:
        """``servers`` are the addresses of both web processes; ``webs`` says of them all that is to
        be said instead. With ``tls`` there must be a certificate in the folder, and whoever comes
        to the port below without it is sent on."""
        super().__init__(*address, folder / "nginx.log")
        self.base_url = f"http://{self.host}:{self.port}"
        self.ws_url = f"ws://{self.host}:{self.port}"
        self.dialling: Mapping[str, Any] = {}
        if tls:
            text = placed(with_tls(folder, *servers), {
                "listen 80 default_server": f"listen {self.host}:{self.port - 1} default_server",
                "listen 443 ssl default_server": f"listen {self.host}:{self.port} ssl",
                "        listen [::]:80 default_server;\n": "",
                "        listen [::]:443 ssl default_server;\n": "",
                "        proxy_http_version 1.1;": _SAYS_WHERE,
            })  # fmt: skip
        else:
            text = with_webs(CONFIGURATION, webs) if webs else with_servers(CONFIGURATION, *servers)
            text = placed(text, {"include mime.types": f"include {TYPES}"})
            text = re.sub(
                r"    server \{\n        listen 80 .*?\n    \}\n", "", text, flags=re.DOTALL
            )
            text = re.sub(r"^ +(listen|ssl_\w+) .*\n", "", text, flags=re.MULTILINE)
            listens = f"        listen {self.host}:{self.port};\n"
            text = placed(text, {"        proxy_http_version 1.1;": listens + _SAYS_WHERE})
        self.path = folder / "nginx.conf"
        self.path.write_text(text)

    def launch(self) -> Child:
        """In the foreground."""
        assert NGINX is not None
        with self.log_path.open("ab") as log:
            return spawn(
                [NGINX, "-c", self.path, "-g", f"daemon off; pid {self.path.with_suffix('.pid')};"],
                env={"PATH": "/usr/sbin:/usr/bin"}, cwd=self.path.parent, stdout=log, stderr=log,
                death_signal=signal.SIGKILL,
            )  # fmt: skip


_SAYS_WHERE = (
    "        add_header X-Upstream $upstream_addr always;\n        proxy_http_version 1.1;"
)
