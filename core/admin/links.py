"""Links between rows: their addresses, and what a row's page leads to."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.admin.classes import AdminClass

# -- addresses -----------------------------------------------------------------------------------


def row_address(row: Model) -> str:
    """The address of a row's admin page."""
    meta = row._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])


def list_address(model: type[Model], **lookups: object) -> str:
    """The address of a model's list; `list_address(Match, status="running")` filters it."""
    meta = model._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    query = urlencode({name: str(value) for name, value in lookups.items()})
    return f"{address}?{query}" if query else address


def page_of(row: Model) -> str | None:
    """The address of a row's own page on the site; None where it has none (rows of a library may
    name one that the site does not have)."""
    address: Callable[[], str] | None = getattr(row, "get_absolute_url", None)
    if address is None:
        return None
    try:
        return address()
    except NoReverseMatch:
        return None


# -- rows, told as links -------------------------------------------------------------------------


def row_link(row: Model | None, words: str = "") -> SafeString:
    """A row as a link to its admin page; nothing is an em dash."""
    if row is None:
        return SafeString("—")
    return format_html('<a href="{}">{}</a>', row_address(row), words or str(row))


def row_links(rows: Iterable[Model]) -> SafeString | str:
    """Rows as links, with commas between them; none is an em dash."""
    return format_html_join(", ", "{}", ((row_link(row),) for row in rows)) or "—"


def target_link(target_type: str, target_id: str) -> SafeString | str:
    """A row, named by its model's label and id, as a link where it has an admin page."""
    if not target_type:
        return "—"
    words = f"{target_type} {target_id}"
    try:
        address = reverse(f"admin:{target_type.replace('.', '_')}_change", args=[target_id])
    except NoReverseMatch:
        return words
    return format_html('<a href="{}">{}</a>', address, words)


# -- what a row's page leads to ------------------------------------------------------------------

Links = Callable[[HttpRequest, Any], Sequence[tuple[str, str]]]
_links: dict[str | None, list[Links]] = {}


def register_links(model_label: str | None, links: Links) -> None:
    """Put links on the admin page of every row of a model, which may belong to another app.

    `model_label` is "accounts.user", or None: then they stand on every row's page, after those of
    its model. `links(request, row)` returns pairs of words and an address.
    """
    known = _links.setdefault(model_label and model_label.lower(), [])
    if links not in known:
        known.append(links)


class RowLinks(AdminClass):
    """A row's page leads to what apps have of it, as `register_links` says.

    Django's own history knows only what was changed in forms; here nearly nothing is.
    """

    change_form_template: ClassVar[Any] = "admin/row.html"

    def row_links(self, request: HttpRequest, row: Any) -> list[tuple[str, str]]:
        """The links above a row: words and an address. Override it to add some before them."""
        known = (*_links.get(row._meta.label_lower, ()), *_links.get(None, ()))
        return [link for links in known for link in links(request, row)]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        row = kwargs.get("obj")
        if row is not None:
            context["row_links"] = self.row_links(request, row)
        return super().render_change_form(request, context, *args, **kwargs)
