"""A small ruleset, with a folder like that of any other: for tests of all that knows none."""
