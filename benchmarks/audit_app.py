"""The part of `audit.py` that runs within Django: migrates, writes, seals and measures.

    python benchmarks/audit_app.py WRITERS SECONDS ENTRIES

Prints one JSON object. `DATABASE_URL` names a database that may be written to.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"

import django

django.setup()

from django.core.management import call_command
from django.db import connection, transaction

from accounts.auditing.sealing import _append, _rows, audit_fault, audit_seal
from accounts.models import AuditEntry, AuditLink
from accounts.services import audit_record

WRITERS, SECONDS, ENTRIES = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
DATA = {"words": "A word.", "n": 1}


def write() -> None:
    """One entry, committed."""
    with transaction.atomic():
        audit_record(acting_user=None, action="match.pause", data=DATA)


def write_and_seal() -> None:
    """The same, sealed by whoever writes it."""
    with transaction.atomic():
        entry = audit_record(acting_user=None, action="match.pause", data=DATA)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(1)")
        last = AuditLink.objects.order_by("-position").first()
        _append(_rows(" AND e.id = %s", [entry.pk]), last)


def writing(act: Callable[[], None], beside: Callable[[], object] | None) -> dict[str, float]:
    """How many entries a second writers commit, and for how long one takes."""
    took: list[float] = []
    until = time.monotonic() + SECONDS

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

    threads = [threading.Thread(target=writer) for _ in range(WRITERS)]
    threads.append(threading.Thread(target=sealer))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    centiles: Any = statistics.quantiles(took, n=100)
    return {
        "a second": round(len(took) / SECONDS),
        "median ms": round(centiles[49] * 1000, 2),
        "p99 ms": round(centiles[98] * 1000, 2),
    }


def looking() -> dict[str, dict[str, float]]:
    """What sealing many entries takes, and looking the chain over."""
    audit_seal(everything=True)
    rows = [AuditEntry(action="match.pause", data=DATA) for _ in range(ENTRIES)]
    AuditEntry.objects.bulk_create(rows, batch_size=2000)
    began = time.monotonic()
    sealed = audit_seal()
    between = time.monotonic()
    head, fault = audit_fault()
    ended = time.monotonic()
    if fault is not None:
        raise SystemExit(str(fault))
    return {
        "sealing": {"entries": sealed, "us each": round((between - began) / sealed * 1e6)},
        "looking over": {
            "entries": head.position, "us each": round((ended - between) / head.position * 1e6)
        },
    }  # fmt: skip


call_command("migrate", interactive=False, verbosity=0)
print(
    json.dumps(
        {
            "alone": writing(write, None),
            "sealed after": writing(write, audit_seal),
            "sealed within": writing(write_and_seal, None),
            **looking(),
        }
    )
)
