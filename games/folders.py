"""What a ruleset's folder holds for people: its rules, its board, its drawn examples.

The folder of a ruleset is the package of its class:

- `rules.html` is the public page of its rules;
- `static/board.js` is its board, `static/board.css` what only that looks like, if anything;
- `static/supply.js` is its editor for what organisers prepare, and `static/supply.css` what only
  that looks like, where it has any;
- `static/draws.js` verifies what is drawn in it, and knows when anything is;
- `figures.py` draws the examples that the rules show;
- `view.md` describes its views to programs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.contrib.staticfiles import finders
from django.core.files.storage import FileSystemStorage
from django.template import Origin
from django.template.loaders import filesystem

from core.refusals import Refusal
from games.engine.ruleset import Ruleset
from games.rulesets import REGISTRY

_TEMPLATES: Final = "rulesets"
_RULES: Final = "rules.html"


@cache
def folder_of(ruleset: Ruleset[Any, Any]) -> Path:
    """The folder in which everything about a ruleset stands."""
    file = sys.modules[type(ruleset).__module__].__file__
    assert file is not None  # noqa: S101 - a class that came out of a file
    return Path(file).parent


def rules_template(ruleset: Ruleset[Any, Any]) -> str:
    """The name by which templates know the page of a ruleset's rules."""
    return f"{_TEMPLATES}/{ruleset.id}/{_RULES}"


@cache
def view_text(ruleset: Ruleset[Any, Any]) -> str:
    """What a ruleset's views hold, in Markdown, for those who write programs."""
    return (folder_of(ruleset) / "view.md").read_text(encoding="utf-8")


def static_name(ruleset: Ruleset[Any, Any], file: str) -> str:
    """The name by which static files know one of a ruleset.

    It ends as the path does. So `../../../../static/js/…` leads from a board to what all boards
    share both by address and in the checkout, where editors and checkers follow it.
    """
    return f"rulesets/{folder_of(ruleset).name}/static/{file}"


def supply_editor_name(ruleset: Ruleset[Any, Any]) -> str:
    """The name by which static files know a ruleset's editor of what organisers prepare; empty
    where it has none."""
    return _name_if_there(ruleset, "supply.js")


def draws_name(ruleset: Ruleset[Any, Any]) -> str:
    """The name by which static files know what verifies a ruleset's draws; empty where nothing is
    drawn in it but the lot."""
    return _name_if_there(ruleset, "draws.js")


def _name_if_there(ruleset: Ruleset[Any, Any], file: str) -> str:
    name = static_name(ruleset, file)
    return "" if finders.find(name) is None else name


class RulesTemplates(filesystem.Loader):
    """Finds the pages of the rules in the rulesets' folders."""

    def get_template_sources(self, template_name: str) -> Iterator[Origin]:
        """Where the page of a ruleset's rules is; nowhere for any other name."""
        folder, _, rest = template_name.partition("/")
        ruleset_id, _, file = rest.partition("/")
        if folder != _TEMPLATES or file != _RULES:
            return
        try:
            path = folder_of(REGISTRY.get(ruleset_id)) / file
        except Refusal:
            return
        yield Origin(name=str(path), template_name=template_name, loader=self)


class _PrefixedStorage(FileSystemStorage):
    """A folder whose files stand below ``prefix``, where finders look for it."""

    def __init__(self, prefix: str, location: str) -> None:
        super().__init__(location=location)
        self.prefix = prefix


class RulesetFiles(finders.FileSystemFinder):
    """Finds the boards and their styles in the rulesets' folders."""

    def __init__(self, app_names: Any = None, *args: Any, **kwargs: Any) -> None:
        self.locations = []
        self.storages = {}
        for ruleset in REGISTRY:
            root = str(folder_of(ruleset) / "static")
            prefix = static_name(ruleset, "").rstrip("/")
            self.locations.append((prefix, root))
            self.storages[root] = _PrefixedStorage(prefix, location=root)

    def check(self, **kwargs: Any) -> list[Any]:
        """Nothing is set that could be wrong."""
        return []
