"""The options of a ruleset that are not times, as choices for people: out of its options type.

Nothing here knows a ruleset. Titles, descriptions and what to call the choices stand in the
metadata of the fields (`msgspec.Meta`, the names of choices as ``extra["choices"]``); what is not
there is made of the names in the code. What organisers prepare is no choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from games.engine.capabilities import supplies_of
from games.engine.errors import EngineFault
from games.engine.ruleset import Ruleset
from games.rulesets import REGISTRY


class Choice(msgspec.Struct, frozen=True):
    """One of the values of an option: as options have it, as text in a form, and in words."""

    value: Any
    text: str
    words: str


class RuleOption(msgspec.Struct, frozen=True):
    """An option with a few values."""

    key: str
    title: str
    help: str
    choices: tuple[Choice, ...]
    default: Choice

    def chosen(self, text: str) -> Choice:
        """The choice that a form's text stands for. Raises KeyError."""
        for choice in self.choices:
            if choice.text == text:
                return choice
        raise KeyError(text)

    def of(self, options: Mapping[str, Any]) -> Choice:
        """What options (only what differs from the defaults) choose."""
        value = options.get(self.key, self.default.value)
        return next((each for each in self.choices if each.value == value), self.default)


@cache
def rule_options(ruleset_id: str) -> tuple[RuleOption, ...]:
    """The choices of a ruleset, in the order in which it declares them."""
    ruleset = REGISTRY.get(ruleset_id)
    info = inspect.type_info(ruleset.options_type)
    if not isinstance(info, inspect.StructType):
        raise EngineFault(f"the options of {ruleset_id} are no struct")
    defaults = msgspec.structs.asdict(ruleset.options_type())  # type: ignore[call-arg]
    prepared = {key for supply in supplies_of(ruleset) for key in supply.options}
    found = (
        _option(field, defaults[field.name]) for field in info.fields if field.name not in prepared
    )
    return tuple(option for option in found if option is not None)


def _option(field: inspect.Field, default: Any) -> RuleOption | None:
    kind = field.type
    schema: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    while isinstance(kind, inspect.Metadata):
        schema |= kind.extra_json_schema or {}
        extra |= kind.extra or {}
        kind = kind.type
    if isinstance(kind, inspect.BoolType):
        values: tuple[Any, ...] = (True, False)
    elif isinstance(kind, inspect.LiteralType):
        # In the order in which they are called something, else by name: the type has none.
        order = list(extra.get("choices", {}))
        values = tuple(sorted(kind.values, key=lambda v: (_place(order, v), str(v))))
    else:
        return None
    names = extra.get("choices", {})
    choices = tuple(
        Choice(value, _text(value), names.get(value, _words(value))) for value in values
    )
    return RuleOption(
        key=field.name,
        title=schema.get("title", _words(field.name)),
        help=schema.get("description", ""),
        choices=choices,
        default=next(each for each in choices if each.value == default),
    )


def _place(order: list[Any], value: Any) -> int:
    return order.index(value) if value in order else len(order)


def _text(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _words(value: Any) -> str:
    return _text(value).replace("_", " ").replace("-", " ").capitalize()


def rules_table(ruleset: Ruleset[Any, Any], options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Title and choice of every option in a match's options, in words."""
    return [(each.title, each.of(options).words) for each in rule_options(ruleset.id)]
