"""`script/test`: every check of the code's behaviour, from a fresh checkout."""

import os
import secrets
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from script.lib import chromium
from script.lib.console import ROOT, Failure, say, shout, step
from script.lib.processes import spawn, stop
from script.lib.scratch import Scratch
from script.lib.services import Postgres, Services
from script.lib.supervisor import Stopped, raise_on_stop_signals
from script.lib.venv import DEVELOPMENT, Environment

# On two cores: one of three often waits for the running site.
WORKERS = "3"
TEMPLATE = "GAUNTLET_TEST_TEMPLATE"


def main(arguments: Sequence[str]) -> int:
    """Run the checks and the tests; return 0 only when all of them passed."""
    raise_on_stop_signals()
    began = time.monotonic()
    try:
        failed = Suite().run(arguments)
    except Stopped:
        say("Stopped.")
        return 130
    except Failure as failure:
        shout(str(failure))
        return 1
    say("")
    if failed:
        shout("FAILED: " + ", ".join(failed))
    say(f"script/test took {time.monotonic() - began:.0f} s.")
    return 1 if failed else 0


class Suite:
    """One run of everything."""

    def __init__(self) -> None:
        self.python = Environment().ensure(DEVELOPMENT)
        self.browser = chromium.obtain()

    def run(self, arguments: Sequence[str]) -> list[str]:
        """Run all parts and return the names of those that failed."""
        with Scratch() as folder:
            services = Services(folder, self.python, durable=False)
            try:
                services.start()
                return self._parts(services.addresses(), arguments)
            finally:
                services.stop()
                if services.postgres is not None:
                    Postgres.remove_below(services.postgres.folder)

    def _parts(self, addresses: dict[str, str], arguments: Sequence[str]) -> list[str]:
        env = {**os.environ, **addresses, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
        # The caller's own choices must not leak into what is tested.
        for name in ("SECRET_KEY", "ALLOWED_HOSTS", "GAUNTLET_DB_POOL_MAX", TEMPLATE):
            env.pop(name, None)
        if self.browser:
            env[chromium.VARIABLE] = self.browser
        production = {
            **env,
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": "gauntlet.example",
        }
        failed = []
        step("Checking that the migrations fit the models")
        if self._call(env, "manage.py", "makemigrations", "--check", "--dry-run"):
            failed.append("makemigrations --check")
        step("Checking the production settings")
        if self._call(production, "manage.py", "check", "--deploy", "--fail-level", "WARNING"):
            failed.append("check --deploy")
        step("Running the tests")
        template = f"gauntlet_template_{secrets.token_hex(4)}"
        try:
            # Where that fails the tests migrate by themselves, and tell what is wrong.
            if not self._call(env, "-m", "tests.support.template", "make", template):
                env[TEMPLATE] = template
            if self._call(env, "-m", "pytest", *_with_workers(arguments)):
                failed.append("tests")
        finally:
            self._call(env, "-m", "tests.support.template", "drop", template)
        return failed

    def _call(self, env: dict[str, str], *arguments: str | Path) -> int:
        # In the terminal's own process group, so that pytest sees a Ctrl-C itself.
        child = spawn(
            [self.python, *arguments],
            env=env,
            cwd=ROOT,
            own_group=False,
        )
        try:
            return child.wait()
        finally:
            stop(child, signal.SIGTERM, 20)


def _with_workers(arguments: Sequence[str]) -> list[str]:
    """Add workers unless the caller says how many, or wants a debugger."""
    chosen = any(
        argument in {"--pdb", "--trace", "-n", "--numprocesses"}
        or argument.startswith(("-n", "--numprocesses=", "--dist"))
        for argument in arguments
    )
    extra = [] if chosen else ["-n", WORKERS, "--dist", "loadgroup"]
    return [*extra, *arguments]
