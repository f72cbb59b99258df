"""Cards of matches and challenges in lists: made once for all who see the same, then handed out.

What is kept is made without a request and without its reader: of rows, of the time zone, and of
whether the reader has an account. It is kept under a digest of the very rows that this reader may
see (`games.reading.versions`), so whoever may see others finds something else. Forms get the
reader's own token when the cards are handed out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db.models import QuerySet
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from redis.exceptions import RedisError

from accounts.models import User
from core.conditional import digest_of
from games.models import Challenge, Match
from games.publishing.cards import TOKEN, offers_to
from games.reading.featured import featured_as_shown, featured_of, featured_on_card
from games.reading.selectors import (
    challenges_as_shown,
    challenges_on_cards,
    matches_as_shown,
    matches_on_cards,
    players_onto_cards,
)
from games.reading.versions import versions_of

log = structlog.get_logger("gauntlet.lists")

KEPT_S: Final = 60
# Whoever comes while somebody else makes the same cards waits for them, but not for long: the
# process that makes them may be gone.
WAIT_S: Final = 2.0
_LOOK_AGAIN_S: Final = 0.05

_TOKEN_PLACE: Final = f'value="{TOKEN}"'


class Cards(NamedTuple):
    """A list as cards. ``rows`` are what is on them, ``shown`` the values that they show."""

    template: str
    rows: QuerySet[Any, Any]
    shown: QuerySet[Any, Any]
    # Whether they offer something to the reader, which depends on having an account.
    offers: bool = False
    # Whether they are of matches, whose players are fetched for all lists together.
    players: bool = False
    # What templates are given of each row, where that is not the row itself.
    made: Callable[[Any], Any] | None = None


def match_cards(matches: QuerySet[Match]) -> Cards:
    """Matches that are on."""
    rows, shown = matches_on_cards(matches), matches_as_shown(matches)
    return Cards("games/_match_cards.html", rows, shown, players=True)


def result_cards(matches: QuerySet[Match], *, untold: bool = False) -> Cards:
    """Matches that are over; ``untold`` without telling how they ended."""
    template = "games/_untold_cards.html" if untold else "games/_result_cards.html"
    return Cards(template, matches_on_cards(matches), matches_as_shown(matches), players=True)


def featured_card(matches: QuerySet[Match]) -> Cards:
    """The match in the best place, of `games.reading.featured.match_featured`."""
    rows, shown = featured_on_card(matches), featured_as_shown(matches)
    return Cards("games/_featured_card.html", rows, shown, made=featured_of)


def challenge_cards(challenges: QuerySet[Challenge]) -> Cards:
    """Challenges that anybody may accept, none of them the reader's own."""
    return Cards(
        "games/_challenge_cards.html",
        challenges_on_cards(challenges),
        challenges_as_shown(challenges),
        offers=True,
    )


def cards_for(request: HttpRequest, *lists: Cards) -> list[SafeString]:
    """Each of ``lists`` as HTML for this reader; empty for one without rows.

    Of all who come at once after a change, one makes them. A cache that is away costs time and
    nothing else.
    """
    try:
        made = _made_once(request, lists)
    except RedisError as error:
        log.warning("lists.cache-away", error=type(error).__name__)
        made = list(_make(request, dict(enumerate(lists))).values())
    if request.user.is_authenticated and any(each.offers for each in lists):
        # Also where there are none yet: those that are told of later get it from the cookie.
        get_token(request)
    return [_hand_out(request, each) for each in made]


def _made_once(request: HttpRequest, lists: Sequence[Cards]) -> list[str]:
    made: dict[int, str] = {}
    until = time.monotonic() + WAIT_S
    while missing := [number for number in range(len(lists)) if number not in made]:
        keys = _keys(request, lists, missing)
        kept = cache.get_many(keys.values())
        made |= {number: kept[key] for number, key in keys.items() if key in kept}
        wanted = {number: key for number, key in keys.items() if number not in made}
        late = time.monotonic() > until
        own = [number for number, key in wanted.items() if _begin(key) or late]
        try:
            # Somebody may have been done with them just before it was begun here.
            kept = cache.get_many([keys[number] for number in own]) if own else {}
            made |= {number: kept[keys[number]] for number in own if keys[number] in kept}
            made |= _make(request, {n: lists[n] for n in own if n not in made})
            if own:
                # What has changed in the midst is handed out, being new, and not kept.
                after = _keys(request, lists, own)
                same = {key: made[number] for number, key in after.items() if key == keys[number]}
                cache.set_many(same, KEPT_S)
        finally:
            cache.delete_many([_making(keys[number]) for number in own])
        if len(wanted) > len(own):
            time.sleep(_LOOK_AGAIN_S)
    return [made[number] for number in range(len(lists))]


def _begin(key: str) -> bool:
    return cache.add(_making(key), 1, WAIT_S)


def _making(key: str) -> str:
    return f"{key}:making"


def _keys(request: HttpRequest, lists: Sequence[Cards], of: Sequence[int]) -> dict[int, str]:
    """Under which key each of these is kept, by its number."""
    versions = versions_of(lists[number].shown for number in of)
    return {
        number: "cards:"
        + digest_of(
            settings.RELEASE,
            lists[number].template,
            _time_zone(request),
            lists[number].offers and request.user.is_authenticated,
            version,
        )
        for number, version in zip(of, versions, strict=True)
    }


def _make(request: HttpRequest, lists: Mapping[int, Cards]) -> dict[int, str]:
    rows = {number: list(cards.rows) for number, cards in lists.items()}
    players_onto_cards([m for number in rows if lists[number].players for m in rows[number]])
    return {number: _write(request, cards, rows[number]) for number, cards in lists.items()}


def _write(request: HttpRequest, cards: Cards, rows: Sequence[Any]) -> str:
    context: dict[str, Any] = {
        "rows": rows if cards.made is None else [cards.made(row) for row in rows],
        "shell": SimpleNamespace(time_zone=_time_zone(request)),
    }
    if cards.offers:
        context |= offers_to(known=request.user.is_authenticated)
    # A plain text: what is kept comes back as one.
    return str(render_to_string(cards.template, context)).strip()


def _time_zone(request: HttpRequest) -> str:
    return request.user.time_zone if isinstance(request.user, User) else ""


def _hand_out(request: HttpRequest, made: str) -> SafeString:
    if _TOKEN_PLACE in made:
        made = made.replace(_TOKEN_PLACE, f'value="{get_token(request)}"')
    return SafeString(made)
