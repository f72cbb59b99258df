"""Starting and ending child processes so that none is ever left behind.

Every child leads a process group of its own (a Ctrl-C at the terminal reaches only the launcher,
which then ends the children in order) and, on Linux, asks the kernel for a signal when the launcher
dies without a chance to clean up. Each is also noted in a folder, so that the next start can end
what a machine without that help, or a child deaf to it, left running.
"""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Account:
    """A user of this machine to run a child as."""

    name: str
    uid: int
    gid: int


def spawn(  # noqa: PLR0913  (keyword-only, as in subprocess itself)
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path,
    stdout: int | IO[Any] | None = None,
    stderr: int | IO[Any] | None = None,
    death_signal: signal.Signals | None = signal.SIGTERM,
    account: Account | None = None,
    pass_fds: Sequence[int] = (),
    own_group: bool = True,
) -> subprocess.Popen[bytes]:
    """Start a child that gets `death_signal` when this process dies (on Linux).

    Must be called from the main thread: the kernel ties the death signal to the thread that made
    the child.
    """
    launcher = os.getpid()

    def prepare() -> None:
        # Runs in the child between fork and exec, after the change of user, which would clear it.
        if death_signal is not None:
            die_with_parent(death_signal)
            if os.getppid() != launcher:
                os._exit(1)

    identity: dict[str, Any] = {}
    if account is not None:
        identity = {"user": account.uid, "group": account.gid, "extra_groups": []}
    return subprocess.Popen(
        [str(part) for part in argv],
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=own_group,
        preexec_fn=prepare,  # noqa: PLW1509  (the launcher has one thread)
        pass_fds=tuple(pass_fds),
        **identity,
    )


def send(pid: int, number: signal.Signals) -> bool:
    """Signal a process. Returns whether it was there and ours to signal."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def kill_group(pid: int) -> None:
    """Kill whatever is left of the group that this process leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


class Child(Protocol):
    """A process that somebody here can wait for, as `subprocess.Popen` has it."""

    @property
    def pid(self) -> int:
        """Its number."""

    def poll(self) -> int | None:
        """What it ended with, if it has."""

    def wait(self, timeout: float | None = None) -> int:
        """The same, once it has. Raises subprocess.TimeoutExpired after so many seconds."""


def die_with_parent(number: signal.Signals) -> None:
    """Get this signal when the process that made this one dies (on Linux)."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def stop(child: Child, number: signal.Signals, timeout: float) -> bool:
    """Ask a child to end, and make it. Returns whether it ended when asked."""
    willing = True
    if child.poll() is None:
        send(child.pid, number)
        try:
            child.wait(timeout)
        except subprocess.TimeoutExpired:
            willing = False
            send(child.pid, signal.SIGKILL)
            child.wait()
    kill_group(child.pid)
    return willing


def identity(pid: int) -> str | None:
    """Return what tells this process from a later one with the same number; None if it is gone."""
    if _libc is not None:
        try:
            # The name, in brackets, may itself hold spaces and brackets.
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return None
        state, started = fields[0], fields[19]
        return None if state in "ZX" else f"{boot}:{started}"
    found = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or None


class Register:
    """The notes on running children, one file each, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def note(self, name: str, pid: int, number: signal.Signals) -> None:
        """Note a child under its name, with the signal that ends it well."""
        draft = self.folder / f".{name}.{os.getpid()}"
        draft.write_text(json.dumps({"pid": pid, "identity": identity(pid), "signal": int(number)}))
        draft.replace(self.folder / f"{name}.json")

    def forget(self, name: str) -> None:
        """Strike out a child that has ended."""
        (self.folder / f"{name}.json").unlink(missing_ok=True)

    def end_orphans(
        self, *, timeout: float = 10, say: Callable[[str], None] = lambda text: None
    ) -> list[str]:
        """End every noted process that still runs, and return their names."""
        alive: list[tuple[str, int, str, signal.Signals]] = []
        for path in sorted(self.folder.glob("*.json")):
            try:
                note = json.loads(path.read_text())
                pid, known = int(note["pid"]), note["identity"]
                number = signal.Signals(note["signal"])
            except (OSError, ValueError, KeyError, TypeError):
                path.unlink(missing_ok=True)
                continue
            if known and identity(pid) == known:
                alive.append((path.stem, pid, known, number))
            else:
                path.unlink(missing_ok=True)
        for name, pid, _known, number in alive:
            say(f"Ending {name} (process {pid}), left over from an earlier run.")
            send(pid, number)
        deadline = time.monotonic() + timeout
        for name, pid, known, _number in alive:
            while identity(pid) == known and time.monotonic() < deadline:
                time.sleep(0.05)
            if identity(pid) == known:
                send(pid, signal.SIGKILL)
                while identity(pid) == known:
                    time.sleep(0.02)
            kill_group(pid)
            self.forget(name)
        return [name for name, *_rest in alive]
