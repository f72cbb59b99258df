"""What cannot happen unless the program is wrong. What people can put right is a
`core.refusals.Refusal`, and is always shown to them.
"""


class EngineFault(Exception):
    """A state of affairs that the rules make impossible: a bug in the program. It is logged, never
    explained to a player."""
