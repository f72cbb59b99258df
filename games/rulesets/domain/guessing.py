"""The state that a view shows, so that a bot can think on from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from games.engine.errors import EngineFault
from games.rulesets.domain.moves import COLOURS
from games.rulesets.domain.saving import Saved, restored
from games.rulesets.domain.state import DomainState


def determinize(view: Mapping[str, Any]) -> DomainState:
    """The state behind a view. Raises EngineFault for what never was one."""
    try:
        stored: dict[str, Any] = {
            "advantage": view["advantage"],
            "early_ready": view["early_ready"],
            "strict": view["refereeing"] == "strict",
            "by_organiser": view["review"] == "organiser",
            "challenge_cost_ms": view["challenge_cost_ms"],
            "phase": view["phase"],
            "offered": view["offered"],
            "ready": view["ready"],
            "mover": view["to_move"] or 0,
            "challenged": view["challenged"],
            "review": view["under_review"],
            "wrong": view["wrong"],
            "outcome": view["outcome"],
        }
        if view["pool"] is not None:
            stored |= _stored_shapes(view)
        return restored(msgspec.convert(stored, Saved))
    except (KeyError, ValueError, TypeError) as error:  # a ValidationError is a ValueError
        raise EngineFault(f"not a view of Domain: {error!r}") from error


def _stored_shapes(view: Mapping[str, Any]) -> dict[str, Any]:
    shown = view["pool"]
    reference = f"{shown['name']}@{shown['version']}"
    document = {key: shown[key] for key in ("name", "version", "size")}
    document["shapes"] = [
        {key: value for key, value in shape.items() if key != "area"} for shape in shown["shapes"]
    ]
    numbers = {shape["id"]: number for number, shape in enumerate(shown["shapes"])}
    return {
        "pool": reference if shown["built_in"] else document,
        "free": _bits(numbers, view["free"]),
        "hands": [_bits(numbers, hand) for hand in view["hands"]],
        "taken": [[seat, None if each is None else numbers[each]] for seat, each in view["taken"]],
        "turns": [_stored_turn(numbers, turn) for turn in view["turns"]],
    }


def _bits(numbers: Mapping[str, int], ids: Iterable[str]) -> int:
    return sum(1 << numbers[each] for each in ids)


def _stored_turn(numbers: Mapping[str, int], turn: Mapping[str, Any]) -> list[int]:
    head = [turn["seat"], numbers[turn["shape"]], int(turn["struck"])]
    if turn["kind"] == "discard":
        return head
    return [*head, COLOURS.index(turn["domain"]), turn["x"], turn["y"], turn["angle"]]
