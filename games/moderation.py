"""What matches tell the moderators: what of theirs can be reported and with which context, what
stands on their pages in the admin site, and what moves when two accounts are made one."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.timesince import timesince

from accounts.models import Report, User
from accounts.moderation import merging
from accounts.moderation.reports import ContextLine, Target, register_target
from accounts.roles import is_moderator
from core.admin.actions import action_address
from core.admin.links import list_address, register_links, row_address
from core.admin.lists import keys_as_text, register_withheld
from core.admin.panels import Panel, register_panel
from core.admin.readers import person
from core.clock import instant_of
from games import store
from games.audience import chat_visible_to, own_running
from games.models import Challenge, ChatMessage, Match, MatchCommentator
from games.ratings.pairs import PAIR, of_pair_to_rule_on, pair_of, pairs_with, withheld_pairs
from games.ratings.rings import of_ring
from games.ratings.winners import WINNER, losers_of_report, winner_of_report, withheld_winners
from games.services.merging import referees, rows_move
from games.words import game_name

MATCH = "games.match"
MESSAGE = "games.chatmessage"
# How many lines before and after a message are kept with a report of it.
AROUND = 5


def register() -> None:
    """Make all of this known; called once the models are there."""
    register_target(MATCH, match_target, withheld=_of_own_matches)
    register_target(
        PAIR, found_target, remedies=pair_remedies, withheld=withheld_pairs, concerns=pairs_with
    )
    register_target(WINNER, found_target, remedies=winner_remedies, withheld=withheld_winners)
    register_target(
        MESSAGE, message_target, remedies=message_remedies, withheld=_beside_own_matches
    )
    merging.register("games", rows_move)
    merging.register_duty(referees)
    register_links("accounts.user", user_links)
    register_panel(live_matches, order=20)
    register_withheld(MATCH, own_running)
    for label in ("games.matchentry", "games.challenge", "games.matchcommentator", MESSAGE):
        register_withheld(label, partial(own_running, match="match"))
    register_withheld("accounts.auditentry", actions_of_own_running)


# -- what can be reported ------------------------------------------------------------------------


def match_target(reader: User, target_id: str) -> Target | None:
    """A match; reported by one of its players, it is about the other."""
    pk = _number(target_id)
    match = Match.objects.visible_to(reader).filter(pk=pk).prefetch_related("players__user").first()
    if match is None:
        return None
    seats = list(match.players.all())
    plays = any(seat.user_id == reader.pk for seat in seats)
    others = [seat.user for seat in seats if seat.user_id != reader.pk]
    return Target(
        title=f"match {match.pk}, {_names(match)}",
        url=match.get_absolute_url(),
        about=others[0] if plays and len(others) == 1 else None,
        facts=_match_facts(match),
    )


def message_target(reader: User, target_id: str) -> Target | None:
    """A chat message, with the lines around it in its room."""
    said = chat_visible_to(reader).filter(removed_at__isnull=True)
    message = said.select_related("author", "match").filter(pk=_number(target_id)).first()
    if message is None:
        return None
    match = message.match
    room = ChatMessage.objects.filter(match=match, room=message.room).select_related("author")
    before = list(room.filter(pk__lt=message.pk).order_by("-pk")[:AROUND])
    after = list(room.filter(pk__gt=message.pk).order_by("pk")[:AROUND])
    return Target(
        title=f"a message of {message.author.shown_name} in match {match.pk}",
        url=_place_of(message),
        about=message.author,
        facts=[*_match_facts(match), ("Room", message.get_room_display()), *_step_facts(message)],
        lines=[_line(each, message) for each in (*reversed(before), message, *after)],
    )


def _place_of(message: ChatMessage) -> str:
    """Where a message is read."""
    if message.step is None:
        return message.match.get_absolute_url()
    study = reverse("games:study", args=[message.match_id])
    whole = f"{study}?{urlencode({'at': message.step, 'line': message.line})}"
    # A report keeps no longer address: its comment leads on from the position.
    return whole if message.line and len(whole) <= 200 else f"{study}?at={message.step}"


def _step_facts(message: ChatMessage) -> list[tuple[str, str]]:
    if message.step is None:
        return []
    return [("Of", f"move {message.step}{', a variation from it' if message.line else ''}")]


def message_remedies(report: Report) -> list[tuple[str, str]]:
    """The way to take the message away, while it is there."""
    message = ChatMessage.objects.filter(pk=_number(report.target_id)).first()
    if message is None or message.removed_at is not None:
        return []
    return [("Take the message away…", f"{action_address(message, 'remove')}?report={report.pk}")]


def found_target(_reader: User, _target_id: str) -> Target | None:
    """Nothing: results that look farmed are reported by the site alone."""
    return None


def pair_remedies(report: Report) -> list[tuple[str, str]]:
    """The two people, and the way to have their matches count for nobody."""
    pair = pair_of(report.target_id)
    people = User.objects.in_bulk(pair or ())
    if pair is None or len(people) != 2:
        return []
    first, second = (people[pk] for pk in pair)
    links = [(f"@{each.username}", row_address(each)) for each in (first, second)]
    if of_pair_to_rule_on(first.pk, second.pk, report).exists():
        links.append((UNRATE_WORDS, unrate_address(first, second, report=report)))
    return links


def winner_remedies(report: Report) -> list[tuple[str, str]]:
    """The winner, the way to have all the matches that the report is about count for nobody in one
    go, and for each of those whom they have beaten the way to have theirs."""
    winner = User.objects.filter(pk=winner_of_report(report)).first()
    if winner is None:
        return []
    links = [(f"@{winner.username}", row_address(winner))]
    if of_ring(report):
        whole = f"{reverse('admin:games_pairruling_add')}?{urlencode({'report': report.pk})}"
        links.append((UNRATE_ALL_WORDS, whole))
    for loser in User.objects.filter(pk__in=losers_of_report(report)).order_by("username"):
        links.append((f"@{loser.username}", row_address(loser)))
        if of_pair_to_rule_on(winner.pk, loser.pk, report).exists():
            words = f"Have their matches with @{loser.username} count for nobody…"
            links.append((words, unrate_address(winner, loser, report=report)))
    return links


UNRATE_WORDS = "Have their matches count for nobody…"
UNRATE_ALL_WORDS = "Have all their matches with these accounts count for nobody…"


def unrate_address(first: User, second: User, *, report: Report | None = None) -> str:
    """Where a moderator has matches of two players count for nobody."""
    named = {"first": first.username, "second": second.username}
    if report is not None:
        named["report"] = str(report.pk)
    return f"{reverse('admin:games_pairruling_add')}?{urlencode(named)}"


def _of_own_matches(moderator: User) -> Q:
    return Q(target_id__in=keys_as_text(Match.objects.of_user(moderator)))


def _beside_own_matches(moderator: User) -> Q:
    return Q(target_id__in=keys_as_text(ChatMessage.objects.filter(match__players__user=moderator)))


def _line(each: ChatMessage, quoted: ChatMessage) -> ContextLine:
    gone = each.removed_at is not None
    return ContextLine(
        who=f"{each.author.shown_name} (@{each.author.username})",
        text="(taken away before)" if gone else each.text,
        at=instant_of(each.at).isoformat(timespec="seconds"),
        quoted=each.pk == quoted.pk,
    )


def _match_facts(match: Match) -> list[tuple[str, str]]:
    standing = "paused" if match.paused else match.get_status_display()
    if match.status == Match.Status.RUNNING:
        # As everybody has read it: entries count secret choices, too.
        standing += f", after line {store.seen_by_spectators(match).readers.logs[2]} of its log"
    return [
        ("Match", f"{match.pk}: {_names(match)}"),
        ("Game", game_name(match.ruleset, match.variant)),
        ("How it stood", standing),
    ]


def _names(match: Match) -> str:
    return " vs ".join(player.name for player in match.players.all())


def _number(text: str) -> int:
    """The number of a row; 0, which none has, for what cannot be one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0


# -- in the admin site ---------------------------------------------------------------------------


def actions_of_own_running(reader: User) -> Q:
    """What the audit log says of the matches that its reader is playing, and of their chats."""
    beside = own_running(reader, "match")
    own: tuple[tuple[str, QuerySet[Any]], ...] = (
        (MATCH, Match.objects.filter(own_running(reader))),
        (MESSAGE, ChatMessage.objects.filter(beside)),
        ("games.challenge", Challenge.objects.filter(beside)),
    )
    parts = (Q(target_type=label, target_id__in=keys_as_text(rows)) for label, rows in own)
    return reduce(or_, parts)


def user_links(_request: HttpRequest, user: User) -> list[tuple[str, str]]:
    """From a person to what they did here."""
    return [
        ("Matches", list_address(Match, players__user__id__exact=user.pk)),
        ("Challenges", list_address(Challenge, challenger__id__exact=user.pk)),
        ("Chat", list_address(ChatMessage, author__id__exact=user.pk)),
        ("Commentary", list_address(MatchCommentator, user__id__exact=user.pk)),
    ]


def live_matches(request: HttpRequest) -> Panel | None:
    """The start page's list of matches that are on."""
    if not is_moderator(request.user):
        return None
    reader = person(request)
    running = Match.objects.running().exclude(pk__in=Match.objects.filter(own_running(reader)))
    rows = [
        (
            f"{_names(match)}, {game_name(match.ruleset, match.variant)}",
            row_address(match),
            "paused" if match.paused else f"for {timesince(match.created_at, depth=1)}",
        )
        for match in running.defer("snapshot").prefetch_related("players")[:8]
    ]
    more = list_address(Match, status__exact=Match.Status.RUNNING.value)
    return Panel(
        "Live matches", None, rows, more, count=running.count(), empty="Nobody is playing now."
    )
