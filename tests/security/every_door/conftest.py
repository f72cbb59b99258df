"""The world of the table of permissions, for this folder alone: it lasts as long as the folder."""

from __future__ import annotations

from tests.permissions.conftest import _django_db_helper, apart, world

__all__ = ["_django_db_helper", "apart", "world"]
