"""What a command is, as it is registered and as it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tournaments.discord.interactions import Asked, Reply

Choices: TypeAlias = Sequence[tuple[str, str | int]]
#: What a button or a menu does; the words of its id behind the first are its arguments.
Pressed: TypeAlias = Callable[..., Reply]

TEXT, NUMBER, YES_OR_NO, PERSON = 3, 4, 5, 6


@dataclass(frozen=True, kw_only=True)
class Option:
    """What somebody fills in. ``choices``: the only ones that there are; ``typing``: what is
    offered while they type, by name and value."""

    name: str
    description: str
    kind: int = TEXT
    required: bool = False
    choices: Callable[[], Choices] | None = None
    typing: Callable[[Asked], Choices] | None = None
    at_most: int | None = None

    def registered(self) -> dict[str, Any]:
        """The option as Discord is told of it."""
        told: dict[str, Any] = {
            "type": self.kind,
            "name": self.name,
            "description": self.description,
            "required": self.required,
        }
        if self.choices is not None:
            told["choices"] = [{"name": name, "value": value} for name, value in self.choices()]
        if self.typing is not None:
            told["autocomplete"] = True
        if self.at_most is not None:
            told["max_length"] = self.at_most
        return told


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command. ``run`` does it, and raises what is refused."""

    name: str
    description: str
    run: Callable[[Asked], Reply]
    options: Sequence[Option] = ()

    def registered(self) -> dict[str, Any]:
        """The command as Discord is told of it."""
        return {
            "type": 1,
            "name": self.name,
            "description": self.description,
            "options": [option.registered() for option in self.options],
        }

    def offered(self, asked: Asked) -> Choices:
        """What is offered to somebody who types into one of its fields."""
        found = next((each for each in self.options if each.name == asked.focused), None)
        return () if found is None or found.typing is None else found.typing(asked)
