"""The marker that lets a later start skip every installation."""

import hashlib
import json
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from script.lib import venv
from script.lib.console import Failure
from script.lib.venv import Environment


class Recorded(Environment):
    """An environment whose installations are noted instead of made."""

    def __init__(self, root: Path) -> None:
        super().__init__(root / "env", root)
        self.installed: list[list[str]] = []
        self.sound = True

    def _works(self) -> bool:
        return self.sound

    def _install(self, lists: Sequence[str]) -> None:
        self.installed.append(list(lists))
        self.folder.mkdir(exist_ok=True)
        self.sound = True
        self._mark(self._read_marker(), lists)


@pytest.fixture
def environment(tmp_path: Path) -> Recorded:
    (tmp_path / "a.txt").write_text("one==1\n")
    (tmp_path / "b.txt").write_text("two==2\n")
    return Recorded(tmp_path)


def test_installs_once_and_then_never_again(environment: Recorded) -> None:
    assert environment.ensure(["a.txt"]) == environment.folder / "bin" / "python"
    environment.ensure(["a.txt"])
    assert environment.installed == [["a.txt"]]


def test_installs_only_the_list_that_is_missing_or_has_changed(environment: Recorded) -> None:
    environment.ensure(["a.txt"])
    environment.ensure(["a.txt", "b.txt"])
    (environment.root / "a.txt").write_text("one==1.1\n")
    environment.ensure(["a.txt", "b.txt"])
    environment.ensure(["a.txt", "b.txt"])
    assert environment.installed == [["a.txt"], ["b.txt"], ["a.txt"]]


def test_a_broken_environment_is_made_anew_with_all_lists(environment: Recorded) -> None:
    environment.ensure(["a.txt", "b.txt"])
    environment.sound = False
    environment.ensure(["a.txt", "b.txt"])
    assert environment.installed == [["a.txt", "b.txt"]] * 2


@pytest.mark.parametrize("leads_to", ["another", "nowhere"])
def test_a_link_is_refused_and_what_it_leads_to_left_alone(tmp_path: Path, leads_to: str) -> None:
    """By the environment itself, whose first step would empty it."""
    another = tmp_path / "another"
    (another / "bin").mkdir(parents=True)
    (another / "bin" / "python").write_text("somebody else's")
    (tmp_path / "a.txt").write_text("one==1\n")
    (tmp_path / "env").symlink_to(tmp_path / leads_to)
    with pytest.raises(Failure, match=r"is a symbolic link.*Remove the link.*GAUNTLET_VENV"):
        Environment(tmp_path / "env", tmp_path).ensure(["a.txt"])
    assert (another / "bin" / "python").read_text() == "somebody else's"
    assert (tmp_path / "env").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "another", "env"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"a.txt": 3}'])
def test_a_damaged_marker_means_another_installation(environment: Recorded, content: str) -> None:
    environment.ensure(["a.txt"])
    environment.marker.write_text(content)
    environment.ensure(["a.txt"])
    assert environment.installed == [["a.txt"]] * 2


def test_a_moved_environment_or_another_python_starts_over(
    environment: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.ensure(["a.txt", "b.txt"])
    moved = environment.folder.rename(environment.root / "moved")
    environment.folder, environment.marker = moved, moved / environment.marker.name
    environment.ensure(["a.txt"])
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    environment.ensure(["a.txt"])
    assert environment.installed == [["a.txt", "b.txt"], ["a.txt"], ["a.txt"]]


def test_an_interrupted_installation_leaves_no_marker(tmp_path: Path) -> None:
    """Else the next start would go on with half of it."""
    (tmp_path / "a.txt").write_text("one==1\n")

    class Interrupted(Environment):
        runs = 0

        def _works(self) -> bool:
            return True

        def _run(self, command: Sequence[str | Path], **_options: object) -> int:
            self.runs += 1
            if self.runs == 3:
                raise KeyboardInterrupt
            self.folder.mkdir(exist_ok=True)
            return 0

    environment = Interrupted(tmp_path / "env", tmp_path)
    environment.ensure(["a.txt"])
    assert environment.marker.exists()
    (tmp_path / "a.txt").write_text("one==2\n")
    with pytest.raises(KeyboardInterrupt):
        environment.ensure(["a.txt"])
    assert not environment.marker.exists()
    environment.ensure(["a.txt"])
    # Made and filled; changed, interrupted; made and filled again.
    assert environment.runs == 2 + 1 + 2


def test_nothing_is_installed_whose_hash_is_not_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """With pip itself, which without being told to looks at no hashes where a list has none."""
    wheel = tmp_path / "one-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("one-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: one\nVersion: 1")
        archive.writestr("one-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any")
        archive.writestr("one-1.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    environment = Environment(tmp_path / "env", tmp_path)
    (tmp_path / "a.txt").write_text("one==1\n")
    with pytest.raises(Failure):
        environment.ensure(["a.txt"])
    assert "--require-hashes" in capfd.readouterr().err
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (tmp_path / "a.txt").write_text(f"one==1 --hash=sha256:{digest}\n")
    environment.ensure(["a.txt"])
    assert environment.marker.exists()


class Made(Environment):
    """An environment that is made by some Pythons, and not by those that cannot."""

    def __init__(self, root: Path, *, unable: Sequence[Path] = ()) -> None:
        super().__init__(root / "env", root)
        self.unable = unable
        self.asked: list[str | Path] = []

    def _run(self, command: Sequence[str | Path], **_options: object) -> int:
        self.asked.append(command[0])
        return 1 if command[0] in self.unable else 0


def test_it_is_made_from_the_distributions_python_where_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same line only: a list is pinned for the Python that was asked for."""
    ours = Path(sys.executable)
    monkeypatch.setattr(sys, "_base_executable", sys.executable, raising=False)
    monkeypatch.setattr(venv, "DISTRIBUTION", tmp_path)
    theirs = tmp_path / f"python{sys.version_info[0]}.{sys.version_info[1]}"

    def asked(**options: Any) -> list[str | Path]:
        made = Made(tmp_path, **options)
        made._create()
        return made.asked

    (tmp_path / f"python{sys.version_info[0]}.{sys.version_info[1] + 1}").touch()
    assert asked() == [ours]
    theirs.touch()
    assert asked() == [theirs]
    assert asked(unable=[theirs]) == [theirs, ours]
    theirs.unlink()
    theirs.symlink_to(ours)
    assert asked() == [ours]


def test_the_real_environment_is_up_to_date_and_sound() -> None:
    """The one these tests run in, so that the check above is not about a toy only."""
    environment = Environment()
    installed = json.loads(environment.marker.read_text())
    assert installed["requirements.txt"] == environment.digest("requirements.txt")
    assert environment._works()
    assert not Environment(environment.folder / "nowhere")._works()
