"""Fixtures for every test."""

from hypothesis import settings

from tests.support import depth

# The same examples in every run, and no limit on the time that one takes: whether a change passes
# must depend on the change, not on luck or on what else the machine does. To look for examples that
# nobody thought of: `pytest --hypothesis-profile default`.
settings.register_profile("known", settings.get_profile("ci"), max_examples=depth.examples(100))
settings.load_profile("known")

pytest_plugins = ["tests.support.fixtures"]
