"""How large the body of a request may be.

Nobody who shows no sign of an account sends much. Views that take more than a form say how much
with `takes`; of whoever wants to send that much it is asked first whether they are signed in. The
limits stand at the door: see `config.door`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar, cast

from django.urls import Resolver404, resolve

KIB: Final = 1024
# A sign-up, a code to trade in.
OF_NOBODY: Final = 64 * KIB
# The largest record or form, and what a form is wrapped in.
OF_ANYBODY: Final = 1280 * KIB
WRAPPING: Final = 64 * KIB

View = TypeVar("View", bound=Callable[..., Any])


class SizedView(Protocol):
    """A view that says how many bytes a request's body may have there."""

    body_most: int


def takes(most: int) -> Callable[[View], View]:
    """Let a view take bodies with a file of ``most`` bytes, from those who are signed in."""

    def marked(view: View) -> View:
        cast(SizedView, view).body_most = most + WRAPPING
        return view

    return marked


def most_at(path: str) -> int:
    """How many bytes may be sent to an address by those who are signed in."""
    try:
        view = resolve(path).func
    except Resolver404:
        return OF_ANYBODY
    named = getattr(getattr(view, "cls", view), "body_most", None)
    return max(OF_ANYBODY, named or 0)
