"""Run by the environment's own Python: whether modules are compiled, and compiling them.

Prints one line: ``there``; ``wanted``, where nothing keeps them from being compiled; ``without``
and why, where something does.
"""

import contextlib
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from core.compiled import MANIFEST, ROOT, VARIABLE, fingerprint, kept, sources

AT_MOST, LATELY_S = 3, 86_400  # so many, and those wanted lately: processes may run on them
# What the type checker says of these modules, `script/lint` says; here it only has to know types.
CHECKER = ("--config-file=", "--follow-imports=silent", "--hide-error-context")


def state(folder: Path) -> str:
    """The line: see the module."""
    if (folder / MANIFEST).is_file():
        os.utime(folder)
        return "there"
    if _log(folder).is_file():
        return f"without it failed before, see {_log(folder)}, which can be removed to try again"
    why = lacking()
    return f"without {why}" if why else "wanted"


def lacking() -> str:
    """What is missing to compile anything, in a few words; nothing where nothing is."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    program = shlex.split(str(command))[0]
    if shutil.which(program) is None:
        return f"there is no C compiler ({program})"
    headers = Path(sysconfig.get_path("include"))
    if not (headers / "Python.h").is_file():
        return f"there are no headers of Python in {headers} (python3-dev has them)"
    return ""


def build(folder: Path) -> str:
    """Compile them, unless another process has done so meanwhile; the line."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent / "lock"):
        found = state(folder)
        if found != "wanted":
            return found
        draft = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
        try:
            if not _made(draft, log := draft / "log"):
                log.rename(_log(folder))
                return f"without it failed, see {_log(folder)}"
            (draft / "made").rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        for _since, old in sorted(_old(folder))[: 1 - AT_MOST]:
            shutil.rmtree(old, ignore_errors=True)
    return "there"


def _made(draft: Path, log: Path) -> bool:
    """Compile with all that the compilers say in a file, and whether that worked."""
    out, errors = os.dup(1), os.dup(2)
    with log.open("w") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        try:
            make(draft)
            _imported(draft / "made")
        except (Exception, SystemExit):  # noqa: BLE001  (mypyc ends the process where it refuses)
            traceback.print_exc()
            return False
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(out, 1)
            os.dup2(errors, 2)
    return True


def make(draft: Path) -> None:
    """Compile into a folder ``made`` below, with its manifest."""
    # Needs what only those install who compile.
    from mypyc.build import mypycify  # noqa: PLC0415
    from setuptools import Distribution  # noqa: PLC0415

    os.chdir(ROOT)
    paths = [str(path.relative_to(ROOT)) for path in sources()]
    extensions = mypycify(
        [*CHECKER, *paths],
        opt_level="3",
        debug_level="0",
        target_dir=str(draft / "c"),
        group_name="gauntlet",
    )
    for extension in extensions:
        extension.extra_compile_args.append("-g0")
    command = Distribution({"name": "gauntlet", "ext_modules": extensions}).get_command_obj(
        "build_ext"
    )
    made = draft / "made"
    command.build_lib, command.build_temp = str(made), str(draft / "objects")
    command.ensure_finalized()
    command.run()
    files = {
        extension.name: str(Path(command.get_ext_filename(extension.name)))
        for extension in extensions
    }
    (made / MANIFEST).write_text(json.dumps(files, indent=1))


def _imported(folder: Path) -> None:
    """See that everything can be imported so. Raises CalledProcessError."""
    code = (
        "import sys; from pathlib import Path; from core import compiled\n"
        "compiled.take(Path(sys.argv[1])); import games.rulesets\n"
        "assert {*compiled.installed()} <= {*sys.modules}"
    )
    env = {**os.environ, VARIABLE: "1"}
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, env=env, check=True)


def _log(folder: Path) -> Path:
    return folder.with_suffix(".log")


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _old(folder: Path) -> Iterator[tuple[float, Path]]:
    """The others that nobody has wanted lately, with when they were wanted."""
    lately = time.time() - LATELY_S
    for path in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            since = path.stat().st_mtime
            if path.is_dir() and path != folder and since < lately:
                yield since, path


def main(arguments: list[str]) -> None:
    """Print the line, after compiling where that is asked for."""
    folder = kept() / fingerprint()
    try:
        line = (build if arguments == ["--build"] else state)(folder)
    except OSError as error:
        line = f"without {error}"
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
