"""A season with something to export."""

from tests.games.conftest import ada, ben, cleo, orla, root, set_clock  # noqa: F401
from tests.webhooks.conftest import stage  # noqa: F401
