"""Options that are given as names and values: of rulesets, of formats of seasons.

Their types are msgspec structs. Each option is judged by itself, so that all that is wrong is told,
in words for people: those of the library are for programmers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from core.refusals import Refusal, Refusals
from games.engine.errors import EngineFault

_O = TypeVar("_O", bound=msgspec.Struct)


class OptionsRefused(Refusals):
    """Some options cannot stand: ``fields`` has a sentence for each."""

    def __init__(self, code: str, fields: Mapping[str, str]) -> None:
        super().__init__([Refusal(code, each, field=name) for name, each in fields.items()])
        said = " ".join(f"{name}: {sentence}" for name, sentence in fields.items())
        self.sentence = f"These options do not fit: {said}"
        self.fields = dict(fields)


class Limits(msgspec.Struct, frozen=True):
    """What an option may be: a ``type`` (bool, int, float, str for one of the ``choices``, object
    for a document), and for numbers from where to where; the lowest itself is not allowed where it
    is ``open``. ``title`` and ``text`` say for people what is chosen."""

    type: type
    least: float | None = None
    most: float | None = None
    open: bool = False
    odd: bool = False
    choices: tuple[str, ...] = ()
    title: str = ""
    text: str = ""

    @property
    def sentence(self) -> str:
        """The same for people."""
        if self.type is bool:
            return "This is either true or false."
        if self.choices:
            return f"This is one of {', '.join(self.choices)}."
        if self.type is object:
            return "This is not in the form that is wanted here."
        kind = "An odd number" if self.odd else "A whole number"
        if self.type is float:
            kind = "A number of at most" if self.open else "A number"
        if self.open:
            return f"{kind} {self.most:.15g}, and more than {self.least:.15g}."
        return f"{kind} from {self.least:.15g} to {self.most:.15g}."


def limits_of(kind: type[msgspec.Struct], odd: frozenset[str] = frozenset()) -> dict[str, Limits]:
    """What each option of this type may be, in the order in which it declares them; those that
    ``odd`` names are odd numbers."""
    info = inspect.type_info(kind)
    if not isinstance(info, inspect.StructType):
        raise EngineFault(f"{kind} is no struct")
    return {each.name: _limits(each.type, odd=each.name in odd) for each in info.fields}


def _limits(kind: inspect.Type, *, odd: bool) -> Limits:
    said: dict[str, str] = {}
    while isinstance(kind, inspect.Metadata):
        said = (kind.extra_json_schema or {}) | said
        kind = kind.type
    limits = _bounds(kind, odd=odd)
    return msgspec.structs.replace(
        limits, title=said.get("title", ""), text=said.get("description", "")
    )


def _bounds(kind: inspect.Type, *, odd: bool) -> Limits:
    match kind:
        case inspect.BoolType():
            return Limits(bool)
        case inspect.LiteralType():
            return Limits(str, choices=tuple(sorted(map(str, kind.values))))
        case inspect.IntType() | inspect.FloatType():
            return Limits(
                float if isinstance(kind, inspect.FloatType) else int,
                least=kind.gt if kind.ge is None else kind.ge,
                most=kind.le,
                open=kind.ge is None,
                odd=odd,
            )
    return Limits(object)


def options_read(
    kind: type[_O], given: Mapping[str, Any], code: str, odd: frozenset[str] = frozenset()
) -> _O:
    """Options of this type, those ``given`` in place of the defaults. Raises OptionsRefused with
    ``code`` for every unknown name, wrong type and value out of range."""
    # Each is tried beside the defaults of all others, so every option must have one.
    limits = limits_of(kind, odd)
    wrong: dict[str, str] = {}
    for name, value in given.items():
        known = limits.get(name)
        try:
            if known is not None:
                msgspec.convert({name: value}, kind)
                continue
        except msgspec.ValidationError:
            pass
        wrong[name] = "There is no such option." if known is None else known.sentence
    if wrong:
        raise OptionsRefused(code, wrong)
    return msgspec.convert(dict(given), kind)
