"""Lines for the person at the terminal."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


# Everything a run leaves behind: databases, logs, the development key.
DATA = Path(os.environ.get("GAUNTLET_DATA") or ROOT / ".data").resolve()


class Failure(Exception):
    """The command cannot go on; the message is a sentence for whoever ran it."""


def say(text: str) -> None:
    """Write one line. A terminal that went away is no reason to leave processes running."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except (BrokenPipeError, ValueError, OSError):
        # Whatever is written later, by Python's own exit too, then goes nowhere quietly.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


def step(text: str) -> None:
    """Announce a step that takes a moment."""
    say(f"==> {text}")


def shout(text: str) -> None:
    """Say something that must not be overlooked."""
    bar = "!" * 78
    say("\n".join(["", bar, *(f"!! {line}" for line in text.splitlines()), bar, ""]))
