"""How people look in the API: what everybody may know of them."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from accounts.models import User
from accounts.roles import is_moderator, is_organiser
from core.api.bodies import Reference
from core.api.scopes import Scope


class UsernameField(Reference, serializers.CharField):
    """A username in a request's body, in any case; becomes the account."""

    looked_up = "users"
    none = ("user.none", "There is nobody called {}.")

    @classmethod
    def key_of(cls, said: Any) -> str:
        """As it is stored."""
        return User.normalize_username(str(said).strip())


class PersonSerializer(serializers.ModelSerializer[User]):
    """A person, in short."""

    name = serializers.CharField(source="shown_name", help_text="What pages show; not unique.")

    class Meta:
        model = User
        fields = ("username", "name", "is_bot")
        read_only_fields = fields
        extra_kwargs = {"username": {"help_text": "The stable key; lower case."}}


class UserSerializer(PersonSerializer):
    """A person, as lists show them."""

    joined_at = serializers.DateTimeField(source="date_joined")
    page = serializers.SerializerMethodField(help_text="Their page, for people.")
    url = serializers.SerializerMethodField(help_text="This, in the API.")

    class Meta(PersonSerializer.Meta):
        fields = (*PersonSerializer.Meta.fields, "joined_at", "page", "url")  # type: ignore[assignment]

    def get_page(self, user: User) -> str:
        """The address of the profile."""
        return self._absolute(user.get_absolute_url())

    def get_url(self, user: User) -> str:
        """The address in the API."""
        return self._absolute(reverse("api:user", args=[user.username]))

    def _absolute(self, path: str) -> str:
        address: str = self.context["request"].build_absolute_uri(path)
        return address


class UserDetailSerializer(UserSerializer):
    """A person, alone."""

    closed = serializers.SerializerMethodField(help_text="Whether the account is closed.")
    organiser = serializers.SerializerMethodField(help_text="Whether they run matches and seasons.")
    moderator = serializers.SerializerMethodField(help_text="Whether they moderate people.")

    class Meta(UserSerializer.Meta):
        fields = (*UserSerializer.Meta.fields, "closed", "organiser", "moderator")  # type: ignore[assignment]

    def get_closed(self, user: User) -> bool:
        """Closed accounts stay visible: results name them."""
        return not user.is_active

    def get_organiser(self, user: User) -> bool:
        """By role."""
        return is_organiser(user)

    def get_moderator(self, user: User) -> bool:
        """By role."""
        return is_moderator(user)


class MeSerializer(UserDetailSerializer):
    """The caller."""

    time_zone = serializers.CharField(help_text="Empty: that of the device.")
    scopes = serializers.SerializerMethodField(
        help_text="What the token allows; null for somebody who is signed in on the site."
    )

    class Meta(UserDetailSerializer.Meta):
        fields = (*UserDetailSerializer.Meta.fields, "time_zone", "scopes")  # type: ignore[assignment]

    def get_scopes(self, user: User) -> list[str] | None:
        """As they were given, without those that they imply."""
        auth: Any = self.context["request"].auth
        return None if auth is None else [s.value for s in Scope if s in auth.scopes]
