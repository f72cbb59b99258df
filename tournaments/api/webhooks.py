"""Webhooks, managed by programs; for a season's organisers only. See `docs/webhooks.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of, nothing_in
from core.api.lists import Filters, Ordering
from core.api.scopes import HasScope, Scope
from core.api.views import DetailView, ListView, SignedInView
from core.refusals import Forbidden, NotFound, Refusal, Together
from tournaments.audience import may_manage
from tournaments.models import Season
from tournaments.reading.seasons import season_for
from tournaments.webhooks import services
from tournaments.webhooks.kinds import CHOICES
from tournaments.webhooks.models import Delivery, Webhook

TAG = ["webhooks"]
_BOTH: Mapping[str, Scope] = MappingProxyType(
    {
        "GET": Scope.ORGANISE,
        "POST": Scope.ORGANISE,
        "PATCH": Scope.ORGANISE,
        "DELETE": Scope.ORGANISE,
    }
)


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """Where a season tells of itself. Of the address only the host is shown: a Discord address is a
    password in itself."""

    host = serializers.SerializerMethodField()

    class Meta:
        model = Webhook
        fields = (
            "id", "name", "host", "flavour", "kinds", "active", "created_at", "failures",
            "failing_since", "disabled_at", "disabled_why",
        )  # fmt: skip

    def get_host(self, webhook: Webhook) -> str:
        return services.host_of(webhook)


class WithSecretSerializer(WebhookSerializer):
    """A webhook with its new secret, which is shown this once."""

    secret = serializers.CharField(read_only=True, help_text="Empty for Discord.")

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")  # type: ignore[assignment]


_AT_FAULT: Mapping[str, str] = MappingProxyType(
    {"webhook.name": "name", "webhook.url*": "url", "webhook.kinds": "kinds"}
)


def _refusals_of(sound: Mapping[str, Any], flavour: str) -> list[Refusal]:
    """What is wrong with a name, and with an address before its host is looked up."""
    faults = Together()
    if "name" in sound:
        with faults.of():
            services.name_of(sound["name"])
    if "url" in sound:
        with faults.of():
            services.must_be_address(sound["url"], flavour)
    return faults.refused


class NewWebhookSerializer(serializers.Serializer[dict[str, Any]]):
    """A webhook to be made."""

    at_fault = _AT_FAULT

    name = serializers.CharField(max_length=60)
    url = serializers.CharField(max_length=500)
    flavour = serializers.ChoiceField(choices=Webhook.Flavour.choices)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(CHOICES)), min_length=1, max_length=100
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """What is seen without asking anybody."""
        yield from _refusals_of(sound, sound.get("flavour", ""))


class WebhookChangesSerializer(serializers.Serializer[dict[str, Any]]):
    """What is to be changed."""

    at_fault = _AT_FAULT

    name = serializers.CharField(max_length=60, required=False)
    url = serializers.CharField(max_length=500, required=False)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(CHOICES)),
        min_length=1,
        max_length=100,
        required=False,
    )
    active = serializers.BooleanField(required=False)

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """As for a new one."""
        yield from _refusals_of(sound, self.context["about"].flavour)


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """One thing that a webhook was told, or is to be told."""

    event = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]
        read_only=True, allow_null=True
    )
    match = serializers.PrimaryKeyRelatedField(  # type: ignore[var-annotated]
        read_only=True, allow_null=True
    )

    class Meta:
        model = Delivery
        fields = (
            "id", "uid", "kind", "event", "match", "status", "attempts", "created_at", "next_at",
            "sent_at", "status_code", "latency_ms", "fault",
        )  # fmt: skip


class DeliveryFilters(Filters):
    """What deliveries can be filtered by."""

    status = filters.ChoiceFilter(choices=Delivery.Status.choices)
    kind = filters.CharFilter()


def _season(slug: str, user: Any) -> Season:
    season = season_for(slug, user)
    if not may_manage(season, user):
        raise Forbidden("webhook.not-allowed", "Only the season's organisers may do this.")
    return season


def _webhook(slug: str, webhook_id: int, user: Any) -> Webhook:
    season = _season(slug, user)
    webhook = season.webhooks.select_related("season").filter(pk=webhook_id).first()
    if webhook is None:
        raise NotFound("webhook.none", "There is no such webhook.")
    return webhook


def _with_secret(made: services.WithSecret) -> dict[str, Any]:
    return {**WebhookSerializer(made.webhook).data, "secret": made.secret}


class OrganisersList(ListView):
    """A list that only a season's organisers may read."""

    permission_classes = (IsAuthenticated, HasScope)
    private = True
    replica = False
    scopes = _BOTH


@extend_schema_view(
    get=extend_schema(operation_id="webhooks", tags=TAG, summary="Webhooks of a season")
)
class WebhooksView(OrganisersList):
    """The webhooks of a season."""

    serializer_class = WebhookSerializer
    orderings: ClassVar[Mapping[str, Ordering]] = MappingProxyType({"id": ("id",), "-id": ("-id",)})
    queryset = Webhook.objects.none()

    def get_queryset(self) -> QuerySet[Webhook]:
        return Webhook.objects.filter(season=_season(self.kwargs["slug"], self.request.user))

    def authorise(self, request: Request, slug: str) -> Season:
        """The season, for its organisers."""
        return _season(slug, request.user)

    # Not repeatable by a key: the answer holds a secret, and would have to be kept for that. A name
    # is taken once, so nothing is made twice.
    @extend_schema(
        operation_id="webhook_create",
        tags=TAG,
        summary="Create a webhook",
        request=NewWebhookSerializer,
        responses={201: WithSecretSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a season's events told to an address. The secret to check signatures with is in this
        answer only."""
        season: Season = self.about
        given = body_of(self, NewWebhookSerializer)
        made = services.webhook_create(acting_user=signed_in(request), season=season, **given)
        return Response(_with_secret(made), status=201)


class _OfWebhook(SignedInView):
    """What is done with a webhook."""

    scopes = _BOTH

    def authorise(self, request: Request, slug: str, webhook_id: int) -> Webhook:
        """The webhook, for the season's organisers."""
        return _webhook(slug, webhook_id, request.user)


@extend_schema_view(get=extend_schema(operation_id="webhook", tags=TAG, summary="A webhook"))
class WebhookView(_OfWebhook, DetailView):
    """One webhook, without its secret."""

    serializer_class = WebhookSerializer

    def get_object(self) -> Webhook:
        """The webhook. Raises Refusal ``webhook.none`` and those of its season."""
        return _webhook(self.kwargs["slug"], self.kwargs["webhook_id"], self.request.user)

    @extend_schema(
        operation_id="webhook_update",
        tags=TAG,
        summary="Change a webhook",
        request=WebhookChangesSerializer,
        responses={200: WebhookSerializer},
    )
    def patch(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Change what is named. Switching it off gives up what it had not been told yet."""
        webhook: Webhook = self.about
        given = body_of(self, WebhookChangesSerializer)
        changed = services.webhook_update(acting_user=signed_in(request), webhook=webhook, **given)
        return Response(WebhookSerializer(changed).data)

    @extend_schema(
        operation_id="webhook_delete",
        tags=TAG,
        summary="Delete a webhook",
        responses={204: OpenApiResponse(description="It is gone, and its log with it.")},
    )
    def delete(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Forget it, and what it was told."""
        services.webhook_delete(acting_user=signed_in(request), webhook=self.about)
        return Response(status=204)


class WebhookSecretView(_OfWebhook):
    """A webhook's secret."""

    @extend_schema(
        operation_id="webhook_rotate",
        tags=TAG,
        summary="Replace a webhook's secret",
        request=None,
        responses={201: WithSecretSerializer},
    )
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Give it a new secret. The old one signs as well for a day."""
        nothing_in(self)
        made = services.webhook_rotate(acting_user=signed_in(request), webhook=self.about)
        return Response(_with_secret(made), status=201)


class WebhookTestView(_OfWebhook):
    """A try."""

    @extend_schema(
        operation_id="webhook_test",
        tags=TAG,
        summary="Send a test",
        request=None,
        responses={202: DeliverySerializer},
    )
    def post(self, request: Request, slug: str, webhook_id: int) -> Response:
        """Send a test to it, even while it is switched off."""
        nothing_in(self)
        sent = services.webhook_test(acting_user=signed_in(request), webhook=self.about)
        return Response(DeliverySerializer(sent).data, status=202)


@extend_schema_view(
    get=extend_schema(operation_id="webhook_deliveries", tags=TAG, summary="What it was told")
)
class DeliveriesView(OrganisersList):
    """What a webhook was told, the latest first."""

    serializer_class = DeliverySerializer
    filterset_class = DeliveryFilters
    queryset = Delivery.objects.none()

    def get_queryset(self) -> QuerySet[Delivery]:
        webhook = _webhook(self.kwargs["slug"], self.kwargs["webhook_id"], self.request.user)
        return Delivery.objects.filter(webhook=webhook)


class RedeliverView(SignedInView):
    """Once more."""

    scopes = _BOTH

    def authorise(self, request: Request, slug: str, webhook_id: int, delivery_id: int) -> Delivery:
        """The delivery, for the season's organisers."""
        rows = Delivery.objects.select_related("webhook__season")
        webhook = _webhook(slug, webhook_id, request.user)
        delivery = rows.filter(webhook=webhook, pk=delivery_id).first()
        if delivery is None:
            raise NotFound("webhook.none", "There is no such delivery.")
        return delivery

    @extend_schema(
        operation_id="webhook_redeliver",
        tags=TAG,
        summary="Deliver again",
        request=None,
        responses={202: DeliverySerializer},
    )
    def post(self, request: Request, slug: str, webhook_id: int, delivery_id: int) -> Response:
        """Send again what was delivered or given up: the same words under the same id."""
        nothing_in(self)
        again = services.delivery_redeliver(acting_user=signed_in(request), delivery=self.about)
        return Response(DeliverySerializer(again).data, status=202)
