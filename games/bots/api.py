"""What bots ask for: streams of their events and matches, and legal moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from accounts.connections.validity import stands_of_request
from accounts.models import User
from core.api.renderers import NDJSON, NdjsonRenderer
from core.api.scopes import Credential, Scope, allows, require_scope
from core.api.views import FieldsView, SignedInView
from core.refusals import Forbidden
from core.streaming import give_back_database
from games import store
from games.asking import COMMITMENT
from games.audience import AUDIENCES, seat_of
from games.bots import hints, streams
from games.reading.matches import match_for


class StreamView(SignedInView):
    """An answer that stays open: a line of JSON a frame, an empty line every few seconds."""

    renderer_classes = (NdjsonRenderer, JSONRenderer)

    def stream(self, made: streams.Stream) -> StreamingHttpResponse:
        """The open answer."""
        response = StreamingHttpResponse(made, content_type=NDJSON)
        # A proxy that gathers lines before it passes them on would make a bot lose on time.
        response["X-Accel-Buffering"] = "no"
        give_back_database()
        return response


def _credentials_of(request: Request, caller: User) -> dict[str, Any]:
    """What the stream was opened with: when the token expires that was shown (None for sessions),
    and how to ask whether it, or the session, still stands."""
    token = request.auth if isinstance(request.auth, Credential) else None
    return {
        "until": None if token is None else token.expires_at,
        "stands": stands_of_request(request._request, caller.pk),  # noqa: SLF001  (Django's own)
    }


_LINES = OpenApiResponse(OpenApiTypes.STR, description="One JSON object a line; see docs/bots.md.")


class EventStreamView(StreamView):
    """Everything that concerns the caller."""

    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.BOT}

    @extend_schema(
        operation_id="events_stream",
        tags=["bots"],
        summary="Your events, as they come",
        responses={(200, NDJSON): _LINES},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """A stream of the caller's events: `match.started`, `match.ended`, `challenge.received`,
        `challenge.closed`. It begins with what there is, then says `caught-up`."""
        caller = signed_in(request)
        streams.room_for(caller)
        return self.stream(streams.EventStream(caller, **_credentials_of(request, caller)))


class MatchStreamView(StreamView):
    """A match as it happens."""

    query = ("commitment",)

    @extend_schema(
        operation_id="match_stream",
        tags=["bots"],
        summary="A match, as it happens",
        parameters=[COMMITMENT],
        responses={(200, NDJSON): _LINES},
    )
    def get(self, request: Request, match_id: int) -> StreamingHttpResponse:
        """A stream of one match as the caller may see it: a `sync`, then the frames of the sockets
        (`step`, `reminder`, `presence`), another `sync` whenever frames were missed. It ends when
        the match is over."""
        caller = signed_in(request)
        streams.room_for(caller)
        commitment = request.query_params.get("commitment", "")
        if commitment:
            require_scope(request.auth, Scope.PLAY)
        stream = streams.MatchStream(
            caller,
            match_id,
            commitment=commitment,
            plays=allows(request.auth, Scope.PLAY),
            **_credentials_of(request, caller),
        )
        return self.stream(stream)


class HintsSerializer(serializers.Serializer[dict[str, Any]]):
    """Legal answers to the caller's open decision."""

    decision = serializers.CharField(help_text="The id of the decision.")
    version = serializers.IntegerField(help_text="To submit with: the caller's version.")
    moves = serializers.ListField(
        child=serializers.CharField(), help_text="Different from each other, in notation."
    )


class HintsView(SignedInView, FieldsView):
    """Legal moves at random, for bots that do not know the rules."""

    serializer_class = HintsSerializer
    scopes: ClassVar[Mapping[str, Scope]] = {"GET": Scope.BOT}
    query = ("count",)

    @extend_schema(
        operation_id="match_hints",
        tags=["bots"],
        summary="Legal moves at random",
        parameters=[
            OpenApiParameter(
                "count",
                {"type": "integer", "minimum": 1, "maximum": hints.AT_MOST, "default": 5},
                description="How many to draw at most. There may be fewer different ones.",
            )
        ],
        responses={200: HintsSerializer},
    )
    def get(self, request: Request, match_id: int) -> Response:
        """Some legal answers to the decision that is open to the caller, drawn at random from what
        the caller's seat can see. For bots' accounts only. Every legal move has some chance."""
        caller = signed_in(request)
        if not caller.is_bot:
            raise Forbidden("bot.only", "Only bots are given moves.")
        number = serializers.IntegerField(min_value=1, max_value=hints.AT_MOST)
        count = self.query_value("count", number, default=5)
        match = match_for(match_id, caller)
        seat = seat_of(match, caller)
        if seat is None:
            raise Forbidden("seat.none", "Only the two players are asked for moves.")
        held = store.held_of(match)
        decision, moves = hints.hints(held.ruleset, held.live, seat, count=count)
        version = held.readers.versions[AUDIENCES.index(1 if seat else 0)]
        (shown,) = self.only({"decision": decision, "version": version, "moves": list(moves)})
        return Response(shown)
