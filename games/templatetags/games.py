"""Matches and challenges in templates: {% load games %}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.models import User
from accounts.preferences import hides_results
from accounts.roles import Role, holds_role
from core.modules import led_to
from games import words
from games.folders import draws_name, static_name
from games.models import Challenge, HostedMatch, Match, MatchPlayer
from games.options import late, pace, rules, terms
from games.pictures import qr
from games.ratings.course import is_too_short
from games.reading import featured, selectors
from games.reading.selectors import matches_to_rule
from games.rulesets import REGISTRY
from games.services.challenges import answers_of

register = template.Library()


@register.filter
def board_name(ruleset_id: str) -> str:
    """The name by which static files know a ruleset's board."""
    return static_name(REGISTRY.get(ruleset_id), "board.js")


@register.simple_tag
def board_module(ruleset_id: str) -> str:
    """The address of a ruleset's board."""
    return static(board_name(ruleset_id))


@register.simple_tag
def draws_module(ruleset_id: str) -> str:
    """The address of what verifies a ruleset's draws, or an empty text."""
    name = draws_name(REGISTRY.get(ruleset_id))
    return static(name) if name else ""


@register.simple_tag
def board_stylesheet(ruleset_id: str) -> SafeString:
    """The links to the styles of a ruleset's board, for those that have a sheet of their own, and
    to what that imports."""
    return _stylesheet(ruleset_id, "board.css")


@register.simple_tag
def supply_stylesheet(ruleset_id: str) -> SafeString:
    """The same of a ruleset's editor for what organisers prepare."""
    return _stylesheet(ruleset_id, "supply.css")


def _stylesheet(ruleset_id: str, file: str) -> SafeString:
    path = static_name(REGISTRY.get(ruleset_id), file)
    if finders.find(path) is None:
        return SafeString("")
    imported = ((static(each),) for each in led_to(path))
    return format_html(
        '{}<link rel="stylesheet" href="{}">',
        format_html_join("", '<link rel="preload" as="style" href="{}">', imported),
        static(path),
    )


@register.filter
def game_name(row: Match | Challenge) -> str:
    """What is played."""
    return words.game_name(row.ruleset, row.variant)


@register.filter
def pace_summary(row: Match | Challenge) -> str:
    """How fast, in a few words."""
    ruleset = words.ruleset_named(row.ruleset)
    return "" if ruleset is None else pace.pace_text(ruleset, row.options)


@register.filter
def arrival_text(row: Match | Challenge) -> str:
    """How long a match of it waits for both players, in words; empty where it does not wait."""
    return _if_live(row, settings.GAUNTLET_ARRIVAL_SECONDS)


@register.filter
def looks_text(row: Match | Challenge) -> str:
    """For how long at most a match of it, whose players need not be there together, waits for both
    to look in, in words; empty where it does not."""
    ruleset = words.ruleset_named(row.ruleset)
    if ruleset is None or pace.is_live(ruleset, row.options):
        return ""
    seconds = pace.gathering_s(ruleset, row.options)
    return pace.spoken(seconds) if seconds else ""


@register.filter
def begins_when(match: Match) -> str:
    """When one that waits for its players begins, to be read after "It begins"."""
    return words.begins_when(match)


@register.filter
def away_text(row: Challenge) -> str:
    """How long after its owner has left a challenge ends, in words; empty where it stays."""
    return _if_live(row, settings.GAUNTLET_AWAY_SECONDS)


def _if_live(row: Match | Challenge, seconds: int) -> str:
    ruleset = words.ruleset_named(row.ruleset)
    live = ruleset is not None and pace.is_live(ruleset, row.options)
    return pace.spoken(seconds) if live and seconds else ""


@register.filter
def uneven_text(challenge: Challenge) -> str:
    """What the challenger brings for themselves; empty where there is nothing of the kind."""
    return terms.uneven_terms(challenge)


@register.filter
def counting_text(match: Match) -> str:
    """Why it counts for no rating, or otherwise than it was played, for whoever may be told how it
    ended; empty where it counts as it is."""
    return terms.counting_terms(match)


@register.filter
def ruled_text(match: Match) -> str:
    """What was ruled on its result, with the reason; empty: nothing."""
    return terms.ruled_terms(match)


@register.filter
def unrated_word(match: Match) -> str:
    """What cards add where a match counts for no rating, whatever for."""
    return ", too short to count" if is_too_short(match) else casual_word(match)


@register.filter
def casual_word(match: Match) -> str:
    """The same, for readers who do not want to be told how matches ended: nor, that they ended
    soon."""
    return ", casual" if match.unrated and not is_too_short(match) else ""


@register.filter
def late_text(match: Match) -> str:
    """That spectators see it late, in a sentence; empty: they do not."""
    return late.late_text(match.late_s)


@register.filter
def late_word(row: Challenge | Match) -> str:
    """What cards add where spectators see a match late: ", seen 3 minutes late"."""
    return f", seen {late.late_words(row.late_s)} late" if row.late_s else ""


@register.filter
def late_words(row: Challenge | HostedMatch | Match) -> str:
    """By how much spectators see a match late: "3 minutes"."""
    return late.late_words(row.late_s)


@register.filter
def terms_text(challenge: Challenge) -> str:
    """Why the match would count for no rating; empty: it would."""
    return terms.terms_of(challenge)


@register.filter
def answers(challenge: Challenge, user: Any) -> frozenset[str]:
    """What ``user`` can do about a challenge now: "accept", "decline" or "cancel"."""
    return answers_of(challenge, user) if isinstance(user, User) else frozenset()


@register.simple_tag
def answers_by_link(challenge: Challenge, user: Any, token: str) -> frozenset[str]:
    """The same for whoever came by a link with that token."""
    return answers_of(challenge, user, token) if isinstance(user, User) else frozenset()


@register.filter
def times_table(row: Match | Challenge) -> list[tuple[str, str]]:
    """Every time of a match by its name, in words, the turn and the reserve left out."""
    ruleset = words.ruleset_named(row.ruleset)
    if ruleset is None:
        return []
    times = {**pace.default_times(ruleset), **row.options}
    return [
        (pace.label(key), pace.spoken(times[key]))
        for key in pace.default_times(ruleset)
        if key not in {"turn_time", "reserve"}
    ]


@register.filter
def rules_table(row: Match | Challenge) -> list[tuple[str, str]]:
    """The title and the choice of every rule that can be chosen."""
    ruleset = words.ruleset_named(row.ruleset)
    return [] if ruleset is None else rules.rules_table(ruleset, row.options)


@register.filter
def spoken(seconds: float) -> str:
    """A span of time, given in seconds."""
    return pace.spoken(seconds)


@register.filter
def seats(match: Match) -> list[Mapping[str, Any]]:
    """Both seats of a match for its card: `player`, `score` and `result` (won, lost or empty)."""
    scores = words.told_scores(match)
    return [
        {
            "player": player,
            "score": None if scores is None else scores[player.seat],
            "result": _result_of(match, player),
        }
        for player in match.players.all()
    ]


def _result_of(match: Match, player: MatchPlayer) -> str:
    if match.winner is None:
        return ""
    return "won" if match.winner == player.seat else "lost"


@register.filter
def room_standing(match: Match, called: Sequence[str]) -> featured.Standing:
    """How a running match stands for everybody, of its row with the snapshot."""
    return featured.standing_of(match, called)


@register.filter
def names(match: Match) -> str:
    """Who plays: "Ada and Ben"."""
    return " and ".join(player.name for player in match.players.all())


@register.filter
def reason_text(match: Match) -> str:
    """How the match was decided, to be read after "won" or on its own."""
    if match.is_over and match.winner is None:
        return words.void_text(match)
    return words.how_won(match)


@register.inclusion_tag("games/_results_choice.html", takes_context=True)
def results_choice(context: Mapping[str, Any]) -> dict[str, Any]:
    """The link from a list of matches that are over to the same with their results, or without."""
    request = context["request"]
    hidden = hides_results(request)
    asked = request.GET.copy()
    asked["result"] = "shown" if hidden else "hidden"
    return {"hidden": hidden, "address": f"?{asked.urlencode()}"}


@register.filter
def result_for(match: Match, user: Any) -> str:
    """`won`, `lost`, or empty for a void match and for somebody who did not play."""
    own = (player for player in match.players.all() if player.user_id == user.pk)
    player = next(own, None)
    return "" if player is None else _result_of(match, player)


@register.filter
def points(score: int) -> str:
    """A score as people read it: thousands apart, as on the board."""
    return words.points(score)


@register.filter
def score_for(match: Match, user: Any) -> str:
    """The score, this user's own first; empty where it tells nothing."""
    scores = words.told_scores(match)
    if scores is None:
        return ""
    if any(player.seat == 1 and player.user_id == user.pk for player in match.players.all()):
        scores = scores[::-1]
    return " : ".join(points(score) for score in scores)


@register.filter
def opponent_of(match: Match, user: Any) -> MatchPlayer | None:
    """Who sits across from this user."""
    return next((player for player in match.players.all() if player.user_id != user.pk), None)


@register.simple_tag
def seat_name(player: MatchPlayer | None) -> SafeString:
    """A seat's name as it was when the match began, linked where there is an account."""
    if player is None:
        return format_html("—")
    if player.user is None:
        return format_html("<bdi>{}</bdi>", player.name)
    return format_html(
        '<a class="person" href="{}"><bdi class="person__name">{}</bdi></a>',
        player.user.get_absolute_url(),
        player.name,
    )


@register.inclusion_tag("games/_ruling_link.html", takes_context=True)
def ruling_link(context: template.Context) -> dict[str, Any]:
    """The way to the organisers' page for those who have something there: organisers, and whoever
    referees a match that waits for a ruling."""
    user = context.get("user")
    if not isinstance(user, User):
        return {"shown": False}
    waiting = list(matches_to_rule(user).values_list("pk", flat=True)[:50])
    return {
        "shown": bool(waiting) or holds_role(user, Role.ORGANISER),
        "waiting": waiting,
        "request": context.get("request"),
    }


@register.inclusion_tag("games/_challenge_badge.html", takes_context=True)
def challenge_badge(context: template.Context) -> dict[str, Any]:
    """How many challenges and invitations wait for the reader's answer, in the navigation of every
    page."""
    user = context.get("user")
    if not isinstance(user, User):
        return {"user": None}
    return {"user": user, "waiting": selectors.answers_awaited(user, at_most=20)}


@register.inclusion_tag("games/_turn_badge.html", takes_context=True)
def turn_badge(context: template.Context) -> dict[str, Any]:
    """How many matches wait for the reader, in the header of every page, and the way to the next:
    on the page of a match, to another one if there is any. A view that has asked already hands
    them on as `turns`."""
    turns = context.get("turns")
    if turns is None:
        turns = selectors.matches_to_move(context["user"])
    here = context.get("match")
    after = here.pk if isinstance(here, Match) else None
    return {"turns": turns, "words": words.turns_text(len(turns)), "after": after}


@register.simple_tag
def qr_code(text: str) -> SafeString:
    """A QR code of a text."""
    return qr.qr_svg(text)
