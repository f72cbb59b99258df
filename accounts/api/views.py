"""People over HTTP: what everybody may know, and the caller."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.callers import signed_in
from accounts.api.serializers import MeSerializer, UserDetailSerializer, UserSerializer
from accounts.models import User
from accounts.moderation.standing import kept_account
from accounts.signin.recent import is_recently_confirmed
from accounts.tokens.services import must_have_no_role, user_become_bot
from core.api.bodies import nothing_in
from core.api.lists import Filters
from core.api.scopes import Scope
from core.api.views import DetailView, ListView, SignedInView
from core.refusals import Forbidden


class UserFilters(Filters):
    """What people can be filtered by."""

    is_bot = filters.BooleanFilter(help_text="Only bots, or only people.")
    search = filters.CharFilter(
        method="with_name", max_length=40, help_text="Part of a username or of a shown name."
    )

    def with_name(self, users: QuerySet[User], _name: str, words: str) -> QuerySet[User]:
        """Those whose names have it in them, in any case."""
        return users.filter(Q(username__icontains=words) | Q(display_name__icontains=words))


@extend_schema_view(get=extend_schema(operation_id="users", tags=["people"], summary="People"))
class UsersView(ListView):
    """Everybody who can sign in, people and bots."""

    serializer_class = UserSerializer
    filterset_class = UserFilters
    orderings = MappingProxyType(
        {
            "username": ("username",),
            "-username": ("-username",),
            "-joined_at": ("-date_joined", "-id"),
            "joined_at": ("date_joined", "id"),
        }
    )
    queryset = User.objects.members().filter(is_active=True)


@extend_schema_view(get=extend_schema(operation_id="user", tags=["people"], summary="A person"))
class UserView(DetailView):
    """One person. A merged account is the account that it was merged into."""

    serializer_class = UserDetailSerializer
    replica = True
    lookup_field = "username"
    none = ("user.none", "There is nobody of that name.")
    queryset = User.objects.members()

    def get_object(self) -> Any:
        """The person; names are found in any case."""
        self.kwargs["username"] = User.normalize_username(self.kwargs["username"])
        return kept_account(super().get_object())


@extend_schema_view(get=extend_schema(operation_id="me", tags=["people"], summary="You"))
class MeView(SignedInView, DetailView):
    """Who calls, and what the token allows."""

    serializer_class = MeSerializer

    def get_object(self) -> User:
        """The caller."""
        return signed_in(self.request)


class BecomeBotView(SignedInView):
    """Becoming a bot."""

    scopes = MappingProxyType({"POST": Scope.BOT})

    def authorise(self, request: Request) -> None:
        """Everybody may, with their own account, unless it has a role; who comes by a session, and
        not by a token that was made for it, when they have confirmed lately that it is they."""
        must_have_no_role(signed_in(request))
        if request.auth is None and not is_recently_confirmed(request._request):  # noqa: SLF001
            raise Forbidden(
                "account.not-confirmed",
                "Please confirm first that it is you, on the page of your settings for this.",
            )

    @extend_schema(
        operation_id="become_bot",
        tags=["bots"],
        summary="Make your account a bot's",
        request=None,
        responses={200: MeSerializer},
    )
    def post(self, request: Request) -> Response:
        """Give the caller's account to a program, **for good**: it cannot be undone. Only an
        account that has never played, and has no role, can become one. From then on it plays with
        tokens that have the scope `bot`."""
        nothing_in(self)
        user = user_become_bot(acting_user=signed_in(request))
        return Response(MeSerializer(user, context={"request": request}).data)
