"""The JSON Schema of match records, made from the types that read them."""

from __future__ import annotations

from typing import Any

import msgspec

from games.engine.records import FORMAT, Record
from games.engine.registry import Registry
from games.engine.table import AnyRuleset

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "#/$defs/{name}"


def record_schema(registry: Registry) -> dict[str, Any]:
    """The schema of records of the rulesets in ``registry``, as plain JSON values.

    It says all that can be said without playing: a document that fits may still hold an entry that
    cannot stand.
    """
    _, defs = msgspec.json.schema_components([Record], ref_template=_REF)
    record = defs.pop("Record")
    record["properties"]["ruleset"] = {"enum": [ruleset.id for ruleset in registry]}
    defs["RecordResult"]["properties"]["reason"] = {"enum": sorted(registry.reasons)}
    # Which of the two an entry holds is checked in code when it is read.
    defs["RecordMove"]["oneOf"] = [
        {"required": ["move"], "properties": {"timeout": False}},
        {"required": ["timeout"], "properties": {"move": False, "seat": {"enum": [0, 1]}}},
    ]
    cases = []
    for ruleset in registry:
        (options,), option_defs = msgspec.json.schema_components(
            [ruleset.options_type], ref_template=_REF
        )
        defs |= option_defs
        cases.append(_case(ruleset, options))
    schema: dict[str, Any] = _tidy_json(
        {
            "$schema": _DIALECT,
            "$id": f"urn:{FORMAT.replace('/', ':')}",
            **record,
            "title": "Deathmatch record",
            "allOf": cases,
            "$defs": dict(sorted(defs.items())),
        }
    )
    return schema


def _case(ruleset: AnyRuleset, options: dict[str, Any]) -> dict[str, Any]:
    """What holds for the records of one ruleset."""
    return {
        "if": {"properties": {"ruleset": {"const": ruleset.id}}, "required": ["ruleset"]},
        "then": {
            "properties": {
                "variant": {"enum": [variant.id for variant in ruleset.variants]},
                "options": options,
            },
            "allOf": [
                {
                    "if": {"properties": {"variant": {"const": variant.id}}},
                    "then": {"properties": {"items": _items(ruleset, variant.id)}},
                }
                for variant in ruleset.variants
            ],
        },
    }


def _items(ruleset: AnyRuleset, variant_id: str) -> dict[str, Any]:
    known = [item.id for item in ruleset.items if not item.variants or variant_id in item.variants]
    return {"items": {"properties": {"item": {"enum": known}}}} if known else {"maxItems": 0}


def _tidy_json(value: Any) -> Any:
    """Plain JSON values; descriptions out of docstrings lose line breaks and doubled backquotes."""
    if isinstance(value, list | tuple):
        return [_tidy_json(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: " ".join(each.split()).replace("``", "`")
        if key == "description" and isinstance(each, str)
        else _tidy_json(each)
        for key, each in value.items()
    }
