"""Lists on the start page, each from the app that knows what stands there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db.models import Model
from django.http import HttpRequest


@dataclass(frozen=True)
class Panel:
    """A list on the start page: rows of an address, what stands there, and a note beside it.

    ``of``: the model whose list it is the beginning of, where not everybody sees that: whoever is
    shown some of it has looked there (`core.admin.looks`). None: it is no secret.
    """

    title: str
    of: type[Model] | None
    rows: Sequence[tuple[str, str, str]]
    more: str = ""
    count: int | None = None
    empty: str = ""


PanelMaker = Callable[[HttpRequest], Panel | None]
_panels: list[tuple[int, PanelMaker]] = []


def register_panel(maker: PanelMaker, *, order: int = 50) -> None:
    """Have `maker(request)` asked for a panel of the start page; smaller orders stand first.

    It returns None where there is nothing for this reader. Registering again only moves it.
    """
    _panels[:] = [entry for entry in _panels if entry[1] is not maker]
    _panels.append((order, maker))
    _panels.sort(key=lambda entry: entry[0])


def panels(request: HttpRequest) -> list[Panel]:
    """The panels for this reader, in order."""
    made = (maker(request) for _order, maker in _panels)
    return [panel for panel in made if panel is not None]
