"""The marker that lets a later check skip the installation of what checks scripts."""

from pathlib import Path

import pytest

from script.lib import node
from script.lib.console import Failure
from script.lib.node import LOCK, Packages


class Recorded(Packages):
    """Packages whose installations are noted instead of made."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.installed: list[str] = []
        self.fails = False

    def _install(self, python: Path) -> None:
        self.folder.mkdir(exist_ok=True)
        if self.fails:
            raise Failure("No network.")
        self.installed.append(self.digest)


@pytest.fixture
def packages(tmp_path: Path) -> Recorded:
    (tmp_path / LOCK).write_text("{}")
    return Recorded(tmp_path)


def test_installs_once_and_then_never_again(packages: Recorded) -> None:
    packages.ensure(Path("python"))
    packages.ensure(Path("python"))
    assert len(packages.installed) == 1


def test_another_lock_is_installed_anew(packages: Recorded) -> None:
    packages.ensure(Path("python"))
    (packages.root / LOCK).write_text('{"packages": {}}')
    packages.ensure(Path("python"))
    assert len(set(packages.installed)) == 2


def test_what_failed_is_tried_again(packages: Recorded) -> None:
    packages.fails = True
    with pytest.raises(Failure):
        packages.ensure(Path("python"))
    packages.fails = False
    packages.ensure(Path("python"))
    assert len(packages.installed) == 1


def test_an_environment_without_node_says_so(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="no Node"):
        node.node(tmp_path / "bin" / "python")
