"""Fixtures for every test."""

import pytest
from hypothesis import settings

from tests.support import depth

# The same examples in every run, and no limit on the time that one takes: whether a change passes
# must depend on the change, not on luck or on what else the machine does. To look for examples that
# nobody thought of: `pytest --hypothesis-profile default`.
settings.register_profile("known", settings.get_profile("ci"), max_examples=depth.examples(100))
settings.load_profile("known")

pytest_plugins = ["tests.support.failures", "tests.support.fixtures"]


@pytest.fixture
def one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all matches draw from the same seed: everybody may know what it hashes to, so two of
    which nobody must be able to tell which is which would differ in that."""
    monkeypatch.setattr("games.services.matches.seed_of", lambda _random: "5e" * 32)
