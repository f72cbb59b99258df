"""What must never be in the repository, and what must be for every dependency."""

import json
import re
import shutil
import subprocess
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

import pytest

from script.lib.console import ROOT
from script.lib.python import LINES

# Put together here so that this file does not hold them itself.
FORBIDDEN = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "registry." + "npmjs",
    "npmjs" + ".com",
    "deb." + "debian.org",
    "BEGIN " + "PRIVATE KEY",
    "BEGIN RSA " + "PRIVATE KEY",
    "django-" + "insecure-",
    "/wo" + "rk/",
]
# What each list stands on.
BELOW = {
    "requirements.txt": [],
    "requirements-compile.txt": ["requirements.txt"],
    "requirements-uvicorn.txt": ["requirements.txt"],
    "requirements-sentry.txt": ["requirements.txt"],
    "requirements-dev.txt": [
        "requirements.txt", "requirements-compile.txt", "requirements-uvicorn.txt",
        "requirements-sentry.txt",
    ],
}  # fmt: skip
PINNED = tuple(BELOW)
DIRECT = tuple(name.replace(".txt", ".in") for name in PINNED)


def tracked() -> list[Path]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so nothing says what belongs to it")
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name]


@cache
def contents() -> dict[Path, bytes]:
    """Return every tracked file's bytes, in lower case."""
    return {path: path.read_bytes().lower() for path in tracked() if path.is_file()}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# Where a package is for some of our Pythons alone.
LIMIT = r'python_version (?:>=|<) "(3\.\d+)"'
MARKER = re.compile(rf" ; {LIMIT}(?: and {LIMIT})?")


def entries(name: str) -> list[list[str]]:
    """Return the words of each entry: the pin, and the options that follow it."""
    lines = (ROOT / name).read_text().replace("\\\n", " ").splitlines()
    return [
        MARKER.sub("", line).split() for line in lines if line and not line.startswith(("#", "-r "))
    ]


# What checks the scripts, and what the site is measured beside.
NODE = {"": "devDependencies", "benchmarks/peer": "dependencies"}


def packages(folder: str) -> dict[str, str]:
    """Packages of Node's, name to version; fails the test on anything but an exact pin."""
    named = json.loads((ROOT / folder / "package.json").read_text())
    found: dict[str, str] = named[NODE[folder]]
    pins = found | named.get("overrides", {})
    assert all(re.fullmatch(r"[0-9.]+", version) for version in pins.values()), pins
    return found


def requirements(name: str) -> dict[str, str]:
    """Return normalised name to version; fails the test on anything but an exact pin."""
    found = {}
    for text, *_options in entries(name):
        pin = re.fullmatch(r"([\w.-]+)(\[[\w,]+\])?==([\w.]+)", text)
        assert pin, f"{name}: {text!r} is not an exact pin"
        found[normal(pin[1])] = pin[3]
    return found


@pytest.mark.parametrize("text", FORBIDDEN)
def test_no_file_holds(text: str) -> None:
    assert [path for path, held in contents().items() if text.encode().lower() in held] == []


def test_nothing_generated_is_tracked() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert not names & {
        ".venv",
        ".data",
        "node_modules",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
    }


@pytest.mark.parametrize("folder", NODE)
def test_the_packages_of_node_are_locked_without_a_place_they_come_from(folder: str) -> None:
    locked = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"]
    for name, version in packages(folder).items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert [name for name, entry in locked.items() if "resolved" in entry] == []
    assert [name for name, entry in locked.items() if name and "integrity" not in entry] == []


def test_every_script_of_ours_is_checked() -> None:
    rooms = (ROOT / "static" / "js", ROOT / "games" / "rulesets")
    ours = [path for path in tracked() if any(map(path.is_relative_to, rooms))]
    scripts = [path for path in ours if path.suffix == ".js"]
    assert len(scripts) > 30
    unchecked = [path for path in scripts if not path.read_text().startswith("// @ts-check\n")]
    silenced = [
        path for path in scripts if re.search(r"@ts-(ignore|nocheck|expect)", path.read_text())
    ]
    assert (unchecked, silenced) == ([], [])


def test_direct_dependencies_are_in_the_pinned_set() -> None:
    for direct, whole in zip(DIRECT, PINNED, strict=True):
        below = dict(kv for name in BELOW[whole] for kv in requirements(name).items())
        own = requirements(whole)
        assert not set(below) & set(own)
        for name, version in requirements(direct).items():
            assert (below | own)[name] == version


def test_what_is_wanted_with_extras_is_pinned_with_them() -> None:
    """pip, told hashes, otherwise looks for what is newest with the extras, and refuses it."""
    pinned = {
        normal(text.partition("[")[0].partition("==")[0]): set(re.findall(r"[\w-]+", extras))
        for name in PINNED
        for text, *_options in entries(name)
        for extras in [(re.search(r"\[(.+)\]", text) or [""])[0]]
    }
    wanted = [
        (normal(found[1]), set(re.findall(r"[\w-]+", found[2])))
        for package in distributions()
        if normal(package.metadata["Name"]) in pinned
        for needed in package.requires or []
        if "extra ==" not in needed and (found := re.match(r"([\w.-]+)\s*\[(.+?)\]", needed))
    ]
    assert wanted
    assert [(name, extras) for name, extras in wanted if not extras <= pinned[name]] == []


@pytest.mark.parametrize("name", PINNED)
def test_a_list_names_all_that_it_stands_on(name: str) -> None:
    named = re.findall(r"^-r (\S+)$", (ROOT / name).read_text(), re.MULTILINE)
    assert named == BELOW[name]


@pytest.mark.parametrize("name", PINNED)
def test_every_pinned_package_has_hashes_and_nothing_else(name: str) -> None:
    """Indexes, and markers but for the Python, would have one machine install what another does
    not."""
    listed = entries(name)
    assert listed
    for pin, *options in listed:
        assert options, f"{name}: {pin} has no hash"
        for option in options:
            assert re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", option), f"{name}: {pin} {option}"


def test_markers_part_pythons_that_are_ours() -> None:
    text = "".join((ROOT / name).read_text() for name in PINNED)
    assert text.count(" ; ") == len(MARKER.findall(text)) > 0
    limits = {limit for found in MARKER.findall(text) for limit in found if limit}
    assert limits <= set(LINES)


def test_every_direct_dependency_has_a_reason() -> None:
    reasons = {
        normal(name)
        for name in re.findall(
            r"^\| `([\w.@/-]+)` \| \S",
            (ROOT / "docs" / "dependencies.md").read_text(),
            re.MULTILINE,
        )
    }
    direct = {name for file in DIRECT for name in requirements(file)}
    direct |= {normal(name) for folder in NODE for name in packages(folder)}
    assert reasons == direct


def test_commands_can_be_run() -> None:
    for name in (
        "script/server",
        "script/test",
        "script/lint",
        "script/lock",
        ".ci/run",
        "manage.py",
    ):
        assert (ROOT / name).stat().st_mode & 0o111, name
