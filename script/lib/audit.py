"""Asking a database of vulnerabilities about every package that is pinned.

Of Python's, `pip-audit` is asked in an environment made for it, so that it is nobody's dependency;
of Node's, npm itself. Both need a network, and where there is none, or nobody answers, this says so
loudly and ends with a code of its own: whoever calls it can tell that from good news and from bad,
and decide that nothing has to stop because a database is away. What is known and lived with stands
in `audit.toml`, with why and until when.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import tomllib
import venv
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple

from script.lib.console import ROOT, Failure, say, shout, step
from script.lib.node import wheel
from script.lib.venv import DEVELOPMENT, Environment

TOOL: Final = "pip-audit==2.10.1"
# Folders with a lock file of npm's.
LOCKED: Final = (".", "benchmarks/peer")
KNOWN: Final = "audit.toml"
# Nothing is lived with for longer before somebody looks again.
LONGEST_DAYS: Final = 90
PATIENCE_S: Final = 300
# Exit codes; argparse ends with 2 itself.
CLEAN, FOUND, NOT_AUDITED = 0, 1, 3

Run = Callable[[Sequence[str | Path], Path], str]


class Finding(NamedTuple):
    """A vulnerability of a package that is pinned; ``ids``: all its names."""

    package: str
    version: str
    ids: tuple[str, ...]
    fixed_in: str

    def __str__(self) -> str:
        mended = f"mended in {self.fixed_in}" if self.fixed_in else "not mended yet"
        return f"{self.package} {self.version}: {', '.join(self.ids)} ({mended})".replace("  ", " ")


class Known(NamedTuple):
    """A finding that is lived with: why, and until when."""

    id: str
    package: str
    why: str
    until: date

    def covers(self, finding: Finding, today: date) -> bool:
        """Whether it is this one, and not for too long."""
        named = self.id in finding.ids and self.package == finding.package
        return named and today <= self.until


class NoAnswer(Exception):
    """Nobody could be asked; the message is what was said instead, and ``found`` what was found of
    those that something was said of."""

    def __init__(self, message: str, found: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.found = found


def known(text: str, today: date) -> list[Known]:
    """What `audit.toml` says. Raises Failure for what has no reason, or no near end."""
    found = []
    for each in tomllib.loads(text).get("known", []):
        try:
            row = Known(each["id"], each["package"], each["why"].strip(), each["until"])
        except KeyError as error:
            raise Failure(f"{KNOWN}: an entry lacks {error}.") from error
        if not row.why:
            raise Failure(f"{KNOWN}: {row.id} does not say why.")
        if (row.until - today).days > LONGEST_DAYS:
            raise Failure(f"{KNOWN}: {row.id} is for more than {LONGEST_DAYS} days.")
        found.append(row)
    return found


def of_python(said: str) -> list[Finding]:
    """What `pip-audit` found. Raises NoAnswer where it says nothing of packages."""
    try:
        packages = json.loads(said)["dependencies"]
    except (ValueError, KeyError, TypeError):
        raise NoAnswer(_last_line(said)) from None
    found = [
        Finding(
            each["name"],
            each["version"],
            (vulnerability["id"], *vulnerability.get("aliases", ())),
            ", ".join(vulnerability.get("fix_versions", ())),
        )
        for each in packages
        for vulnerability in each.get("vulns", ())
    ]
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    if skipped:
        few = ", ".join(skipped[:5]) + (", …" if len(skipped) > 5 else "")
        raise NoAnswer(f"nothing was said of {len(skipped)} of them ({few})", found)
    return found


def of_node(said: str) -> list[Finding]:
    """What npm found. Raises NoAnswer where it says nothing of packages."""
    try:
        told = json.loads(said[said.index("{") :])
        packages = told["vulnerabilities"]
    except (ValueError, KeyError, TypeError):
        raise NoAnswer(_last_line(said)) from None
    found = []
    for name, each in packages.items():
        for via in each["via"]:
            if isinstance(via, dict):  # else it is another package's, which has a row of its own
                fix = each.get("fixAvailable")
                mended = fix.get("version", "") if isinstance(fix, dict) else ""
                ids = (str(via["url"]).rpartition("/")[2],)
                found.append(Finding(name, via.get("range", ""), ids, mended))
    return found


def ask(root: Path, node: Path, run: Run) -> tuple[list[Finding], list[str]]:
    """All that is found, and what could not be asked."""
    found: list[Finding] = []
    unasked: list[str] = []
    command: list[str | Path]
    with tempfile.TemporaryDirectory() as name:
        tool = Path(name) / "bin" / "pip-audit"
        try:
            step(f"Asking about Python's packages ({TOOL})")
            _make(Path(name))
            lists = [part for each in DEVELOPMENT for part in ("--requirement", root / each)]
            command = [
                tool, "--disable-pip", "--require-hashes", "--no-deps", "--format", "json",
                "--progress-spinner", "off", *lists,
            ]  # fmt: skip
            found += of_python(run(command, root))
        except NoAnswer as why:
            found += why.found
            unasked.append(f"Python's packages: {why}")
    # npm comes with Node.
    npm = wheel(node) / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    for folder in LOCKED:
        step(f"Asking about Node's packages ({folder})")
        command = [wheel(node) / "bin" / "node", npm, "audit", "--package-lock-only", "--json"]
        try:
            found += of_node(run(command, root / folder))
        except NoAnswer as why:
            unasked.append(f"Node's packages in {folder}: {why}")
    return found, unasked


def judge(
    found: Iterable[Finding], unasked: Sequence[str], lived_with: Sequence[Known], today: date
) -> int:
    """Say what came of it; the exit code: `FOUND` where something is that nobody lives with, even
    where not all could be asked about, else `NOT_AUDITED` where that is so, else `CLEAN`."""
    open_ones = sorted({f for f in found if not any(k.covers(f, today) for k in lived_with)})
    for finding in open_ones:
        say(f"  {finding}")
    for row in lived_with:
        if today > row.until:
            say(f"  {KNOWN}: {row.id} of {row.package} was for until {row.until}: look again.")
    if unasked:
        shout(
            "NOT AUDITED: nobody answered, so nothing is known of what follows, good or bad.\n"
            + "\n".join(unasked)
        )
    if open_ones:
        shout(f"{len(open_ones)} known vulnerabilities: docs/dependencies.md says how fast.")
        return FOUND
    if unasked:
        return NOT_AUDITED
    say("Nothing is known of any pinned package.")
    return CLEAN


def _make(folder: Path) -> None:
    venv.create(folder, with_pip=True)
    _run(
        [folder / "bin" / "python", "-m", "pip", "install", "--quiet",
         "--disable-pip-version-check", TOOL],
        folder,
        must_work=True,
    )  # fmt: skip


def _run(command: Sequence[str | Path], folder: Path, *, must_work: bool = False) -> str:
    """What a command says. Whoever finds something ends with 1, so the code tells nothing."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoAnswer(type(error).__name__) from error
    if must_work and done.returncode:
        raise NoAnswer(_last_line(done.stderr))
    return done.stdout or done.stderr


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = next((line for line in lines if "message" in line or "rror" in line), "")
    return (told or (lines[-1] if lines else "it said nothing"))[:200]


def main(arguments: Sequence[str]) -> int:
    """Ask, and say what is known; returns the exit code."""
    parser = argparse.ArgumentParser(prog="script/audit", description=(__doc__ or "").strip())
    parser.parse_args(arguments)
    today = datetime.now(UTC).date()
    lived_with = known((ROOT / KNOWN).read_text(), today)
    found, unasked = ask(ROOT, Environment().ensure(DEVELOPMENT), _run)
    return judge(found, unasked, lived_with, today)
