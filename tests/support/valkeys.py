"""Several Valkeys that stand together: a primary behind Sentinels, a cluster, shards."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import redis
from redis.exceptions import RedisError

from script.lib.ports import free_port
from script.lib.processes import spawn
from script.lib.services import Service, Valkey
from tests.support.site import wait_for

PYTHON: Final = Path(sys.executable)
SERVICE: Final = "gauntlet"
SLOTS: Final = 16384
# How long something is silent until the others take it for dead, on a machine that has other work.
SILENT_MS: Final = 1500


def client(server: Valkey | Sentinel, **options: Any) -> redis.Redis:
    """A client of one server, whatever it is to others."""
    return redis.Redis(
        port=server.port,
        password=server.password,
        socket_timeout=10,
        decode_responses=True,
        **options,
    )


def kill(server: Service) -> None:
    """Kill -9."""
    if server.child is not None and not server.is_dead():
        os.kill(server.child.pid, signal.SIGKILL)
    server.stop(timeout=5)


def pause(server: Service) -> None:
    """Have it stand still: its connections stay open, and nothing answers."""
    assert server.child is not None
    os.kill(server.child.pid, signal.SIGSTOP)


def resume(server: Service) -> None:
    """Have it go on, if it is there."""
    if server.child is not None and not server.is_dead():
        os.kill(server.child.pid, signal.SIGCONT)


class Sentinel(Service):
    """Watches over a primary, with others."""

    name = "sentinel"

    def __init__(self, folder: Path, primary: Valkey, password: str) -> None:
        super().__init__(folder, None)
        self.primary = primary
        self.password = password

    def launch(self) -> None:
        """Start it; it keeps what it finds out in its settings."""
        settings = self.folder / "sentinel.conf"
        settings.write_text(
            f"bind 127.0.0.1\nport {self.port}\ndir {self.folder}\n"
            f"requirepass {self.password}\nsentinel sentinel-pass {self.password}\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {self.primary.port} 2\n"
            f"sentinel auth-pass {SERVICE} {self.primary.password}\n"
            f"sentinel down-after-milliseconds {SERVICE} {SILENT_MS}\n"
            f"sentinel failover-timeout {SERVICE} 5000\n"
        )
        with self._open_log() as log:
            self.child = spawn(
                [self.primary.program, settings, "--sentinel"],
                env=os.environ,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                death_signal=signal.SIGKILL,
            )

    def answers(self) -> bool:
        """Whether it takes commands."""
        with contextlib.suppress(RedisError), client(self) as asked:
            return bool(asked.ping())
        return False


class Guarded:
    """A primary, a replica, and three Sentinels."""

    def __init__(self, folder: Path) -> None:
        password = secrets.token_urlsafe(12)
        self.servers = [Valkey(folder / f"valkey-{number}", PYTHON) for number in range(2)]
        for server in self.servers:
            server.password = password
            server.settings = [f"masterauth {password}", "repl-diskless-sync-delay 0"]
        primary, sentinel_password = self.servers[0], secrets.token_urlsafe(12)
        self.sentinels = [
            Sentinel(folder / f"sentinel-{number}", primary, sentinel_password)
            for number in range(3)
        ]

    @property
    def url(self) -> str:
        """The address, with passwords."""
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return (
            f"redis+sentinel://:{self.servers[0].password}@{hosts}/{SERVICE}"
            f"?sentinel_password={self.sentinels[0].password}"
        )

    def start(self) -> None:
        """Start all of them, and return once each knows of the others."""
        primary, replica = self.servers
        primary.start()
        replica.settings.append(f"replicaof 127.0.0.1 {primary.port}")
        replica.start()
        for sentinel in self.sentinels:
            sentinel.start()
        wait_for(self._is_whole, what="the Sentinels to know of each other and of the replica")

    def _is_whole(self) -> bool:
        for sentinel in self.sentinels:
            with client(sentinel) as asked:
                said: Any = asked.sentinel_master(SERVICE)
                found: Any = asked.sentinel_slaves(SERVICE)
            if said["num-other-sentinels"] < 2 or not found:
                return False
        with client(self.servers[1]) as asked:
            state: Any = asked.info("replication")
        return bool(state["master_link_status"] == "up")

    @property
    def primary(self) -> Valkey:
        """Which server the Sentinels call the primary."""
        with client(self.sentinels[0]) as asked:
            _host, port = asked.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", SERVICE)
        (found,) = [server for server in self.servers if server.port == int(port)]
        return found

    def wait_for_another(self, old: Valkey) -> Valkey:
        """Return the other server once it is the primary for all Sentinels, and takes writes."""

        def is_promoted() -> bool:
            if self.primary is old:
                return False
            with contextlib.suppress(RedisError), client(self.primary) as asked:
                state: Any = asked.info("replication")
                return bool(state["role"] == "master")
            return False

        wait_for(is_promoted, timeout=60, what="a failover")
        return self.primary

    def stop(self) -> None:
        """End all of them."""
        for service in (*self.sentinels, *self.servers):
            resume(service)
            kill(service)


class Cluster:
    """Three primaries with a third of the keys each, and a replica for each of them."""

    def __init__(self, folder: Path) -> None:
        password = secrets.token_urlsafe(12)
        self.nodes = [Valkey(folder / f"node-{number}", PYTHON) for number in range(6)]
        self.buses = [free_port() for _ in self.nodes]
        for node, bus in zip(self.nodes, self.buses, strict=True):
            node.password = password
            node.settings = [
                "cluster-enabled yes",
                "cluster-config-file nodes.conf",
                f"cluster-node-timeout {SILENT_MS}",
                f"cluster-port {bus}",
                f"masterauth {password}",
                "repl-diskless-sync-delay 0",
            ]

    @property
    def primaries(self) -> Sequence[Valkey]:
        """Those that were primaries at first."""
        return self.nodes[:3]

    @property
    def url(self) -> str:
        """The address, with password, of some of the nodes."""
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:4])
        return f"redis+cluster://:{self.nodes[0].password}@{hosts}"

    def start(self) -> None:
        """Start the nodes, and return once each of them serves its part."""
        for node in self.nodes:
            node.start()
        first, *others = [client(node) for node in self.nodes]
        for node, bus in zip(self.nodes[1:], self.buses[1:], strict=True):
            first.execute_command("CLUSTER MEET", "127.0.0.1", node.port, bus)
        size = SLOTS // 3 + 1
        asked = [first, *others]
        for number in range(3):
            last = min((number + 1) * size, SLOTS) - 1
            asked[number].execute_command("CLUSTER ADDSLOTSRANGE", number * size, last)
        ids = [str(each.execute_command("CLUSTER MYID")) for each in asked]

        def all_know(count: int) -> bool:
            said = [_text(each, "CLUSTER", "NODES") for each in asked]
            return all(len(t.splitlines()) == count and "handshake" not in t for t in said)

        wait_for(lambda: all_know(len(asked)), what="the nodes to know each other")
        for number in range(3):
            asked[3 + number].execute_command("CLUSTER REPLICATE", ids[number])

        def is_up() -> bool:
            well = all("cluster_state:ok" in _text(each, "CLUSTER", "INFO") for each in asked)
            replicas = [each.info("replication") for each in asked[3:]]
            return well and all(each.get("master_link_status") == "up" for each in replicas)

        wait_for(is_up, what="the cluster to be up")
        for each in asked:
            each.close()

    def node_of(self, slot: int) -> Valkey:
        """Which primary has a slot."""
        living = next(node for node in self.nodes if not node.is_dead())
        with client(living) as asked:
            for first, last, (_host, port, *_), *_ in asked.execute_command("CLUSTER SLOTS"):
                if first <= slot <= last:
                    (found,) = [node for node in self.nodes if node.port == int(port)]
                    return found
        raise AssertionError(f"nobody has slot {slot}")

    def wait_for_another(self, old: Valkey, slot: int) -> Valkey:
        """Return whoever has a slot in the place of ``old``, once the cluster is whole again."""

        def is_mended() -> bool:
            living = [node for node in self.nodes if not node.is_dead()]
            for node in living:
                with client(node) as asked:
                    if "cluster_state:ok" not in _text(asked, "CLUSTER", "INFO"):
                        return False
            return self.node_of(slot) is not old

        wait_for(is_mended, timeout=60, what="a failover")
        return self.node_of(slot)

    def stop(self) -> None:
        """End all of it."""
        for node in self.nodes:
            resume(node)
            kill(node)


def _text(asked: redis.Redis, *command: str) -> str:
    return str(asked.execute_command(*command))
