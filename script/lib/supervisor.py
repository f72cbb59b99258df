"""One loop that runs the site's processes: shows their output, restarts what dies, ends them all.

Single-threaded: it sleeps until a child writes, a child ends, a signal comes or a timer is due.
"""

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from script.lib.console import Failure, say
from script.lib.processes import Register, send, spawn, stop

STABLE_AFTER = 30.0  # seconds of life after which a death counts as the first again
FIRST_DELAY = 0.2
LONGEST_DELAY = 10.0
SERVER_ATTEMPTS = 6
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Somebody asked the launcher to end. Not an Exception, so that nothing swallows it."""


def raise_on_stop_signals() -> None:
    """Turn Ctrl-C, SIGTERM and a closed terminal into `Stopped`, wherever the launcher is."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    for number in STOP_SIGNALS:
        signal.signal(number, handle)


@dataclass
class Program:
    """A process to keep running."""

    name: str
    argv: Sequence[str | Path]
    pass_fds: Sequence[int] = ()
    stop_timeout: float = 10.0
    child: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    deaths: int = 0
    due: float | None = None
    partial: bytes = b""

    def next_delay(self) -> float:
        """Return how long to wait before another start: doubling, and forgiven by a long life."""
        lived = time.monotonic() - self.started
        self.deaths = 1 if lived > STABLE_AFTER else self.deaths + 1
        # Dead within a moment of starting is a fault that waiting does not mend, but may outlast.
        return float(min(FIRST_DELAY * 2 ** (self.deaths - 1), LONGEST_DELAY))


@dataclass
class Watched:
    """A server that is not ours to show, only to bring back: it logs to a file of its own."""

    name: str
    dead: Callable[[], bool]
    restart: Callable[[], None]
    failures: int = 0
    due: float = 0.0


@dataclass
class Supervisor:
    """Keeps programs running until told to stop."""

    env: Mapping[str, str]
    cwd: Path
    register: Register
    programs: list[Program] = field(default_factory=list)
    watched: list[Watched] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        self.width = 10
        self._wake_read, self._wake_write = socket.socketpair()
        for end in (self._wake_read, self._wake_write):
            end.setblocking(False)
        self.selector.register(self._wake_read, selectors.EVENT_READ, self._drain)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self._wake_write.fileno(), warn_on_full_buffer=False)

    def start(self, program: Program) -> None:
        """Start a program and watch its output."""
        program.due = None
        program.started = time.monotonic()
        program.child = spawn(
            program.argv,
            env=self.env,
            cwd=self.cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=program.pass_fds,
        )
        if program not in self.programs:
            self.programs.append(program)
        self.register.note(program.name, program.child.pid, signal.SIGTERM)
        assert program.child.stdout is not None  # noqa: S101  (narrows the type; PIPE was asked for)
        os.set_blocking(program.child.stdout.fileno(), False)
        self.selector.register(
            program.child.stdout, selectors.EVENT_READ, lambda: self._show(program)
        )

    def run(self, *, until: Callable[[], bool] = lambda: False, timer: float = 1.0) -> None:
        """Turn until `until()` holds, which is asked at least every `timer` seconds."""
        while not until():
            self._restart_what_is_due()
            self._turn(self._patience(timer))
            self._notice_deaths()

    def end(self) -> None:
        """Stop all programs in the opposite order of their start."""
        running = list(reversed(self.programs))
        for program in running:
            if program.child is not None and program.child.poll() is None:
                send(program.child.pid, signal.SIGTERM)
                deadline = time.monotonic() + program.stop_timeout
                # Its output is still read meanwhile: a child blocked on a full pipe cannot end.
                while program.child.poll() is None and time.monotonic() < deadline:
                    self._turn(0.2)
            if program.child is not None:
                self._show(program)
                if not stop(program.child, signal.SIGKILL, 1) and program.child.returncode:
                    say(f"{program.name} had to be killed.")
                self._unwatch(program)
            self.register.forget(program.name)

    def _patience(self, timer: float) -> float:
        now = time.monotonic()
        dues = [program.due - now for program in self.programs if program.due is not None]
        return max(0.0, min([timer, *dues]))

    def _turn(self, timeout: float) -> None:
        for key, _events in self.selector.select(timeout):
            key.data()

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._wake_read.recv(4096):
                pass

    def _show(self, program: Program) -> None:
        if program.child is None or program.child.stdout is None or program.child.stdout.closed:
            return
        while True:
            try:
                chunk = os.read(program.child.stdout.fileno(), 65_536)
            except BlockingIOError:
                return
            if not chunk:
                self._unwatch(program)
                return
            *lines, program.partial = (program.partial + chunk).split(b"\n")
            for line in lines:
                say(f"{program.name:<{self.width}}| {line.decode(errors='replace')}")

    def _unwatch(self, program: Program) -> None:
        if program.child is not None and program.child.stdout is not None:
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(program.child.stdout)
            program.child.stdout.close()
        if program.partial:
            say(f"{program.name:<{self.width}}| {program.partial.decode(errors='replace')}")
            program.partial = b""

    def _notice_deaths(self) -> None:
        for program in self.programs:
            if program.child is not None and program.child.poll() is not None:
                self._show(program)
                self._unwatch(program)
                code, program.child = program.child.returncode, None
                delay = program.next_delay()
                program.due = time.monotonic() + delay
                say(f"{program.name} ended with {_describe(code)}; starting it again.")
        for server in self.watched:
            if server.due <= time.monotonic() and server.dead():
                self._bring_back(server)

    def _bring_back(self, server: Watched) -> None:
        say(f"{server.name} ended; starting it again.")
        try:
            server.restart()
        except Failure as failure:
            # A killed PostgreSQL cannot start before the last of its children has gone.
            server.failures += 1
            server.due = time.monotonic() + server.failures
            if server.failures == SERVER_ATTEMPTS:
                raise
            say(str(failure))
        else:
            server.failures = 0

    def _restart_what_is_due(self) -> None:
        now = time.monotonic()
        for program in self.programs:
            if program.due is not None and program.due <= now:
                self.start(program)


def _describe(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
