"""Challenges over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import accounts_named, signed_in
from core.api.bodies import body_of, nothing_in
from core.api.idempotency import idempotent
from core.api.lists import Filters
from core.api.scopes import Scope
from core.api.views import ApiView, DetailView, FieldsView, ListView
from core.refusals import NotFound
from games.api.serializers import ChallengeSerializer, MatchSerializer, NewChallengeSerializer
from games.models import Challenge, Match
from games.reading import selectors
from games.reading.matches import match_for
from games.rulesets import REGISTRY
from games.services.challenges import (
    challenge_accept,
    challenge_cancel,
    challenge_create,
    challenge_decline,
    must_be_able_to_accept,
    must_be_able_to_rematch,
    must_be_challenger,
    must_be_opponent,
    rematch_offer,
)


class ChallengeFilters(Filters):
    """What challenges can be filtered by."""

    ruleset = filters.ChoiceFilter(
        choices=[(each.id, each.name) for each in REGISTRY], help_text="The game."
    )
    status = filters.ChoiceFilter(
        choices=Challenge.Status.choices, help_text="What has become of it."
    )
    challenger = filters.CharFilter(
        method="by_name", max_length=20, help_text="A username: who offers."
    )
    opponent = filters.CharFilter(
        method="by_name", max_length=20, help_text="A username: to whom it is offered."
    )

    def by_name(self, offers: QuerySet[Challenge], name: str, value: str) -> QuerySet[Challenge]:
        """By username."""
        return offers.filter(**{f"{name}__username": value.lower()})


@extend_schema_view(
    get=extend_schema(operation_id="challenges", tags=["challenges"], summary="Challenges")
)
class ChallengesView(ListView):
    """Challenges to anybody, and those between the caller and another."""

    serializer_class = ChallengeSerializer
    filterset_class = ChallengeFilters
    scopes = MappingProxyType({"POST": Scope.PLAY})
    queryset = Challenge.objects.none()

    def get_queryset(self) -> QuerySet[Challenge]:
        """Those that the caller may see."""
        return selectors.challenges_visible(self.request.user)

    def authorise(self, request: Request) -> None:
        """There is no challenge yet, and everybody who is signed in may make one."""

    @extend_schema(
        operation_id="challenge_create",
        tags=["challenges"],
        summary="Offer a match",
        request=NewChallengeSerializer,
        responses={201: ChallengeSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Offer a match to somebody, to anybody, or to whoever has the link that the answer gives:
        no list has such a one. The challenger will have seat 0.

        An open one at a live pace (less than an hour a turn) ends two minutes after its owner was
        last here. A socket, the event stream and a stream of a match show that somebody is here;
        requests now and then do not.
        """
        offer = body_of(self, NewChallengeSerializer, users=accounts_named)
        seconds = offer.get("lasts_s")
        challenge = challenge_create(
            acting_user=signed_in(request),
            ruleset_id=offer["ruleset"],
            variant=offer["variant"],
            opponent=offer.get("opponent"),
            options=offer.get("options"),
            advantage=offer["advantage"],
            message=offer.get("message", ""),
            rated=offer["rated"],
            late_s=offer["late_s"],
            lasts=None if seconds is None else timedelta(seconds=seconds),
            by_link=offer.get("open_to") == "link",
        )
        data = self.get_serializer(challenge).data
        return Response(data, status=201, headers={"Location": data["links"]["view"]})


@extend_schema_view(
    get=extend_schema(operation_id="challenge", tags=["challenges"], summary="A challenge")
)
class ChallengeView(DetailView):
    """One challenge."""

    serializer_class = ChallengeSerializer
    none = ("challenge.none", "There is no such challenge.")
    queryset = Challenge.objects.none()

    def get_queryset(self) -> QuerySet[Challenge]:
        """Those that the caller may see."""
        return selectors.challenges_visible(self.request.user)


class _AnswerView(ApiView):
    """What is done with a challenge."""

    scopes = MappingProxyType({"POST": Scope.PLAY})

    def challenge(self, request: Request, pk: int) -> Challenge:
        """The challenge, for those who may see it. Raises Refusal ``challenge.none``."""
        challenge = selectors.challenge_visible(pk, request.user)
        if challenge is None:
            raise NotFound("challenge.none", "There is no such challenge.")
        return challenge

    def answered(self, request: Request, service: Callable[..., Any]) -> Any:
        """What the service makes of it."""
        nothing_in(self)
        return service(acting_user=signed_in(request), challenge=self.about)

    def shown(self, request: Request, challenge: Challenge) -> Any:
        """The challenge as answers have it."""
        return ChallengeSerializer(challenge, context={"request": request}).data


class ChallengeAcceptView(_AnswerView):
    """Accepting a challenge."""

    def authorise(self, request: Request, pk: int) -> Challenge:
        """The challenge, for those who may accept it."""
        challenge = self.challenge(request, pk)
        must_be_able_to_accept(challenge, signed_in(request))
        return challenge

    @extend_schema(
        operation_id="challenge_accept",
        tags=["challenges"],
        summary="Accept a challenge",
        request=None,
        responses={201: MatchSerializer},
    )
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Accept: the match begins at once."""
        match = self.answered(request, challenge_accept)
        return _begun(request, match)


class InviteView(FieldsView):
    """A challenge by a link, for whoever has that."""

    serializer_class = ChallengeSerializer

    def authorise(self, request: Request, token: str) -> Challenge:
        """Whoever has the token. Raises Refusal ``challenge.none``."""
        return _by_link(token, request.user)

    @extend_schema(
        operation_id="invite",
        tags=["challenges"],
        summary="A challenge by its link",
        responses={200: ChallengeSerializer},
    )
    def get(self, request: Request, token: str) -> Response:
        """What the link offers."""
        return Response(self.get_serializer(self.about).data)


class InviteAcceptView(ApiView):
    """Accepting a challenge by its link."""

    scopes = MappingProxyType({"POST": Scope.PLAY})

    def authorise(self, request: Request, token: str) -> Challenge:
        """The challenge, for those who may accept it."""
        challenge = _by_link(token, request.user)
        must_be_able_to_accept(challenge, signed_in(request), token)
        return challenge

    @extend_schema(
        operation_id="invite_accept",
        tags=["challenges"],
        summary="Accept a challenge by its link",
        request=None,
        responses={201: MatchSerializer},
    )
    @idempotent
    def post(self, request: Request, token: str) -> Response:
        """Accept, as the first who does."""
        nothing_in(self)
        match = challenge_accept(acting_user=signed_in(request), challenge=self.about, token=token)
        return _begun(request, match)


def _by_link(token: str, user: Any) -> Challenge:
    challenge = selectors.challenge_by_link(token, user)
    if challenge is None:
        raise NotFound("challenge.none", "There is no such challenge.")
    return challenge


def _begun(request: Request, match: Match) -> Response:
    shown = selectors.matches_listed(request.user).get(pk=match.pk)
    location = request.build_absolute_uri(reverse("api:match", args=[match.pk]))
    data = MatchSerializer(shown, context={"request": request}).data
    return Response(data, status=201, headers={"Location": location})


class RematchView(ApiView):
    """Another match of the same two."""

    scopes = MappingProxyType({"POST": Scope.PLAY})

    def authorise(self, request: Request, match_id: int) -> Match:
        """The match, for those who may offer a rematch of it."""
        match = match_for(match_id, request.user)
        must_be_able_to_rematch(match, signed_in(request))
        return match

    @extend_schema(
        operation_id="match_rematch",
        tags=["challenges"],
        summary="Offer a rematch",
        request=None,
        responses={201: ChallengeSerializer},
    )
    @idempotent
    def post(self, request: Request, match_id: int) -> Response:
        """Offer the opponent of a match that is over another one: the same game and times, the
        seats changed. Where they offer the same already, that is accepted: `match` is then the new
        one. It is answered as any other challenge; a match that is part of a season has none.
        """
        nothing_in(self)
        offer = rematch_offer(acting_user=signed_in(request), match=self.about)
        data = ChallengeSerializer(offer, context={"request": request}).data
        return Response(data, status=201, headers={"Location": data["links"]["view"]})


class ChallengeDeclineView(_AnswerView):
    """Declining a challenge."""

    def authorise(self, request: Request, pk: int) -> Challenge:
        """The challenge, for whom it is made to."""
        challenge = self.challenge(request, pk)
        must_be_opponent(challenge, signed_in(request))
        return challenge

    @extend_schema(
        operation_id="challenge_decline",
        tags=["challenges"],
        summary="Decline a challenge",
        request=None,
        responses={200: ChallengeSerializer},
    )
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Decline a challenge made to oneself."""
        return Response(self.shown(request, self.answered(request, challenge_decline)))


class ChallengeCancelView(_AnswerView):
    """Taking a challenge back."""

    def authorise(self, request: Request, pk: int) -> Challenge:
        """The challenge, for who has made it."""
        challenge = self.challenge(request, pk)
        must_be_challenger(challenge, signed_in(request))
        return challenge

    @extend_schema(
        operation_id="challenge_cancel",
        tags=["challenges"],
        summary="Take a challenge back",
        request=None,
        responses={200: ChallengeSerializer},
    )
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Take one's own challenge back."""
        return Response(self.shown(request, self.answered(request, challenge_cancel)))
