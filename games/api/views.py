"""Matches over HTTP: the same view and the same submissions as over a socket."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import UserRateThrottle
from rest_framework.views import APIView

from games.api.callers import signed_in
from games.api.problems import refused
from games.audience import seat_of
from games.clock import now_ms
from games.engine import records
from games.engine.errors import Refusal
from games.frames import ack_frame
from games.reading import match_for, reader_of
from games.services.matches import record_bytes
from games.services.turns import match_submit


class SubmissionThrottle(UserRateThrottle):
    """How many submissions one user may send over HTTP."""

    scope = "submissions"
    rate = "120/min"


class SubmissionSerializer(serializers.Serializer[dict[str, Any]]):
    """A move, as the socket's `submit` frame has it."""

    id = serializers.CharField(max_length=64, help_text="Chosen by the client, new for each move.")
    text = serializers.CharField(max_length=2000, trim_whitespace=False)
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1)


class AckSerializer(serializers.Serializer[dict[str, Any]]):
    """The submission is on disk."""

    type = serializers.CharField()
    id = serializers.CharField()
    match = serializers.IntegerField()
    version = serializers.IntegerField()
    at = serializers.IntegerField()


class ProblemSerializer(serializers.Serializer[dict[str, Any]]):
    """Why a request was refused."""

    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    sentence = serializers.CharField()
    squares = serializers.ListField(child=serializers.CharField(), required=False)


class RecordRenderer(JSONRenderer):
    """Lets callers ask for a record by its own media type."""

    media_type = records.MEDIA_TYPE
    format = "dmr"


class MatchView(APIView):
    """One match as the caller may see it."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="match",
        responses={200: OpenApiTypes.OBJECT, 304: None, 404: ProblemSerializer},
    )
    def get(self, request: Request, match_id: int) -> HttpResponse:
        """What the socket's `sync` frame holds. Its version is the `ETag`."""
        reader = reader_of(match_id, request.user)
        # Weak: while the version is the same, clocks tick on. The organiser's view and the room's
        # differ in what the page may offer.
        tag = f'"{reader.audience}-{int(reader.organise)}-{reader.sync["version"]}"'
        known = parse_etags(request.headers.get("If-None-Match", ""))
        if "*" in known or tag in [each.removeprefix("W/") for each in known]:
            response = HttpResponse(status=304)
        else:
            response = Response(reader.sync)
        response["ETag"] = f"W/{tag}"
        response["Cache-Control"] = "private, no-cache"
        patch_vary_headers(response, ["Cookie"])
        return response


class SubmissionsView(APIView):
    """Submissions to one match."""

    permission_classes = (IsAuthenticated,)
    throttle_classes = (SubmissionThrottle,)

    @extend_schema(
        operation_id="submit",
        request=SubmissionSerializer,
        responses={
            201: AckSerializer,
            200: OpenApiResponse(AckSerializer, description="Sent before: the same ack again."),
            400: ProblemSerializer,
            403: ProblemSerializer,
            404: ProblemSerializer,
            409: ProblemSerializer,
            429: ProblemSerializer,
        },
    )
    def post(self, request: Request, match_id: int) -> Response:
        """Submit a move or `concede`. 201 once it is on disk."""
        at = now_ms()
        caller = signed_in(request)
        body = SubmissionSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        seat = seat_of(match_for(match_id, caller), caller)
        if seat is None:
            return refused(Refusal("seat.none", "Only the two players can submit."))
        answer = match_submit(
            match_id=match_id,
            seat=seat,
            acting_user=caller,
            client_id=body.validated_data["id"],
            text=body.validated_data["text"],
            version=body.validated_data["version"],
            at=at,
        )
        if isinstance(answer, Refusal):
            return refused(answer)
        return Response(ack_frame(answer), status=200 if answer.resent else 201)


class RecordView(APIView):
    """The record of a finished match."""

    renderer_classes = (JSONRenderer, RecordRenderer)
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="record",
        responses={
            (200, records.MEDIA_TYPE): OpenApiTypes.OBJECT,
            404: ProblemSerializer,
            409: ProblemSerializer,
        },
    )
    def get(self, request: Request, match_id: int) -> HttpResponse:
        """The match record, complete enough to replay without this site."""
        return record_response(record_bytes(match_for(match_id, request.user)), match_id)


def record_response(data: bytes, match_id: int) -> HttpResponse:
    """A record as a download."""
    response = HttpResponse(data, content_type=records.MEDIA_TYPE)
    name = f"match-{match_id}{records.SUFFIX}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
