"""The views that every endpoint is made of: `ApiView`, `FieldsView`, `ListView`, `DetailView`.

What an endpoint declares is data: the scope that a method needs, its filters, its orderings. Rate
limits, problem documents, conditional requests, sparse fields, cross-origin headers and the schema
follow from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ClassVar

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils.cache import patch_vary_headers
from django.utils.functional import cached_property
from rest_framework.exceptions import APIException, MethodNotAllowed, ValidationError
from rest_framework.fields import Field
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.permissions import (
    SAFE_METHODS,
    IsAuthenticated,
    IsAuthenticatedOrReadOnly,
)
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import conditional, cors, limits
from core.api.bodies import ApiRequest
from core.api.errors import ParameterFault
from core.api.lists import (
    CursorPages,
    FilterBackend,
    OrderBackend,
    Ordering,
    began_after,
    fields_of,
)
from core.api.scopes import HasScope, Scope, scope_of
from core.clock import now_utc
from core.conditional import weak_tag
from core.refusals import NotFound
from core.replica import is_there
from core.replica.reading import is_snapshot, lag, read


class ApiView(APIView):
    """An endpoint. Anybody may read; writing needs an account, and a token the scope.

    scopes      the scope that a token needs, by method; reading needs `read` unless it says more.
                A method that writes must be named. The rate limit is the scope's, too.
    counted_as  by method, the rate limit that its requests count against, where that is one of its
                own: what a page does by itself must not use up what people do
    private     True for what is the caller's own: nothing may keep the answer.
    shared      False where no cache but the caller's may keep an answer, even one to nobody in
                particular.
    max_age     for how many seconds caches may keep an answer to nobody in particular.
    query       names of query parameters besides those that lists and fields bring along.
    body_most   how many bytes a request's body may have, where not as many as any message.
    guests      whether those are known here who play without an account (`accounts.guests`)
    replica     whether what reads here may be read from a replica (`core.replica.reading`): it is
                public, and nobody acts by it at once.
    """

    permission_classes: Any = (IsAuthenticatedOrReadOnly, HasScope)
    scopes: ClassVar[Mapping[str, Scope]] = {}
    counted_as: ClassVar[Mapping[str, str]] = {}
    private: ClassVar[bool] = False
    shared: ClassVar[bool] = True
    max_age: ClassVar[int] = 0
    query: ClassVar[tuple[str, ...]] = ()
    body_most: ClassVar[int | None] = None
    replica: ClassVar[bool] = False
    guests: ClassVar[bool] = False
    _standing: limits.LimitStatus | None = None
    _version: tuple[str, datetime | None] | None = None

    # -- what happens around a handler ---------------------------------------------------------

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> ApiRequest:
        """The request as handlers have it."""
        return ApiRequest(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self.get_parser_context(request),
        )

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Everything that is asked before the handler. The limit comes first: what is refused
        later counts too."""
        self.format_kwarg = None
        method = request.method or "GET"
        # A view has other attributes than handlers: whatever is called like one is no method.
        handled = method.lower() in self.http_method_names and hasattr(self, method.lower())
        limit = scope_of(self, method).value if handled else Scope.READ.value
        self._count(request, self.counted_as.get(method, limit))
        neg = self.perform_content_negotiation(request)
        request.accepted_renderer, request.accepted_media_type = neg
        if not handled:
            raise MethodNotAllowed(method)
        if method != "OPTIONS":
            self.check_permissions(request)
            self._check_query(request)
        if method not in SAFE_METHODS:
            # Read before anything is looked up: what is no JSON is that at every address.
            _ = request.data
        elif method != "OPTIONS" and self.may_read_replica(request):
            self._read_from_replica(method.lower())

    def may_read_replica(self, request: Request) -> bool:
        """Whether this request may be answered from a replica."""
        return self.replica and is_there()

    def _read_from_replica(self, name: str) -> None:
        """Have the handler of this request be asked there, who asks it being known by now."""
        handler = getattr(self, name)

        def asked(request: Request, *args: Any, **kwargs: Any) -> Any:
            make = partial(handler, request, *args, **kwargs)
            return read(request, make, passing=conditional.NotModified)

        setattr(self, name, asked)

    def _count(self, request: Request, limit: str) -> None:
        try:
            self.perform_authentication(request)
        except APIException:
            self._take(request, "anonymous", known=False)
            raise
        self._take(request, limit)

    def _take(self, request: Request, limit: str, *, known: bool = True) -> None:
        self._standing = limits.take(request, limit, known=known)
        if self._standing.remaining < 0:
            self._standing = self._standing._replace(remaining=0)
            raise limits.TooMany(self._standing)

    def _check_query(self, request: Request) -> None:
        known = set(self.query_names(request.method or "GET"))
        unknown = sorted(set(request.query_params) - known)
        if unknown:
            raise ParameterFault(
                unknown[0][:60],
                f"There is no query parameter {unknown[0][:60]!r} here.",
                code="query.unknown",
            )
        for name, values in request.query_params.lists():
            if len(values) > 1:
                raise ParameterFault(name, f"Only one {name!r}, please.", code="query.repeated")

    def query_names(self, method: str) -> Iterable[str]:
        """The query parameters that a method takes."""
        return self.query if method in SAFE_METHODS else ()

    def handle_exception(self, exc: Exception) -> Response:
        """Answer an error, and what was raised to say that nothing is new."""
        if isinstance(exc, conditional.NotModified):
            return exc.response  # type: ignore[return-value]  # what is sent as it is
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Give every answer the headers that all have."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if self._standing is not None:
            self._standing.set_headers(response)
        patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
        self._allow_origins(request, response)
        self._set_cache_control(request, response)
        if request.method in ("GET", "HEAD") and response.status_code == 200:
            return self._make_conditional(request, response)
        return response

    def _allow_origins(self, request: Request, response: HttpResponseBase) -> None:
        # Other sites' pages may read what anybody may, and what a token that they have been given
        # allows. What a signed-in person's cookies allow is not theirs, so those get no leave.
        if request.method == "OPTIONS" or not _has_session(request):
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = cors.EXPOSED

    def _set_cache_control(self, request: Request, response: HttpResponseBase) -> None:
        if response.has_header("Cache-Control"):
            return
        if self.private or request.method not in ("GET", "HEAD") or response.status_code >= 400:
            policy = "private, no-store"
        elif not self.shared or _is_known(request):
            policy = "private, no-cache"
        else:
            policy = f"public, max-age={self.max_age}, must-revalidate"
        response["Cache-Control"] = policy

    def _make_conditional(self, request: Request, response: HttpResponseBase) -> HttpResponseBase:
        if self._version is not None:
            conditional.set_version(response, *self._version)
        if not isinstance(response, HttpResponse):  # a stream has no version but one that is said
            return _head_of(response) if request.method == "HEAD" else response
        if isinstance(response, SimpleTemplateResponse):
            response.add_post_render_callback(
                lambda rendered: conditional.conditional(request, rendered)
            )
            return response
        return conditional.conditional(request, response)

    # -- who may, then the body ----------------------------------------------------------------

    def authorise(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """What a request that writes is about, found by the parts of its address, where its caller
        may do that. Raises Refusal (403, 404) where not. Every view to which a body can be sent
        says so here."""
        raise LookupError(f"{type(self).__name__} does not say who may write")

    @cached_property
    def about(self) -> Any:
        """What `authorise` gives; it is asked once. No body is judged before
        (`core.api.bodies.body_of`)."""
        return self.authorise(self.request, **self.kwargs)

    # -- for handlers --------------------------------------------------------------------------

    def fresh(self, *version: Any, changed_at: datetime | None = None) -> None:
        """Say what decides the answer (ids, versions), before the work of making it: a caller who
        has that already is answered 304 here, and the handler goes no further. Without this, the
        answer's body decides.
        """
        user = self.request.user.pk
        etag = weak_tag(user, self.request.get_full_path(), *version)
        if is_snapshot() and changed_at is not None:
            # A replica may lack another change in the same second (`conditional.set_version`).
            lacks = now_utc() - lag() - timedelta(seconds=1)
            changed_at = changed_at if changed_at < lacks else None
        self._version = (etag, changed_at)
        if self.request.method in ("GET", "HEAD"):
            conditional.check_fresh(self.request, etag, changed_at)

    def query_value(self, name: str, field: Field[Any, Any, Any, Any], default: Any = "") -> Any:
        """What a query parameter says, as ``field`` reads it. Raises ValidationError (400 with
        `fields`)."""
        try:
            return field.run_validation(self.request.query_params.get(name, default))
        except ValidationError as error:
            raise ValidationError({name: error.detail}) from error

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """What may be done here, and for browsers: that other sites may do it."""
        return Response(status=204, headers=cors.before(self.allowed_methods))


class SignedInView(ApiView):
    """An endpoint about the caller: it needs an account for reading too."""

    permission_classes = (IsAuthenticated, HasScope)
    private = True


class FieldsView(ApiView, GenericAPIView[Any]):
    """An endpoint that shows objects, cut down to `?fields=a,b` where a caller asks for that.

    serializer_class    how one of the objects looks. Answers are made by `get_serializer`, or put
                        together from dicts that go through `only`.
    within              the member of the answer that has the objects, where it is neither one
                        itself nor a list of them
    """

    request: Request
    within: ClassVar[str] = ""
    pagination_class: Any = None
    filter_backends: Any = ()

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        """The serializer, cut down to the fields asked for. Raises ApiProblem
        ``fields.unknown``."""
        serializer: Any = super().get_serializer(*args, **kwargs)
        if self.request:  # the schema is made without one
            has: dict[str, Any] = getattr(serializer, "child", serializer).fields
            for name in set(has) - set(fields_of(self.request, has)):
                has.pop(name)
        return serializer

    def only(self, *shown: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The objects ``shown``, each with the fields asked for alone. Raises ApiProblem
        ``fields.unknown``."""
        serializer: Any = self.get_serializer_class()()
        wanted = fields_of(self.request, serializer.fields)
        optional = {name for name, field in serializer.fields.items() if not field.required}
        return [
            {name: each[name] for name in wanted if name in each or name not in optional}
            for each in shown
        ]

    def query_names(self, method: str) -> Iterable[str]:
        """Those of the view, and fields."""
        return (*self.query, "fields") if method in SAFE_METHODS else ()


class ListView(FieldsView, ListAPIView[Any]):
    """A list in pages: `{"next", "previous", "results"}`.

    queryset or get_queryset    what the caller may see, nothing more
    serializer_class            how one row looks; `?fields=` picks among its fields
    filterset_class             a subclass of `lists.Filters`, where rows can be filtered
    orderings                   by name, the fields to order by; the last of them unique. The first
                                ordering is the default.
    moving                      moments among the fields to order by that rows get, or get anew,
                                while they are there
    """

    replica = True
    moving: ClassVar[frozenset[str]] = frozenset()
    orderings: ClassVar[Mapping[str, Ordering]] = {"-id": ("-id",), "id": ("id",)}
    pagination_class = CursorPages
    filter_backends = (FilterBackend, OrderBackend)

    def may_read_replica(self, request: Request) -> bool:
        """Not a page behind one with rows that a replica may have otherwise yet: they would be
        there twice."""
        return super().may_read_replica(request) and not began_after(request, now_utc() - lag())

    def query_names(self, method: str) -> Iterable[str]:
        """Those of filters, order, pages and fields."""
        if method not in SAFE_METHODS:
            return ()
        filterset = getattr(self, "filterset_class", None)
        filters = () if filterset is None else filterset.base_filters
        return (*self.query, *filters, "limit", "cursor", "ordering", "fields")


class DetailView(FieldsView):
    """One thing, found by the address.

    none    the code and the sentence for when it is not there, or not for the caller to see
    """

    none: ClassVar[tuple[str, str]] = ("request.not-found", "There is nothing at this address.")

    # Without words of its own, so that the schema takes those of the view.
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(self.get_serializer(self.get_object()).data)

    def get_object(self) -> Any:
        """The thing. Raises NotFound, with the code of `none`."""
        try:
            return super().get_object()
        except Http404 as error:
            code, sentence = self.none
            raise NotFound(code, sentence) from error


def _head_of(stream: HttpResponseBase) -> HttpResponse:
    """What is said of a stream to whoever only asks about it: begun and never read, it would stay
    open."""
    return HttpResponse(status=stream.status_code, headers=stream.headers)


def _has_session(request: Request) -> bool:
    return _is_known(request) and request.auth is None


def _is_known(request: Request) -> bool:
    return bool(request.user and request.user.is_authenticated)
