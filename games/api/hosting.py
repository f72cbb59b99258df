"""Hosted matches over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import MappingProxyType

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import accounts_named, signed_in
from core.api.bodies import body_of, nothing_in
from core.api.idempotency import idempotent
from core.api.lists import Filters
from core.api.scopes import Scope
from core.api.views import ApiView, DetailView, ListView
from games.api.serializers import HostedMatchSerializer, NewHostedMatchSerializer
from games.engine.ruleset import HeldItem
from games.models import HostedMatch
from games.reading import selectors
from games.rulesets import REGISTRY
from games.services.hosting import (
    hosted_accept,
    hosted_cancel,
    hosted_create,
    hosted_decline,
    must_be_allowed_to_host,
    must_be_host,
    must_be_invited,
)


class HostedFilters(Filters):
    """What hosted matches can be filtered by."""

    ruleset = filters.ChoiceFilter(
        choices=[(each.id, each.name) for each in REGISTRY], help_text="The game."
    )
    status = filters.ChoiceFilter(
        choices=HostedMatch.Status.choices, help_text="What has become of it."
    )
    host = filters.CharFilter(
        field_name="host__username", max_length=20, help_text="A username: who hosts it."
    )


@extend_schema_view(
    get=extend_schema(operation_id="hosted_matches", tags=["hosted"], summary="Hosted matches")
)
class HostedMatchesView(ListView):
    """The matches that the caller hosts or is invited to."""

    serializer_class = HostedMatchSerializer
    filterset_class = HostedFilters
    scopes = MappingProxyType({"POST": Scope.ORGANISE})
    queryset = HostedMatch.objects.none()

    def get_queryset(self) -> QuerySet[HostedMatch]:
        """Those that the caller may see."""
        return selectors.hosted_listed(self.request.user)

    def authorise(self, request: Request) -> None:
        """Organisers may host."""
        must_be_allowed_to_host(signed_in(request))

    @extend_schema(
        operation_id="hosted_match_create",
        tags=["hosted"],
        summary="Host a match",
        request=NewHostedMatchSerializer,
        responses={201: HostedMatchSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Invite two others to play each other. Once both have accepted the match begins, or at the
        time that is named. The caller does not play, and alone referees it."""
        offer = body_of(self, NewHostedMatchSerializer, users=accounts_named)
        seconds = offer.get("lasts_s")
        hosted = hosted_create(
            acting_user=signed_in(request),
            first=offer["first"],
            second=offer["second"],
            ruleset_id=offer["ruleset"],
            variant=offer["variant"],
            options=offer.get("options"),
            items=[HeldItem(each["seat"], each["item"]) for each in offer.get("items", ())],
            advantage=offer.get("advantage"),
            rated=offer["rated"],
            late_s=offer["late_s"],
            message=offer.get("message", ""),
            starts_at=offer.get("starts_at"),
            lasts=None if seconds is None else timedelta(seconds=seconds),
        )
        data = self.get_serializer(hosted).data
        return Response(data, status=201, headers={"Location": data["links"]["view"]})


@extend_schema_view(
    get=extend_schema(operation_id="hosted_match", tags=["hosted"], summary="A hosted match")
)
class HostedMatchView(DetailView):
    """One hosted match."""

    serializer_class = HostedMatchSerializer
    none = ("hosted.none", "There is no such hosted match.")
    lookup_url_kwarg = "hosted_id"
    queryset = HostedMatch.objects.none()

    def get_queryset(self) -> QuerySet[HostedMatch]:
        """Those that the caller may see."""
        return selectors.hosted_listed(self.request.user)


class _AnswerView(ApiView):
    """What is done with a hosted match."""

    scopes = MappingProxyType({"POST": Scope.PLAY})

    def hosted(self, request: Request, hosted_id: int) -> HostedMatch:
        """The hosted match, for those who may see it. Raises Refusal ``hosted.none``."""
        return selectors.hosted_visible(hosted_id, request.user)

    def answered(self, request: Request, service: Callable[..., HostedMatch]) -> Response:
        """What the service makes of it, as answers have it."""
        nothing_in(self)
        hosted = service(acting_user=signed_in(request), hosted=self.about)
        return Response(HostedMatchSerializer(hosted, context={"request": request}).data)


class HostedAcceptView(_AnswerView):
    """Accepting an invitation."""

    def authorise(self, request: Request, hosted_id: int) -> HostedMatch:
        """The hosted match, for the two who are invited."""
        hosted = self.hosted(request, hosted_id)
        must_be_invited(hosted, signed_in(request))
        return hosted

    @extend_schema(
        operation_id="hosted_match_accept",
        tags=["hosted"],
        summary="Accept an invitation",
        request=None,
        responses={200: HostedMatchSerializer},
    )
    @idempotent
    def post(self, request: Request, hosted_id: int) -> Response:
        """Accept. With the second of the two `match` is there, or stands until `starts_at`."""
        return self.answered(request, hosted_accept)


class HostedDeclineView(_AnswerView):
    """Declining an invitation."""

    def authorise(self, request: Request, hosted_id: int) -> HostedMatch:
        """The hosted match, for the two who are invited."""
        hosted = self.hosted(request, hosted_id)
        must_be_invited(hosted, signed_in(request))
        return hosted

    @extend_schema(
        operation_id="hosted_match_decline",
        tags=["hosted"],
        summary="Decline an invitation",
        request=None,
        responses={200: HostedMatchSerializer},
    )
    @idempotent
    def post(self, request: Request, hosted_id: int) -> Response:
        """Decline, or step back from what has not begun."""
        return self.answered(request, hosted_decline)


class HostedCancelView(_AnswerView):
    """Cancelling a hosted match."""

    scopes = MappingProxyType({"POST": Scope.ORGANISE})

    def authorise(self, request: Request, hosted_id: int) -> HostedMatch:
        """The hosted match, for its host."""
        hosted = self.hosted(request, hosted_id)
        must_be_host(hosted, signed_in(request))
        return hosted

    @extend_schema(
        operation_id="hosted_match_cancel",
        tags=["hosted"],
        summary="Cancel a hosted match",
        request=None,
        responses={200: HostedMatchSerializer},
    )
    @idempotent
    def post(self, request: Request, hosted_id: int) -> Response:
        """Cancel what the caller hosts, before it begins."""
        return self.answered(request, hosted_cancel)
