"""Fixtures for what is promised of accounts."""

from tests.games.conftest import ada, ben, cleo, mona, orla, root, set_clock  # noqa: F401
from tests.webhooks.conftest import stage  # noqa: F401
