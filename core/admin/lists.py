"""What can be found out through a list, which rows are out of reach, and that what is written is
told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from django.contrib.admin.filters import AllValuesFieldListFilter, FieldListFilter
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import CharField, Model, Q, QuerySet
from django.db.models.functions import Cast
from django.http import HttpRequest

from core.admin.classes import AdminClass
from core.admin.links import page_of
from core.admin.readers import person
from core.admin.writes import tell_write

if TYPE_CHECKING:
    from django.contrib.auth.models import _User


class ValuesFilter(AllValuesFieldListFilter):
    """The values of a field, of which an empty one has a name as well."""

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            yield choice if choice["display"] else {**choice, "display": "none"}


Withheld = Callable[["_User"], Q]
_withheld: dict[str, list[Withheld]] = {}


def register_withheld(model_label: str, rows: Withheld) -> None:
    """Keep rows of a model out of the admin site: `rows(reader)` says which ones, as a condition.

    They are on no list, have no page, and cannot be searched, counted or acted on there, whoever
    asks. `model_label` is "games.match". The condition is asked for each time, so that it may hold
    for a while only. It must not depend on a secret: what is missing can be noticed.
    """
    known = _withheld.setdefault(model_label.lower(), [])
    if rows not in known:
        known.append(rows)


def keys_as_text(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The keys of rows, for comparing them with a column that names its target in text."""
    keys: QuerySet[Any] = rows.order_by().annotate(key_as_text=Cast("pk", CharField()))
    return keys.values("key_as_text")


class Guarded(AdminClass):
    """What can be found out through a list is what the list shows.

    Django lets whoever may look at a list filter it by every column of its rows, shown or not, with
    every lookup that there is: a column is then read out with some dozens of questions. Here a list
    answers the filters that it offers and what its class names in `lookups`, for links that lead
    to it (`lookups = ("players__user__id__exact",)`). It refuses everything else, to administrators
    too: they need no other, and some of them play. Pages of single rows are found by their key
    alone, and rows that `register_withheld` withholds from the reader are not found. Whoever may
    see no row is not told which there are.

    What its forms write is told (`core.admin.writes`), unless the class says that what it does
    about it leaves an entry anyway (`writes_entries = True`).
    """

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return lookup in self._offered_lookups(request)

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        return to_field == self.opts.pk.name

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        reader = person(request)
        for withheld in _withheld.get(rows.model._meta.label_lower, ()):
            gone: QuerySet[Any] = QuerySet(rows.model).filter(withheld(reader))
            rows = rows.exclude(pk__in=gone.values("pk"))
        return rows

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        # Not an attribute of this class, which stands before the one that may have it.
        if not getattr(self, "writes_entries", False):
            tell_write(request, obj, "change" if change else "add", form.changed_data)

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        with transaction.atomic():
            tell_write(request, obj, "delete")
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        with transaction.atomic():
            for row in queryset:
                tell_write(request, row, "delete")
            super().delete_queryset(request, queryset)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        # Django looks first whether the row is there, and so tells it whoever may see none.
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)

    def get_view_on_site_url(self, obj: Model | None = None) -> str | None:
        if obj is not None and page_of(obj) is None:
            return None
        return super().get_view_on_site_url(obj)

    def _offered_lookups(self, request: HttpRequest) -> frozenset[str]:
        # Asked once for each parameter of an address, and made with queries: kept for the request.
        known: dict[object, frozenset[str]]
        known = request.__dict__.setdefault("_lookups_offered", {})
        if self not in known:
            # Not an attribute of this class, which stands before the one that may have it.
            named: Iterable[str] = getattr(self, "lookups", ())
            known[self] = frozenset((*named, *self._filters_parameters(request)))
        return known[self]

    def _filters_parameters(self, request: HttpRequest) -> Iterable[str]:
        offered: Iterable[Any] = self.get_list_filter(request)
        for each in offered:
            if callable(each):  # a filter of its own
                yield each.parameter_name
                continue
            name, make = each if isinstance(each, tuple | list) else (each, FieldListFilter.create)
            field = get_fields_from_path(self.model, name)[-1]
            made = make(field, request, {}, self.model, self, field_path=name)
            yield from made.expected_parameters()
        if self.date_hierarchy:
            yield from (f"{self.date_hierarchy}__{part}" for part in ("year", "month", "day"))


def guarded(admin_class: type[Any]) -> type[Any]:
    """The class with `Guarded` before everything that it says itself."""
    if issubclass(admin_class, Guarded):
        return admin_class
    named = {"__module__": admin_class.__module__, "__doc__": admin_class.__doc__}
    metaclass: Any = type(admin_class)
    made: type[Any] = metaclass(admin_class.__name__, (Guarded, admin_class), named)
    return made
