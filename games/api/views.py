"""Matches over HTTP: the same view and the same submissions as over a socket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from accounts.models import User
from core.api.bodies import body_of
from core.api.problems import ProblemSerializer
from core.api.scopes import Scope, require_scope
from core.api.views import ApiView, FieldsView
from core.clock import now_ms
from core.instants import instant_of_request
from core.refusals import Forbidden, Refusal
from games.api.lists import LogItemSerializer
from games.asking import COMMITMENT
from games.audience import READINGS, as_seat, seat_of
from games.engine import records
from games.engine.decisions import Seat
from games.engine.draws import SIZE
from games.metrics import Laps
from games.models import Match
from games.publishing.frames import ack_frame
from games.reading.matches import match_for, standing_of, still_waits, versions_and_names_of
from games.reading.readers import reader_of
from games.reading.records import record_response
from games.services.arrivals import match_poll, match_ready_now
from games.services.turns import client_id_validate, match_submit


class ClientIdSerializer(serializers.Serializer[dict[str, Any]]):
    """What is sent under an `id` of the client's, so that sent again it counts once."""

    at_fault: ClassVar[Mapping[str, str]] = {"frame.malformed": "id"}

    def validation_faults(self, sound: Mapping[str, Any]) -> Iterator[Any]:
        """The id has letters that frames take."""
        try:
            client_id_validate(sound.get("id", "unknown"))
        except Refusal as refusal:
            yield refusal


class SubmissionSerializer(ClientIdSerializer):
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


class ViewedMatchSerializer(serializers.Serializer[dict[str, Any]]):
    """A match as its reader may see it: the frame that sockets call `sync`."""

    type = serializers.CharField(help_text="`sync`")
    match = serializers.IntegerField()
    version = serializers.IntegerField(help_text="The reader's version: to submit with.")
    at = serializers.IntegerField(help_text="The server's clock, in ms since 1970.")
    you = serializers.IntegerField(allow_null=True, help_text="Your seat; null for a spectator.")
    header = serializers.DictField(help_text="What never changes: seats, options, items.")
    view = serializers.DictField(help_text="Phase, decisions, clocks, the board, the result.")
    log = LogItemSerializer(many=True)
    presence = serializers.DictField(
        required=False, help_text="With `here`: who looks at it now, as the socket tells it."
    )


# Of a nonce, and of what it hashes to, in hexadecimal digits.
_DIGITS = 2 * SIZE
_WHOLE = rf"^[0-9a-f]{{{_DIGITS}}}\Z"


class RecordRenderer(JSONRenderer):
    """Lets callers ask for a record by its own media type."""

    media_type = records.MEDIA_TYPE
    format = "dmr"


class MatchView(FieldsView):
    """One match as the caller may see it."""

    guests = True
    serializer_class = ViewedMatchSerializer
    shared = False
    query = ("here", "commitment")

    @extend_schema(
        operation_id="match",
        tags=["matches"],
        summary="A match as you may see it",
        parameters=[
            OpenApiParameter(
                "here",
                bool,
                description="Of a player whose page asks again and again, since it can open no "
                "socket: they are there, as with one.",
            ),
            COMMITMENT,
        ],
        responses={200: ViewedMatchSerializer},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """What the socket's `sync` frame holds: header, view, log. Its version is the `ETag`."""
        audience, organise = standing = standing_of(match_id, request.user)
        there: dict[str, Any] = {}
        if self.query_value("here", serializers.BooleanField(), default=False):
            there = self._look(match_id, as_seat(audience))
        # Asked before the match is read, which most who ask again and again need not be told. While
        # the version is the same, clocks tick on; the tag is weak.
        versions, names = versions_and_names_of(match_id)
        version = versions[READINGS.index(audience)]
        self.fresh(audience, organise, version, names, *there.values())
        reader = reader_of(match_id, request.user, standing=standing)
        (shown,) = self.only({**reader.sync, **there})
        return Response(shown)

    def _look(self, match_id: int, seat: Literal[0, 1] | None) -> dict[str, Any]:
        user = self.request.user
        if seat is None or not isinstance(user, User):
            return {}
        require_scope(self.request.auth, Scope.PLAY)
        waits = still_waits(match_id)
        there = match_poll(
            match_id=match_id,
            acting_user=user,
            seat=seat,
            waits=waits,
            commitment=self.request.query_params.get("commitment", ""),
        )
        return {"presence": there}


def _seat(match_id: int, caller: User, sentence: str) -> Seat:
    """The caller's seat. Raises Refusal ``match.none``, and ``seat.none`` with the sentence."""
    seat = seat_of(match_for(match_id, caller), caller)
    if seat is None:
        raise Forbidden("seat.none", sentence)
    return seat


class SubmissionsView(ApiView):
    """Submissions to one match."""

    guests = True
    scopes = MappingProxyType({"POST": Scope.PLAY})

    def authorise(self, request: Request, match_id: int) -> Seat:
        """The seat, for the two players."""
        return _seat(match_id, signed_in(request), "Only the two players can submit.")

    @extend_schema(
        operation_id="submit",
        tags=["matches"],
        summary="Submit a move",
        request=SubmissionSerializer,
        responses={
            201: AckSerializer,
            200: OpenApiResponse(AckSerializer, description="Sent before: the same ack again."),
        },
    )
    def post(self, request: Request, match_id: int) -> Response:
        """Submit a move or `concede`. 201 once it is on disk."""
        at = instant_of_request(request)
        laps = Laps(at, "api")
        seat: Seat = self.about
        given = body_of(self, SubmissionSerializer)
        answer = match_submit(
            match_id=match_id,
            seat=seat,
            acting_user=signed_in(request),
            client_id=given["id"],
            text=given["text"],
            version=given["version"],
            at=at,
            clock=now_ms,
            laps=laps,
        )
        laps.finish()
        return Response(ack_frame(answer), status=200 if answer.resent else 201)


class ComingSerializer(serializers.Serializer[dict[str, Any]]):
    """What a player's program may add to the match's draws as it comes."""

    commitment = serializers.RegexField(
        _WHOLE,
        required=False,
        max_length=_DIGITS,
        help_text="What the nonce that it adds hashes to.",
    )
    nonce = serializers.RegexField(
        _WHOLE,
        required=False,
        max_length=_DIGITS,
        help_text="That nonce, once it may be opened (`waiting.opens_until` of the view).",
    )
    without = serializers.BooleanField(
        required=False,
        help_text="Begin without the nonce that the player has committed to: a constant stands "
        "for it.",
    )


class ReadySerializer(serializers.Serializer[dict[str, Any]]):
    """Whether the match is on."""

    begun = serializers.BooleanField(help_text="Whether its clocks run.")
    waits_until = serializers.IntegerField(
        allow_null=True, help_text="Until when it waits for both players, in ms since 1970."
    )


class ReadyView(ApiView):
    """Being there for a match that waits for both players."""

    scopes = MappingProxyType({"POST": Scope.PLAY})

    def authorise(self, request: Request, match_id: int) -> Seat:
        """The seat, for the two players."""
        return _seat(match_id, signed_in(request), "Only the two players can say that.")

    @extend_schema(
        operation_id="ready",
        tags=["matches"],
        summary="Say that you are there",
        request=ComingSerializer,
        responses={200: ReadySerializer},
    )
    def post(self, request: Request, match_id: int) -> Response:
        """A match at a live pace begins once both players are there: who has its page or its stream
        open is. At an hour a turn or more it is enough to have been there. Who looks only now
        and then says so here, once; it counts until the match begins. Saying it again changes
        nothing. A program may add a nonce to the match's draws: first its commitment, and once the
        other is there, too, or has been, the nonce (docs/protocol.md). Whoever has lost that says
        that the match is to begin without it."""
        seat: Seat = self.about
        given = body_of(self, ComingSerializer)
        begun = match_ready_now(
            match_id=match_id, acting_user=signed_in(request), seat=seat, **given
        )
        match = Match.objects.only("waits_until").get(pk=match_id)
        return Response({"begun": begun, "waits_until": match.waits_until})


class RecordView(ApiView):
    """The record of a finished match."""

    replica = True
    renderer_classes = (JSONRenderer, RecordRenderer)

    @extend_schema(
        operation_id="record",
        tags=["matches"],
        summary="The record of a match that is over",
        responses={
            (200, records.MEDIA_TYPE): OpenApiTypes.OBJECT,
            409: OpenApiResponse(ProblemSerializer, description="The match is not over."),
        },
    )
    def get(self, request: Request, match_id: int) -> HttpResponse:
        """The match record, complete enough to replay without this site."""
        return record_response(match_for(match_id, request.user))
