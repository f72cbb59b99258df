"""What players plan in their matches, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from core.api.bodies import body_of
from core.api.problems import ProblemSerializer
from core.api.scopes import Scope
from core.api.views import FieldsView, SignedInView
from core.refusals import Together
from games.models import Match
from games.services.plans import BYTES_MAX, Kept, content_of, plan_of, plan_save, plannable_match


class PlanSerializer(serializers.Serializer[Kept]):
    """A plan, and how often it has been changed."""

    at_fault: ClassVar[Mapping[str, str]] = {
        "plan.content": "content",
        "plan.too-large": "content",
    }

    revision = serializers.IntegerField(
        min_value=0,
        max_value=2**31 - 2,
        help_text="How often it has been changed; 0 where nothing is kept. Saving names the one "
        "that the new plan was made of.",
    )
    content = serializers.DictField(
        help_text="Candidates with what is drawn and noted, as docs/api.md describes it."
    )

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """All of it is what a plan may hold."""
        faults = Together()
        if "content" in sound:
            with faults.of():
                content_of(sound["content"])
        yield from faults.refused


class PlanView(SignedInView, FieldsView):
    """The caller's own plan in a match of theirs."""

    guests = True
    serializer_class = PlanSerializer
    scopes = MappingProxyType({"PUT": Scope.PLAY})
    counted_as = MappingProxyType({"PUT": "plan"})
    body_most = 2 * BYTES_MAX

    @extend_schema(
        operation_id="plan",
        tags=["matches"],
        summary="Your plan in a match of yours",
        responses={200: PlanSerializer, 403: ProblemSerializer},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """What the caller keeps; nobody else sees it."""
        kept = plan_of(match_id=match_id, user=signed_in(request))
        return Response(self.get_serializer(kept).data)

    def authorise(self, request: Request, match_id: int) -> Match:
        """The match, for those who sit in it."""
        return plannable_match(match_id=match_id, user=signed_in(request))

    @extend_schema(
        operation_id="plan_save",
        request=PlanSerializer,
        tags=["matches"],
        summary="Keep a plan",
        responses={200: PlanSerializer},
    )
    def put(self, request: Request, match_id: int) -> Response:
        """Keep a plan in place of the one that it was made of. Where another one has been kept
        meanwhile it is refused (``plan.changed``). The same one sent again counts once."""
        given = body_of(self, PlanSerializer)
        kept = plan_save(
            acting_user=signed_in(request),
            match_id=match_id,
            revision=given["revision"],
            content=given["content"],
        )
        return Response(PlanSerializer(kept).data)
