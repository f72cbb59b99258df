"""What the chain over the audit log costs those who write entries, and those who look it over.

    python benchmarks/audit.py [--writers 8] [--seconds 5] [--entries 50000] [--json]

Starts its own PostgreSQL (durable commits). Writers, each with a connection, write an entry and commit,
one after the other: with nobody sealing (`alone`); while a worker seals every fifth of a second, as the
site does it more seldom (`sealed after`); and each sealing its own entry in its transaction, with
the lock that the chain's one end needs taken last (`sealed within`), which the site does not do. Then
as many entries as are asked for are sealed, and the chain is looked over.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from script.lib.services import Postgres


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        postgres = Postgres(Path(folder) / "postgres", Path(sys.executable))
        postgres.start()
        try:
            os.environ |= {
                "DATABASE_URL": postgres.url,
                "DJANGO_SETTINGS_MODULE": "config.settings.test",
            }
            found = measured(options)
        finally:
            postgres.stop()
            Postgres.remove_below(postgres.folder)
    if options.json:
        print(json.dumps(found))
        return
    for name, values in found.items():
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in values.items()))


def measured(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """All of it."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    found = {
        "alone": writing(options, write, None),
        "sealed after": writing(options, write, seal),
        "sealed within": writing(options, write_and_seal, None),
    }
    return found | looking(options.entries)


def write() -> None:
    """One entry, committed."""
    from django.db import transaction

    from accounts.services import audit_record

    with transaction.atomic():
        audit_record(acting_user=None, action="match.pause", data={"words": "A word.", "n": 1})


def write_and_seal() -> None:
    """The same, sealed by whoever writes it."""
    from django.db import connection, transaction

    from accounts.auditing import sealing
    from accounts.models import AuditLink
    from accounts.services import audit_record

    with transaction.atomic():
        entry = audit_record(acting_user=None, action="match.pause", data={"words": "A word.", "n": 1})
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(1)")
        last = AuditLink.objects.order_by("-position").first()
        sealing._append(sealing._rows(" AND e.id = %s", [entry.pk]), last)


def seal() -> None:
    """What the worker does."""
    from accounts.auditing.sealing import audit_seal

    audit_seal()


def writing(
    options: argparse.Namespace, act: Callable[[], None], beside: Callable[[], None] | None
) -> dict[str, float]:
    """How many entries a second writers commit, and for how long one takes."""
    from django.db import connection

    took: list[float] = []
    until = time.monotonic() + options.seconds

    def writer() -> None:
        while (began := time.monotonic()) < until:
            act()
            took.append(time.monotonic() - began)
        connection.close()

    def sealer() -> None:
        while beside is not None and time.monotonic() < until:
            beside()
            time.sleep(0.2)
        connection.close()

    threads = [threading.Thread(target=writer) for _ in range(options.writers)]
    threads.append(threading.Thread(target=sealer))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    centiles: Any = statistics.quantiles(took, n=100)
    return {
        "a second": round(len(took) / options.seconds),
        "median ms": round(centiles[49] * 1000, 2),
        "p99 ms": round(centiles[98] * 1000, 2),
    }


def looking(entries: int) -> dict[str, dict[str, float]]:
    """What sealing many entries takes, and looking the chain over."""
    from accounts.auditing.sealing import audit_fault, audit_seal
    from accounts.models import AuditEntry

    audit_seal(everything=True)
    rows = [AuditEntry(action="match.pause", data={"words": "A word.", "n": n}) for n in range(entries)]
    AuditEntry.objects.bulk_create(rows, batch_size=2000)
    began = time.monotonic()
    sealed = audit_seal()
    between = time.monotonic()
    head, fault = audit_fault()
    ended = time.monotonic()
    assert fault is None, fault
    return {
        "sealing": {"entries": sealed, "us each": round((between - began) / sealed * 1e6)},
        "looking over": {
            "entries": head.position, "us each": round((ended - between) / head.position * 1e6)
        },
    }  # fmt: skip


if __name__ == "__main__":
    main()
