"""The world of the table of permissions, for this folder alone: it lasts as long as the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.permissions.conftest import _django_db_helper, apart, world

__all__ = ["_django_db_helper", "apart", "world"]


@pytest.fixture(scope="package")
def kept_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where files are kept as long as the world is."""
    return tmp_path_factory.mktemp("media")


@pytest.fixture(autouse=True)
def files(kept_files: Path, settings: Any) -> None:
    """Files of our own: a dump that is put there is in no other test's way."""
    settings.MEDIA_ROOT = kept_files
