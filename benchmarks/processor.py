"""Processor time and memory of processes, out of /proc (Linux)."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

TICKS: Final = os.sysconf("SC_CLK_TCK")
KIB: Final = 1024


def seconds_of(pid: int) -> float:
    """Seconds of processor that a process has had, in user mode and in the kernel: its own, those
    of everything that lives below it, and those of children that have ended."""
    fields = _fields()
    return sum(sum(map(int, fields[each][11:15])) for each in _below(pid, fields)) / TICKS


def bytes_of(pid: int) -> int:
    """Memory of a process and of everything below it; of pages that several share, its part."""
    found = 0
    for each in _below(pid, _fields()):
        for line in Path(f"/proc/{each}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                found += int(line.split()[1]) * KIB
    return found


class Meter:
    """What each of some processes has taken since the last look."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self.pids = dict(pids)
        self.last = self._read()

    def taken(self) -> dict[str, float]:
        """Seconds of processor by the name of the process."""
        now, last = self._read(), self.last
        self.last = now
        return {name: now[name] - last[name] for name in now}

    def _read(self) -> dict[str, float]:
        return {name: seconds_of(pid) for name, pid in self.pids.items()}


def _fields() -> dict[int, list[str]]:
    """What `/proc/PID/stat` says of every process, from its state on: the name before that may
    itself hold spaces and brackets."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                found[int(folder.name)] = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended: its parent has its time
                continue
    return found


def _below(pid: int, fields: Mapping[int, list[str]]) -> Iterator[int]:
    children = defaultdict(list)
    for each, of_it in fields.items():
        children[int(of_it[1])].append(each)
    waiting = [pid]
    while waiting:
        each = waiting.pop()
        if each in fields:
            yield each
        waiting += children[each]
