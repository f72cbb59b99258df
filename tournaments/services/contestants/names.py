"""What contestants are called."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ValidationError

from accounts.models import User
from accounts.names.impostors import Impostors
from accounts.names.validators import validate_display_name
from core.refusals import Refusal
from tournaments.services.guards import line


def name_of(text: str) -> str:
    """What a contestant is called. Raises Refusal ``contestant.name.missing``,
    ``contestant.name.too-long`` and ``contestant.name.characters``."""
    name = line(text, code="contestant.name", what="A contestant's name", most=200)
    try:
        validate_display_name(name)
    except ValidationError as error:
        # What accounts may be called, contestants may.
        sentence = "This name contains a character that cannot be shown plainly."
        raise Refusal("contestant.name.characters", sentence) from error
    return name


class Names:
    """What contestants with accounts may be called: what their accounts are, or something that
    nobody takes for somebody else."""

    def __init__(self, given: Iterable[tuple[str, User]]) -> None:
        own = {(each, user.pk) for each, user in given if each and each != user.shown_name}
        self._impostors = Impostors(each for each, _ in own)

    def of(self, text: str, user: User) -> str:
        """What that account is called if ``text`` (empty: nothing) is asked for. Raises Refusal as
        `name_of` does, and ``contestant.name.impersonates`` or ``.mixed-scripts``."""
        if not text:
            return name_of(user.shown_name)
        name = name_of(text)
        if text != user.shown_name:
            self._impostors.refuse(text, user, code="contestant.name")
        return name
