"""A host whose clock is wrong, for one process: what the system tells it of the time of day is so
much ahead, or behind, as the test says, and can be set while it runs; and so is its steady clock,
where the whole machine was paused. All else is as it is.

A small library stands between the process and the system's (`LD_PRELOAD`), so that whatever the
process is made of is told the same: Python, Celery, and every other library.
"""

from __future__ import annotations

import os
import shlex
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from tests.support.site import Process

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t none[2] = {0, 0};
static volatile int64_t *ahead = none;  /* in ns: the time of day, and the steady clock */
static int (*asked)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("HOST_CLOCK_FILE");
    int file = name ? open(name, O_RDONLY) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(none), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED) ahead = found;
}

int clock_gettime(clockid_t clock, struct timespec *told) {
    if (!asked) asked = dlsym(RTLD_NEXT, "clock_gettime");
    int answer = asked(clock, told);
    int wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (answer == 0 && (wall || clock == CLOCK_BOOTTIME)) {
        int64_t ns = told->tv_sec * 1000000000LL + told->tv_nsec + ahead[wall ? 0 : 1];
        told->tv_sec = ns / 1000000000LL;
        told->tv_nsec = ns % 1000000000LL;
    }
    return answer;
}

int gettimeofday(struct timeval *told, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    told->tv_sec = now.tv_sec;
    told->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *told) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (told) *told = now.tv_sec;
    return now.tv_sec;
}
"""


def lacking() -> str:
    """What is missing to do this here; nothing where nothing is."""
    if not sys.platform.startswith("linux"):
        return "hosts' clocks are played on Linux only"
    return "" if shutil.which(_compiler()[0]) else f"there is no C compiler ({_compiler()[0]})"


class HostClock:
    """The clock of a host for processes that are started in its environment."""

    def __init__(self, folder: Path) -> None:
        source, self.library = folder / "hostclock.c", folder / "hostclock.so"
        source.write_text(SOURCE)
        subprocess.run(
            [*_compiler(), "-shared", "-fPIC", "-O1", "-o", self.library, source, "-ldl"],
            check=True, capture_output=True,
        )  # fmt: skip
        self.file = folder / "ahead"
        self.file.write_bytes(bytes(16))

    def set(self, *, ahead_s: float, steady_s: float = 0.0) -> None:
        """Set it, for all processes that are or will be there; and have its steady clock show so
        much more than it did at first."""
        with self.file.open("r+b") as file:
            file.write(struct.pack("=qq", *(round(s * 1_000_000_000) for s in (ahead_s, steady_s))))

    def move(self, process: Process) -> None:
        """Have a process run on this host."""
        process.kill()
        process.env = self.env(process.env)
        process.start()

    def env(self, usual: dict[str, str]) -> dict[str, str]:
        """An environment in which processes have this clock."""
        return {**usual, "LD_PRELOAD": str(self.library), "HOST_CLOCK_FILE": str(self.file)}


def _compiler() -> list[str]:
    return shlex.split(os.environ.get("CC") or "cc")
