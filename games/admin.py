"""Administration of matches. Nothing here writes by itself: what changes a match is an organiser's
act on its page, and the only deed offered, taking a chat message away, is a service."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from accounts.models import User
from games.engine.errors import Refusal
from games.models import Challenge, ChatMessage, Match, MatchEntry, MatchPlayer
from games.services.chat import chat_remove


class ReadOnly:
    """To look at, not to change: rows that the referee relies on."""

    def has_add_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False


class MatchPlayerInline(ReadOnly, admin.TabularInline):
    model = MatchPlayer
    fields = ("seat", "user", "name")
    extra = 0


@admin.register(Match)
class MatchAdmin(ReadOnly, admin.ModelAdmin):
    """Matches. The snapshot is left out: it holds what the players may not know of each other."""

    list_display = ("id", "who", "ruleset", "status", "paused", "winner", "reason", "created_at")
    list_filter = ("status", "ruleset", "source", "paused", "reason")
    search_fields = ("=id", "players__name", "players__user__username")
    date_hierarchy = "created_at"
    fields = (
        "ruleset", "variant", "options", "items", "advantage", "source", "status", "paused", "seq",
        "winner", "reason", "scores", "created_at", "finished_at",
    )  # fmt: skip
    inlines = (MatchPlayerInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).defer("snapshot").prefetch_related("players")

    @admin.display(description="Who")
    def who(self, match: Match) -> str:
        """Both names."""
        return " vs ".join(player.name for player in match.players.all())

    def view_on_site(self, match: Match) -> str:
        """The match's page."""
        return match.get_absolute_url()


@admin.register(MatchEntry)
class MatchEntryAdmin(ReadOnly, admin.ModelAdmin):
    """The entries of matches that are over: before that some of them are secret, to moderators
    too."""

    list_display = ("match", "seq", "actor", "text", "timeout", "reading_ms", "by", "why")
    list_filter = ("actor", "timeout")
    list_select_related = ("match", "by")
    search_fields = ("=match__id", "text", "by__username")
    fields = (
        "match", "seq", "actor", "text", "timeout", "reading_ms", "submitted", "by", "by_name",
        "why", "at", "events",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[MatchEntry]:
        entries: QuerySet[MatchEntry] = super().get_queryset(request)
        return entries.filter(match__status=Match.Status.FINISHED).defer("match__snapshot")


@admin.register(Challenge)
class ChallengeAdmin(ReadOnly, admin.ModelAdmin):
    """Challenges."""

    list_display = ("id", "challenger", "opponent", "ruleset", "status", "created_at", "expires_at")
    list_filter = ("status", "ruleset")
    list_select_related = ("challenger", "opponent")
    search_fields = ("=id", "challenger__username", "opponent__username", "message")
    date_hierarchy = "created_at"


@admin.register(ChatMessage)
class ChatMessageAdmin(ReadOnly, admin.ModelAdmin):
    """What people say beside matches, and the moderators' way to take it away."""

    list_display = ("id", "match", "room", "author", "text", "removed_at")
    list_filter = ("room", ("removed_at", admin.EmptyFieldListFilter))
    list_select_related = ("match", "author")
    search_fields = ("text", "author__username", "=match__id")
    actions = ("remove_messages",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ChatMessage]:
        said: QuerySet[ChatMessage] = super().get_queryset(request).defer("match__snapshot")
        assert isinstance(request.user, User)  # noqa: S101  (the admin site admits nobody else)
        # A moderator who plays must not read here what spectators say of the match.
        return said.exclude(
            room=ChatMessage.Room.SPECTATORS,
            match__status=Match.Status.RUNNING,
            match__players__user=request.user,
        )

    @admin.action(description="Take the selected messages away")
    def remove_messages(self, request: HttpRequest, queryset: QuerySet[ChatMessage]) -> None:
        assert isinstance(request.user, User)  # noqa: S101  (the admin site admits nobody else)
        done = 0
        for message in queryset:
            try:
                chat_remove(acting_user=request.user, message=message)
            except Refusal as refusal:
                self.message_user(request, f"{message}: {refusal.sentence}", messages.WARNING)
            else:
                done += 1
        if done:
            self.message_user(request, f"Taken away: {done}.", messages.SUCCESS)
