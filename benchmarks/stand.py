"""Where benchmarks of the running site stand: its processes, and a database that is durable."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import redis
from processor import Meter

from script.lib.scratch import Scratch
from script.lib.services import Postgres, Services
from script.lib.statics import Statics
from tests.support.site import Site

# Commands of those who look, and of connections that are kept alive.
NOT_WORK = {"info", "llen", "ping", "auth", "hello", "client|setinfo", "client|setname", "select"}
DRAINED_AFTER_S = 0.5
DRAINED_AT_MOST_S = 60.0


@dataclass
class Stand:
    """A running site with its own PostgreSQL and Valkey, and a folder for files."""

    site: Site
    folder: Path
    services: Services

    def pids(self) -> dict[str, int]:
        """The processes of the site and its services, as far as they are ours."""
        found = {process.name: process.pid for process in self.site.processes}
        for service in self.services.running:
            if service.child is not None:
                found[service.name] = service.child.pid
        return found

    def meter(self, **more: int) -> Meter:
        """Of all these, and of ``more``."""
        return Meter(self.pids() | more)

    def __post_init__(self) -> None:
        """Connect to Redis, in the database of Celery's queues."""
        self.broker = redis.Redis.from_url(os.environ["REDIS_URL"], db=2)

    def commands(self) -> Counter[str]:
        """How often the server was asked for what, since it was started."""
        stats: dict[str, dict[str, int]] = self.broker.info("commandstats")
        counted = {name.removeprefix("cmdstat_"): row["calls"] for name, row in stats.items()}
        return Counter({name: n for name, n in counted.items() if name not in NOT_WORK})

    def rows(self, table: str) -> dict[str, Any]:
        """Of a table since the site began: updates and how many of them were HOT (left the indexes
        alone), rows that live and that are dead, and how large it is."""
        ((updates, hot, live, dead, vacuums, size, indexes),) = self.site.sql(
            "SELECT n_tup_upd, n_tup_hot_upd, n_live_tup, n_dead_tup, autovacuum_count,"
            " pg_table_size(relid), pg_indexes_size(relid)"
            " FROM pg_stat_user_tables WHERE relname = %s",
            table,
        )
        return {
            "updates": updates,
            "HOT share": round(hot / updates, 3) if updates else None,
            "live rows": live,
            "dead rows": dead,
            "autovacuums": vacuums,
            "table MB": size / 1e6,
            "indexes MB": indexes / 1e6,
        }

    def drain(self) -> None:
        """Wait until the workers have nothing left to do but what is for later."""
        prefix = self.site.env["GAUNTLET_REDIS_PREFIX"]
        queues = (f"{prefix}.default", "deadlines", "bots")
        names = [f"{prefix}.celery.{queue}" for queue in queues]
        until = time.monotonic() + DRAINED_AT_MOST_S
        empty_since = time.monotonic()
        while time.monotonic() < until:
            if any(self.broker.llen(name) for name in names):
                empty_since = time.monotonic()
            elif time.monotonic() - empty_since > DRAINED_AFTER_S:
                return
            time.sleep(0.05)
        raise RuntimeError("the workers are still busy")


@contextmanager
def running_site() -> Iterator[Stand]:
    """The site on its own PostgreSQL (durable commits) and Valkey, and a folder for its files; all
    of it is taken down in the end."""
    before = dict(os.environ)
    with Scratch() as folder:
        services = Services(folder, Path(sys.executable), durable=True)
        services.prepare()
        services.start()
        try:
            statics = Statics()
            os.environ.update(services.addresses() | statics.environment())
            settings = {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
            statics.collect(Path(sys.executable), os.environ | settings)
            (folder / "site").mkdir()
            site = Site(folder / "site")
            try:
                site.start()
                yield Stand(site, folder, services)
            finally:
                site.stop()
        finally:
            services.stop()
            if services.postgres is not None:
                Postgres.remove_below(services.postgres.folder)
            # Another stand has servers of its own.
            os.environ.clear()
            os.environ.update(before)
