"""The suite's own tests do not pay for where their calls happen to stand."""

import resource


def faults() -> int:
    """Pages that this process was given so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def test_no_call_maps_memory_for_its_frame() -> None:
    """At no depth, so that what a test costs is not a matter of luck."""
    calls, given = 100, []

    def call() -> None:
        pass

    def descend(depth: int) -> None:
        before = faults()
        for _ in range(calls):
            call()
        given.append(faults() - before)
        if depth:
            descend(depth - 1)

    descend(500)
    assert max(given) < calls / 2
