"""Figures as a table, for people at a terminal and for documents, and the machine they are of."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol


class Show(Protocol):
    """Prints what a benchmark has found as tables."""

    def __call__(self, found: dict[str, Any], *, markdown: bool) -> None: ...


def add_forms(parser: argparse.ArgumentParser) -> None:
    """Let a command be asked for tables of a document, or for JSON."""
    parser.add_argument("--markdown", action="store_true", help="tables for a document")
    parser.add_argument("--json", action="store_true", help="everything, as one object")


def print_found(found: dict[str, Any], show: Show, arguments: argparse.Namespace) -> None:
    """Print what was found as it was asked for."""
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        show(found, markdown=arguments.markdown)


def print_table(head: Sequence[str], rows: Iterable[Sequence[object]], *, markdown: bool) -> None:
    """Print rows of as many cells as the head has: the first is words, the others are figures."""
    cells = [list(head), *[[_text(cell) for cell in row] for row in rows]]
    if markdown:
        cells.insert(1, ["---", *["---:"] * (len(head) - 1)])
        lines = [f"| {' | '.join(row)} |" for row in cells]
    else:
        widths = [max(len(row[n]) for row in cells) for n in range(len(head))]
        lines = [
            "  ".join(
                cell.ljust(width) if n == 0 else cell.rjust(width)
                for n, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
    print("\n".join(lines), end="\n\n")


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return (
            f"{cell:,.2f}"
            if abs(cell) < 10
            else f"{cell:,.1f}"
            if abs(cell) < 1000
            else f"{cell:,.0f}"
        )
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def machine() -> dict[str, str]:
    """Where and when this was measured, and what else ran there."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    return {
        "processor": f"{os.cpu_count()} cores of {model}",
        "python": platform.python_version(),
        "at": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "load": f"{os.getloadavg()[0]:.1f}",
    }
