"""Administration of matches. Nothing here writes by itself: what changes a match is an organiser's
action on its page, and the only ones offered, about a chat message, are in `games.actions`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.admin.search import about_people, details_name
from accounts.models import Report, User
from accounts.moderation import reports
from accounts.roles import is_moderator
from core.admin.actions import ActionsAdmin
from core.admin.links import list_address, row_address, row_link
from core.admin.lists import ValuesFilter
from core.admin.readers import ModeratorView, ReadOnly, person
from core.clock import instant_of
from core.refusals import allowed
from games.actions import MESSAGE, MESSAGES, AtMessage
from games.audience import chat_visible_to
from games.models import (
    Challenge,
    ChatMessage,
    FeaturedMatch,
    HostedMatch,
    Match,
    MatchCommentator,
    MatchEntry,
    MatchPlayer,
    Prediction,
)
from games.moderation import UNRATE_WORDS, unrate_address
from games.puzzles import admin as _puzzles  # noqa: F401  (registers its own)
from games.ratings import admin as _ratings  # noqa: F401  (registers its own)
from games.ratings.pairs import must_rule_on, of_pair_to_rule_on

# What a search of the audit log for a person finds. A winner in these details is a seat.
about_people(Match, "players__user")
about_people(Challenge, "challenger", "opponent")
about_people(HostedMatch, "host", "first", "second")
about_people(ChatMessage, "author")
details_name(Match, User, "pk", "$.players", "$.referees", "$.before", "$.after", "$.commentator")
details_name(HostedMatch, User, "pk", "$.players")
details_name(ChatMessage, User, "pk", "$.author")


class MatchPlayerInline(ReadOnly, admin.TabularInline):
    model = MatchPlayer
    fields = ("seat", "player", "name")
    readonly_fields = ("player",)
    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_moderator(request.user) or super().has_view_permission(request, obj)

    @admin.display(description="user")
    def player(self, seat: MatchPlayer) -> SafeString:
        """Who sits there; nobody in an imported match."""
        return row_link(seat.user)


@admin.register(Match)
class MatchAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Matches. The snapshot is left out: it holds what the players may not know of each other. So
    is the number of entries: it would tell when a secret choice was made."""

    lookups = ("players__user__id__exact",)
    list_display = ("id", "who", "ruleset", "status", "paused", "winner", "reason", "created_at")
    list_filter = ("status", "ruleset", "source", "paused", ("reason", ValuesFilter))
    search_fields = ("=id", "players__name", "players__user__username")
    search_help_text = "The number of a match, or a player's name."
    date_hierarchy = "created_at"
    fields = (
        "ruleset", "variant", "options", "items", "advantage", "source", "status", "paused",
        "winner", "reason", "scores", "created_at", "finished_at",
    )  # fmt: skip
    inlines = (MatchPlayerInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).defer("snapshot").prefetch_related("players__user")

    def row_links(self, request: HttpRequest, row: Match) -> list[tuple[str, str]]:
        """The match itself, and what was said and done beside it."""
        links = [
            ("The match", row.get_absolute_url()),
            ("Chat", list_address(ChatMessage, match__id__exact=row.pk)),
        ]
        if row.is_over:
            links.append(("Entries", list_address(MatchEntry, match__id__exact=row.pk)))
            links += _pair_links(person(request), row)
        about = list_address(Report, q=f"match {row.pk}", state="all")
        return [*links, ("Reports", about), *super().row_links(request, row)]

    @admin.display(description="Who")
    def who(self, match: Match) -> SafeString:
        """Both names."""
        return format_html_join(
            " vs ",
            "{}",
            (
                (row_link(player.user, player.name) if player.user else player.name,)
                for player in match.players.all()
            ),
        )

    def view_on_site(self, match: Match) -> str:
        """The match's page."""
        return match.get_absolute_url()


def _pair_links(moderator: User, match: Match) -> list[tuple[str, str]]:
    """To where the players' matches can be made to count for nobody."""
    users = [player.user for player in match.players.all() if player.user is not None]
    if len(users) != 2 or not allowed(must_rule_on, moderator, users[0].pk, users[1].pk):
        return []
    if not of_pair_to_rule_on(users[0].pk, users[1].pk).exists():
        return []
    return [(UNRATE_WORDS, unrate_address(*users))]


@admin.register(MatchEntry)
class MatchEntryAdmin(ModeratorView, ReadOnly, admin.ModelAdmin):
    """The entries of matches that are over: before that some of them are secret, to moderators
    too."""

    lookups = ("match__id__exact",)
    list_display = ("match", "seq", "actor", "text", "timeout", "reading_ms", "by", "why")
    list_filter = ("actor", "timeout", "match__ruleset")
    list_select_related = ("match", "by")
    search_fields = ("=match__id", "text", "by__username")
    show_full_result_count = False
    fields = (
        "of_match", "seq", "actor", "text", "timeout", "reading_ms", "submitted", "sent_by",
        "by_name", "why", "at", "events",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[MatchEntry]:
        entries: QuerySet[MatchEntry] = super().get_queryset(request)
        return entries.filter(match__status=Match.Status.FINISHED).defer("match__snapshot")

    @admin.display(description="match")
    def of_match(self, entry: MatchEntry) -> SafeString:
        """The match that it belongs to."""
        return row_link(entry.match)

    @admin.display(description="by")
    def sent_by(self, entry: MatchEntry) -> SafeString:
        """Who submitted it."""
        return row_link(entry.by)


@admin.register(FeaturedMatch)
class FeaturedMatchAdmin(ModeratorView, ReadOnly, admin.ModelAdmin):
    """The match that organisers feature. They do so on its page."""

    list_display = ("of_match", "since")
    list_select_related = ("match",)
    fields = ("of_match", "since")

    def get_queryset(self, request: HttpRequest) -> QuerySet[FeaturedMatch]:
        featured: QuerySet[FeaturedMatch] = super().get_queryset(request)
        return featured.defer("match__snapshot")

    @admin.display(description="match")
    def of_match(self, featured: FeaturedMatch) -> SafeString:
        """The match."""
        return row_link(featured.match)


@admin.register(Challenge)
class ChallengeAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Challenges."""

    lookups = ("challenger__id__exact",)
    list_display = ("id", "offered_by", "offered_to", "ruleset", "status", "created_at", "message")
    list_filter = ("status", "ruleset")
    list_select_related = ("challenger", "opponent")
    search_fields = ("=id", "challenger__username", "opponent__username", "message")
    date_hierarchy = "created_at"
    fields = (
        "offered_by", "offered_to", "ruleset", "variant", "options", "advantage", "message",
        "status", "created_at", "expires_at", "became",
    )  # fmt: skip

    @admin.display(description="challenger", ordering="challenger__username")
    def offered_by(self, challenge: Challenge) -> SafeString:
        """Who offers to play."""
        return row_link(challenge.challenger)

    @admin.display(description="opponent")
    def offered_to(self, challenge: Challenge) -> SafeString | str:
        """Whom they want to play."""
        return "anybody" if challenge.opponent is None else row_link(challenge.opponent)

    @admin.display(description="match")
    def became(self, challenge: Challenge) -> SafeString:
        """The match that it led to."""
        return row_link(challenge.match)


@admin.register(HostedMatch)
class HostedMatchAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """Hosted matches. What the host supplies is left out: it is a secret until it is played."""

    lookups = ("host__id__exact",)
    list_display = (
        "id", "hosted_by", "invited_first", "invited_second", "ruleset", "status", "created_at",
        "message",
    )  # fmt: skip
    list_filter = ("status", "ruleset", "rated")
    list_select_related = ("host", "first", "second")
    search_fields = (
        "=id", "host__username", "first__username", "second__username", "message",
    )  # fmt: skip
    date_hierarchy = "created_at"
    fields = (
        "hosted_by", "invited_first", "invited_second", "ruleset", "variant", "options", "items",
        "advantage", "rated", "late_s", "message", "starts_at", "status", "why", "created_at",
        "expires_at", "became",
    )  # fmt: skip

    @admin.display(description="host", ordering="host__username")
    def hosted_by(self, hosted: HostedMatch) -> SafeString:
        """Who hosts it."""
        return row_link(hosted.host)

    @admin.display(description="first")
    def invited_first(self, hosted: HostedMatch) -> SafeString:
        """Who is invited to seat 0."""
        return row_link(hosted.first)

    @admin.display(description="second")
    def invited_second(self, hosted: HostedMatch) -> SafeString:
        """Who is invited to seat 1."""
        return row_link(hosted.second)

    @admin.display(description="match")
    def became(self, hosted: HostedMatch) -> SafeString:
        """The match that it led to."""
        return row_link(hosted.match)


@admin.register(ChatMessage)
class ChatMessageAdmin(ModeratorView, ReadOnly, ActionsAdmin, admin.ModelAdmin):
    """What people say beside matches, and the moderators' way to take it away and back."""

    row_actions = MESSAGE
    list_actions = MESSAGES
    lookups = ("author__id__exact", "match__id__exact")
    list_display = ("id", "of_match", "room", "said_by", "text", "said_at", "removed_at")
    list_filter = ("room", ("removed_at", admin.EmptyFieldListFilter))
    list_select_related = ("match", "author")
    search_fields = ("text", "author__username", "=match__id")
    show_full_result_count = False
    fields = ("of_match", "room", "step", "line", "said_by", "text", "said_at", "removed_at")

    def subject_of(self, request: HttpRequest, row: ChatMessage) -> AtMessage:
        """The moderator, and the message. `?report=` names the report that led there."""
        moderator = person(request)
        about = {"target_type": "games.chatmessage", "target_id": str(row.pk)}
        report = reports.numbered(request.GET.get("report", ""), moderator, **about)
        return AtMessage(moderator, row, report)

    def back_of(self, subject: AtMessage, row: ChatMessage) -> str:
        """The report that led there, or the message."""
        return row_address(subject.report or row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ChatMessage]:
        # A moderator who plays must not read here what spectators say of the match.
        readable = chat_visible_to(person(request)).order_by("-pk")
        return readable.select_related("match", "author").defer("match__snapshot")

    @admin.display(description="match", ordering="match")
    def of_match(self, message: ChatMessage) -> SafeString:
        """Beside which match it was said."""
        return row_link(message.match)

    @admin.display(description="author", ordering="author__username")
    def said_by(self, message: ChatMessage) -> SafeString:
        """Who said it."""
        return row_link(message.author)

    @admin.display(description="at", ordering="at")
    def said_at(self, message: ChatMessage) -> str:
        """When it was said, in UTC."""
        return date_format(instant_of(message.at), "j M Y, H:i:s")


@admin.register(MatchCommentator)
class MatchCommentatorAdmin(ModeratorView, ReadOnly, admin.ModelAdmin):
    """Who comments on which matches; organisers name them on the match's page."""

    lookups = ("user__id__exact",)
    list_display = ("id", "of_match", "who", "named", "at")
    list_select_related = ("match", "user", "named_by")
    search_fields = ("=match__id", "user__username")
    fields = ("of_match", "who", "named", "at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[MatchCommentator]:
        return super().get_queryset(request).defer("match__snapshot")

    @admin.display(description="match", ordering="match")
    def of_match(self, row: MatchCommentator) -> SafeString:
        """On which match they comment."""
        return row_link(row.match)

    @admin.display(description="commentator", ordering="user__username")
    def who(self, row: MatchCommentator) -> SafeString:
        """Who comments."""
        return row_link(row.user)

    @admin.display(description="named by")
    def named(self, row: MatchCommentator) -> SafeString:
        """Who named them."""
        return row_link(row.named_by)


@admin.register(Prediction)
class PredictionAdmin(ModeratorView, ReadOnly, admin.ModelAdmin):
    """Predictions of matches that are over: before that nobody is told whose they are."""

    list_display = ("id", "of_match", "who", "seat", "made_at")
    list_select_related = ("match", "user")
    search_fields = ("=match__id", "user__username")
    show_full_result_count = False
    fields = ("of_match", "who", "seat", "made_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Prediction]:
        made: QuerySet[Prediction] = super().get_queryset(request)
        return made.filter(match__status=Match.Status.FINISHED).defer("match__snapshot")

    @admin.display(description="match", ordering="match")
    def of_match(self, row: Prediction) -> SafeString:
        """Of which match they say who wins."""
        return row_link(row.match)

    @admin.display(description="who", ordering="user__username")
    def who(self, row: Prediction) -> SafeString:
        """Who made it."""
        return row_link(row.user)

    @admin.display(description="at", ordering="at")
    def made_at(self, row: Prediction) -> str:
        """When it was made or last changed, in UTC."""
        return date_format(instant_of(row.at), "j M Y, H:i:s")
