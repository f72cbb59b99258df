"""How lists are filtered, ordered and cut into pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.core import signing
from django.db.models import Case, F, Q, When
from django.http import HttpResponseBase
from django.utils.dateparse import parse_datetime
from django_filters import rest_framework as filters
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response

from core.api.bodies import instant_of
from core.api.errors import ParameterFault
from core.clock import now_utc

LIMIT: Final = 50
LIMIT_MAX: Final = 200
# A result is committed, and so to be seen, at most so long after the moment that it bears: a season
# may be busy, or a worker away. Where more rows than that have a later one, the span is shorter.
COMMITTED_WITHIN: Final = timedelta(minutes=10)
LATEST_AT_MOST: Final = 100
# Without a time in it: the same page has the same cursors, so that its tag stays the same, too.
_SIGNER: Final = signing.Signer(salt="core.api.cursor")

# Fields to order by, `-` before those that go down. The last one must be unique.
Ordering = tuple[str, ...]


def limit_of(request: Request) -> int:
    """How many rows a page shall have. Raises ParameterFault ``limit.invalid``."""
    text = request.query_params.get("limit", str(LIMIT))
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= LIMIT_MAX):
        raise ParameterFault("limit", f"A page has 1 to {LIMIT_MAX} rows.", code="limit.invalid")
    return int(text)


def fields_of(request: Request, known: Collection[str]) -> tuple[str, ...]:
    """Those of the ``known`` fields that `?fields=` of a reading request asks for, in their own
    order; all of them where it says nothing. Raises ParameterFault ``fields.unknown``."""
    asked = request.query_params.get("fields")
    if asked is None or request.method not in ("GET", "HEAD"):
        return tuple(known)
    wanted = asked.split(",")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ParameterFault(
            "fields",
            f"There is no field {unknown[0]!r}; there are: {', '.join(known)}.",
            code="fields.unknown",
        )
    return tuple(name for name in known if name in wanted)


def link_neighbours(
    response: HttpResponseBase, following: str | None, preceding: str | None
) -> None:
    """Say in `Link` where the pages next to this one are, as far as there are any."""
    links = [
        f'<{address}>; rel="{relation}"'
        for relation, address in (("next", following), ("prev", preceding))
        if address
    ]
    if links:
        response["Link"] = ", ".join(links)


def began_after(request: Request, moment: datetime) -> bool:
    """Whether the cursor of a request belongs to a first page that was read after ``moment``."""
    try:
        cursor = _SIGNER.unsign_object(request.query_params.get("cursor", ""))
    except (signing.BadSignature, ValueError):
        return False
    return "b" in cursor and _moment_of(cursor, "b") > moment


class Filters(filters.FilterSet):
    """Base of the filters of a list. Unknown parameters are refused by the view, wrong values here
    (400 with `fields`)."""


class _InstantField(forms.Field):
    """A moment, as in bodies: with an offset."""

    def to_python(self, value: Any) -> datetime | None:
        """The moment, or None where nothing is said."""
        if value in self.empty_values:
            return None
        try:
            return instant_of(str(value))
        except ValidationError as error:
            said: Any = error.detail[0]  # type: ignore[index]  # a list of one
            raise forms.ValidationError(str(said), code=said.code) from error


class InstantFilter(filters.IsoDateTimeFilter):
    """A moment to filter by."""

    field_class = _InstantField


class FilterBackend(filters.DjangoFilterBackend):
    """Applies `filterset_class`."""


class OrderBackend(BaseFilterBackend):
    """`?ordering=`: one of the orderings that the view declares."""

    def filter_queryset(self, request: Request, queryset: Any, view: Any) -> Any:
        # The paginator orders, which must know the order to find its place again.
        view.ordering_name = self.name_of(request, view)
        return queryset

    def name_of(self, request: Request, view: Any) -> str:
        """The name of the ordering asked for. Raises ParameterFault ``ordering.unknown``."""
        names = list(view.orderings)
        name = request.query_params.get("ordering", names[0])
        if name not in names:
            raise ParameterFault(
                "ordering",
                f"This list can be ordered by: {', '.join(names)}.",
                code="ordering.unknown",
            )
        return str(name)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """For the schema."""
        names = list(view.orderings)
        return [
            {
                "name": "ordering",
                "in": "query",
                "required": False,
                "description": "In which order; `-` is downwards.",
                "schema": {"type": "string", "enum": names, "default": names[0]},
            }
        ]


class CursorPages(BasePagination):
    """Pages that begin behind a row rather than at a number: whatever is added or goes meanwhile,
    nobody sees a row twice or misses one that stayed.

    The cursor is the row's sort values, signed so that only what we gave out comes back. Empty
    values stand last, upwards and downwards.

    What a view names in `moving` are moments that rows get while somebody reads: a match that ends
    would jump ahead of its readers. So the cursor also says when the first page was read, and a
    later moment counts as empty from there on: the row stays with those that have none. A moment is
    older than the commit that shows it: of the latest, the cursor names those that were there.
    """

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """One page, as a list. Raises ParameterFault ``limit.invalid`` and ``cursor.invalid``."""
        self.request = request
        self.name: str = view.ordering_name
        self.ordering: Ordering = view.orderings[self.name]
        self.limit = limit_of(request)
        cursor = self._cursor(request)
        self.began = _moment_of(cursor, "b")
        self.floor = _moment_of(cursor, "f")
        self.there: list[Any] = [] if cursor is None else cursor.get("t", [])
        self.moving: Collection[str] = view.moving
        backwards = cursor is not None and cursor["d"] == "p"
        if cursor is not None:
            queryset = queryset.alias(**self._values_at_first())
            beyond = _beyond(self._effective_ordering(), cursor["k"], backwards=backwards)
            queryset = queryset.filter(beyond)
        elif view.moving:
            self._note_latest(queryset)
        # The first page holds the latest there are: no moment is later yet, and an index will do.
        ordering = self.ordering if cursor is None else self._effective_ordering()
        found = list(queryset.order_by(*_terms(ordering, backwards))[: self.limit + 1])
        if cursor is None:
            moments = [_value(row, name) for row in found for name in self._moves()]
            self.began = max([self.began, *filter(None, moments)])
            if self._moves():  # what was committed since the look at the latest
                self.there = sorted({*self.there, *(row.pk for row in found if self._is_late(row))})
        more = len(found) > self.limit
        self.rows = found[: self.limit]
        if backwards:
            self.rows.reverse()
        self.has_next = more if not backwards else True
        self.has_previous = cursor is not None and (more or not backwards)
        return self.rows

    def get_paginated_response(self, data: Any) -> Response:
        """The page with the addresses of its neighbours, in the body and as `Link`."""
        following = self._link("n", -1) if self.has_next and self.rows else None
        preceding = self._link("p", 0) if self.has_previous and self.rows else None
        response = Response({"next": following, "previous": preceding, "results": data})
        link_neighbours(response, following, preceding)
        return response

    def _cursor(self, request: Request) -> dict[str, Any] | None:
        text = request.query_params.get("cursor")
        if text is None:
            return None
        try:
            cursor: dict[str, Any] = _SIGNER.unsign_object(text)
        except (signing.BadSignature, ValueError) as error:
            sentence = "This cursor is not one of ours."
            raise ParameterFault("cursor", sentence, code="cursor.invalid") from error
        if cursor["o"] != self.name:
            sentence = "This cursor belongs to another ordering."
            raise ParameterFault("cursor", sentence, code="cursor.invalid")
        return cursor

    def _link(self, direction: str, index: int) -> str:
        row = self.rows[index]
        keys = [_plain(self._key(row, name.removeprefix("-"))) for name in self.ordering]
        cursor: dict[str, Any] = {"o": self.name, "d": direction, "k": keys}
        if self._moves():
            moments = {"b": self.began.isoformat(), "f": self.floor.isoformat()}
            cursor |= {**moments, "t": self.there}
        query = self.request.query_params.copy()
        query["cursor"] = _SIGNER.sign_object(cursor, compress=True)
        address = self.request.build_absolute_uri(self.request.path)
        return f"{address}?{urlencode(sorted(query.lists()), doseq=True)}"

    def _moves(self) -> list[str]:
        """Those fields of the ordering that rows may get while somebody reads."""
        return [name for name in map(_plain_name, self.ordering) if name in self.moving]

    def _note_latest(self, queryset: Any) -> None:
        """Note which rows have a moment that others may still be about to commit."""
        self.floor = self.began - COMMITTED_WITHIN
        for name in self._moves():
            latest = queryset.filter(**{f"{name}__gt": self.floor}).order_by(f"-{name}")
            found = list(latest.values_list(name, "pk")[: LATEST_AT_MOST + 1])
            if len(found) > LATEST_AT_MOST:
                self.floor = found[-1][0]
            self.there += [pk for moment, pk in found if moment > self.floor]

    def _values_at_first(self) -> dict[str, Any]:
        """Their values as they were when the first page was read."""
        return {
            f"settled_{name}": Case(
                When(
                    Q(**{f"{name}__lte": self.floor})
                    | Q(**{f"{name}__lte": self.began}, pk__in=self.there),
                    then=F(name),
                )
            )
            for name in self._moves()
        }

    def _is_late(self, row: Any) -> bool:
        """Whether a row has a moment that was not long ago when the first page was read."""
        moments = [_value(row, name) for name in self._moves()]
        return any(moment is not None and moment > self.floor for moment in moments)

    def _effective_ordering(self) -> Ordering:
        """The ordering, by those values."""
        moving = set(self._moves())
        return tuple(
            f"{'-' if name.startswith('-') else ''}settled_{_plain_name(name)}"
            if _plain_name(name) in moving
            else name
            for name in self.ordering
        )

    def _key(self, row: Any, name: str) -> Any:
        value = _value(row, name)
        if name not in self.moving or value is None or value <= self.floor:
            return value
        return value if value <= self.began and row.pk in self.there else None

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """For the schema."""
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**link, "description": "The page behind this one."},
                "previous": {**link, "description": "The page before this one."},
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """For the schema."""
        number = {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT}
        return [
            {
                "name": "limit",
                "in": "query",
                "required": False,
                "description": "How many rows a page has.",
                "schema": number,
            },
            {
                "name": "cursor",
                "in": "query",
                "required": False,
                "description": "Where the page begins: take the whole address from `next`.",
                "schema": {"type": "string"},
            },
        ]


def _plain_name(name: str) -> str:
    return name.removeprefix("-")


def _value(row: Any, name: str) -> Any:
    for part in name.split("__"):
        row = None if row is None else getattr(row, part)
    return row


def _plain(value: Any) -> Any:
    return {"t": value.isoformat()} if isinstance(value, datetime) else value


def _rich(value: Any) -> Any:
    return parse_datetime(value["t"]) if isinstance(value, Mapping) else value


def _terms(ordering: Ordering, backwards: bool) -> list[Any]:
    terms = []
    for name in ordering:
        field = F(name.removeprefix("-"))
        down = name.startswith("-") != backwards
        nulls: dict[str, Any] = {"nulls_first": True} if backwards else {"nulls_last": True}
        terms.append(field.desc(**nulls) if down else field.asc(**nulls))
    return terms


def _beyond(ordering: Ordering, keys: Sequence[Any], *, backwards: bool) -> Q:
    """The rows behind the one with these sort values: further in the first value, or the same there
    and further in the second, and so on."""
    condition, same = Q(pk__in=[]), Q()
    for name, key in zip(ordering, map(_rich, keys), strict=True):
        condition |= same & _further(name, key, backwards=backwards)
        field = name.removeprefix("-")
        same &= Q(**{f"{field}__isnull": True}) if key is None else Q(**{field: key})
    return condition


def _further(name: str, key: Any, *, backwards: bool) -> Q:
    field = name.removeprefix("-")
    empty = Q(**{f"{field}__isnull": True})
    if key is None:
        return ~empty if backwards else Q(pk__in=[])
    down = name.startswith("-") != backwards
    beyond = Q(**{f"{field}__lt" if down else f"{field}__gt": key})
    return beyond if backwards else beyond | empty


def _moment_of(cursor: Mapping[str, Any] | None, key: str) -> datetime:
    """One of the cursor's moments, by default now. What nothing depends on is not in the cursor, so
    that the same page has the same tag."""
    text = "" if cursor is None else cursor.get(key, "")
    return parse_datetime(text) or now_utc() if text else now_utc()
