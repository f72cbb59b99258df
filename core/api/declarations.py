"""What the site's own scripts get from the API, as declarations for TypeScript's checker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from core.api.index import schema
from core.env import ROOT

DECLARATIONS = ROOT / "types" / "api.d.ts"
# Those that the scripts read; what they refer to comes along.
USED: Final = (
    "Ack", "Advice", "ChatMessage", "Commentary", "LogItem", "Plan", "Predictions", "Problem",
    "SavedMove", "StudiedPosition", "Study", "StudyComments", "ViewedMatch",
)  # fmt: skip

_HEAD = """\
// Written by `manage.py api_schema` from the API's own description: change that, not this file.

declare namespace Api {
"""
_PLAIN: Final = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
    "null": "null",
}  # fmt: skip


def declarations_text() -> str:
    """The declarations as they are committed in types/api.d.ts."""
    components = schema()["components"]["schemas"]
    found: dict[str, str] = {}
    left = list(USED)
    while left:
        name = left.pop()
        if name not in found:
            found[name] = _declaration(name, components[name], left)
    return _HEAD + "\n".join(found[name] for name in sorted(found)) + "}\n"


def _declaration(name: str, described: Mapping[str, Any], left: list[str]) -> str:
    if "properties" not in described:
        return f"  type {name} = {_type(described, left)};\n"
    lines = [*_comment(described, "  "), f"  interface {name} {{"]
    required = described.get("required", ())
    for key, each in described["properties"].items():
        lines += _comment(each, "    ")
        lines.append(f"    {key}{'' if key in required else '?'}: {_type(each, left)};")
    return "\n".join([*lines, "  }", ""])


def _comment(described: Mapping[str, Any], indent: str) -> list[str]:
    words = " ".join(described.get("description", "").split())
    return [f"{indent}/** {words} */"] if words else []


def _type(described: Mapping[str, Any], left: list[str]) -> str:
    """A type as TypeScript writes it; components that it names are added to ``left``."""
    if "$ref" in described:
        name: str = described["$ref"].rsplit("/", 1)[1]
        left.append(name)
        return name
    if "enum" in described:
        return " | ".join('"' + value + '"' for value in described["enum"])
    kinds = described.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " | ".join(_kind(kind, described, left) for kind in kinds) or "unknown"


def _kind(kind: str, described: Mapping[str, Any], left: list[str]) -> str:
    if kind == "array":
        item = _type(described["items"], left)
        return f"({item})[]" if " | " in item else f"{item}[]"
    if kind == "object":
        return f"Record<string, {_type(described.get('additionalProperties') or {}, left)}>"
    return _PLAIN[kind]
