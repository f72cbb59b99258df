"""`script/test`: every check of the code's behaviour, from a fresh checkout.

Rules run compiled where they can be, and as they stand with `--plain`, and where what is reached is
measured, which nothing can see of what is compiled. `tests/rulesets/test_compiled.py` runs both.
"""

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from script.lib import again, another, chromium, compiling
from script.lib.console import ROOT, Failure, say, shout, step
from script.lib.processes import spawn, stop
from script.lib.scratch import Scratch
from script.lib.supervisor import Stopped, raise_on_stop_signals
from script.lib.testbed import VARIABLE, Testbed
from script.lib.venv import DEVELOPMENT, Environment

# On two cores: those with the running site often wait, for it, for a browser, or for a clock.
WORKERS = "4"
# Tests there need no server and no browser.
PURE = tuple(ROOT / "tests" / name for name in ("client", "engine", "rulesets"))
# Asks for every case beside every other; the tests find it in their environment.
WHOLE_ARGUMENT, WHOLE = "--whole", "GAUNTLET_WHOLE_TESTS"
TESTS_FAILED = 1  # pytest's exit code, when the run itself went well


def main(arguments: Sequence[str]) -> int:
    """Run the checks and the tests; return 0 only when all of them passed."""
    raise_on_stop_signals()
    began = time.monotonic()
    try:
        wanted, arguments = another.asked(arguments)
        if wanted:
            return another.run(wanted, arguments)
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
    """One run of what was asked for."""

    def __init__(self) -> None:
        self.environment = Environment()
        self.python = self.environment.ensure(DEVELOPMENT)

    def run(self, arguments: Sequence[str]) -> list[str]:
        """Run it and return the names of the parts that failed."""
        env = dict(os.environ)
        # The caller's own choices must not leak into what is tested.
        for name in ("SECRET_KEY", "ALLOWED_HOSTS", "GAUNTLET_DB_POOL_MAX", VARIABLE, WHOLE):
            env.pop(name, None)
        if WHOLE_ARGUMENT in arguments:
            env[WHOLE] = "1"
            arguments = [each for each in arguments if each != WHOLE_ARGUMENT]
        plain = compiling.PLAIN_ARGUMENT in arguments
        arguments = [each for each in arguments if each != compiling.PLAIN_ARGUMENT]
        compiling.ensure(self.environment, plain=plain)
        if plain or any(each.startswith("--cov") for each in arguments):
            env = compiling.as_they_stand(env)
        # Else each of many processes would compile every module anew.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        env["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
        if only_pure(arguments):
            return self._tests(env, arguments)
        browser = chromium.obtain()
        if browser:
            env[chromium.VARIABLE] = browser
        with Scratch() as folder:
            testbed = Testbed(folder, self.python)
            try:
                step("Starting servers, with everything migrated")
                testbed.start()
                env = {**env, **testbed.environment(), again.VARIABLE: str(folder / "failed")}
                return self._tests(env, arguments)
            finally:
                testbed.stop()

    def _tests(self, env: dict[str, str], arguments: Sequence[str]) -> list[str]:
        step("Running the tests")
        workers = _workers(arguments)
        failed = self._pytest(env, [*workers, *arguments])
        if failed == TESTS_FAILED and workers and again.VARIABLE in env:
            options = again.options_of(arguments, _named(arguments))

            def run(names: list[str]) -> bool:
                step(f"Running what failed once more, alone: {len(names)} of the tests")
                return self._pytest(env, [*options, *names]) == 0

            passed, names = again.look(Path(env[again.VARIABLE]), run)
            if passed:
                shout("UNSTEADY: failed beside others, passed alone:\n" + "\n".join(names))
                return []
        return ["tests"] if failed else []

    def _pytest(self, env: dict[str, str], arguments: Sequence[str]) -> int:
        """Its exit code."""
        # In the terminal's own process group, so that pytest sees a Ctrl-C itself.
        child = spawn(
            [self.python, "-m", "pytest", *arguments],
            env=env,
            cwd=ROOT,
            own_group=False,
        )
        try:
            return child.wait()
        finally:
            stop(child, signal.SIGTERM, 20)


def _paths(arguments: Sequence[str]) -> list[Path]:
    """Each folder or file of tests that is named, or that a named test is in."""
    return [_path(argument) for argument in _named(arguments)]


def _named(arguments: Sequence[str]) -> list[str]:
    """What of the arguments is a folder or a file of tests, or a test in one."""
    return [
        argument
        for argument in arguments
        if _path(argument).is_relative_to(ROOT / "tests") and _path(argument).exists()
    ]


def _path(argument: str) -> Path:
    return Path(argument.partition("::")[0]).resolve()


def is_pure(path: Path) -> bool:
    """Whether what lies there can do without servers."""
    return any(path.is_relative_to(folder) for folder in PURE)


def only_pure(arguments: Sequence[str]) -> bool:
    """Whether nothing was asked for that needs servers."""
    paths = _paths(arguments)
    return bool(paths) and all(map(is_pure, paths))


def _workers(arguments: Sequence[str]) -> list[str]:
    """Several, unless the caller says how many, or wants a debugger, or asks for little enough that
    they would take longer to start."""
    chosen = any(
        argument in {"--pdb", "--trace", "-n", "--numprocesses"}
        or argument.startswith(("-n", "--numprocesses=", "--dist"))
        for argument in arguments
    )
    paths = _paths(arguments)
    little = bool(paths) and (only_pure(arguments) or all(path.is_file() for path in paths))
    return [] if chosen or little else ["-n", WORKERS, "--dist", "loadgroup"]
