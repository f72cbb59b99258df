"""What happens in public seasons as Atom feeds (RFC 4287), for readers of news.

An entry is an event of the history that everybody reads. Its id never changes, wherever the season
is called otherwise or moves to; neither does what it says, but for the mark behind a name whose
owner has no account here. A feed is the same for everybody, and there is none of a draft.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.syndication.views import Feed
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.views.decorators.http import require_safe

from core.conditional import answer_to, strong_tag
from core.replica.reading import from_replica
from games.views.common import explains_refusals
from tournaments import spectators
from tournaments.events.kinds import KINDS as EVENTS
from tournaments.lifecycle import Visibility
from tournaments.models import Season, SeasonEvent
from tournaments.naming import Naming
from tournaments.reading.seasons import fingerprint, season_for
from tournaments.webhooks.payloads import absolute

#: How many entries a feed has, the latest first.
ENTRIES: Final = 50
#: What an entry is about: what followers are told, and that there is a season at all.
KINDS: Final = ("season.listed", *spectators.KINDS)
_READ: Final = ("season", "round", "death_match__round")
# What XML 1.0 has no place for, however it is written.
_UNFIT: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Entry(NamedTuple):
    """An event, and what it says."""

    event: SeasonEvent
    words: str


class Feeding(NamedTuple):
    """What a feed is made of. ``about``: the season that it is of, if it is one."""

    about: Season | None
    path: str
    entries: Sequence[Entry]
    changed_at: datetime


@require_safe
@from_replica
@explains_refusals
def season(request: HttpRequest, slug: str) -> HttpResponse:
    """What happens in one season."""
    # Not even who runs a draft is told of it here: what asks for feeds is others' programs.
    found = season_for(slug, AnonymousUser())
    path = reverse("tournaments:feed", args=[found.slug])

    def feeding() -> Feeding:
        rows = SeasonEvent.objects.filter(season=found, kind__in=KINDS)
        naming = Naming.of(found.pk)
        entries = [
            Entry(event, naming.marked(event.words))
            for event in rows.exclude(spectators.UNTOLD)
            .select_related(*_READ)
            .order_by("-at", "-pk")[:ENTRIES]
        ]
        return Feeding(found, path, entries, found.changed_at)

    return _answer(
        request,
        strong_tag("feed", fingerprint(found), settings.GAUNTLET_ORIGIN),
        lambda: _written(request, feeding()),
        found.changed_at,
    )


@require_safe
@from_replica
def every_season(request: HttpRequest) -> HttpResponse:
    """What happens in all seasons that are listed."""
    rows = SeasonEvent.objects.filter(season__visibility=Visibility.LISTED, kind__in=KINDS)
    rows = rows.exclude(spectators.UNTOLD)
    events = list(rows.select_related(*_READ).order_by("-pk")[:ENTRIES])
    namings = Naming.of_each(event.season_id for event in events)
    entries = [Entry(each, namings[each.season_id].marked(each.words)) for each in events]
    known = [(each.pk, words, each.season.slug, each.season.name) for each, words in entries]
    latest = max((each.at for each in events), default=_BEGINNING)
    feeding = Feeding(None, reverse("tournaments:feeds"), entries, latest)
    # That a season was hidden, or is listed again, is no event: only the tag tells.
    return _answer(
        request,
        strong_tag("feeds", settings.GAUNTLET_ORIGIN, known),
        lambda: _written(request, feeding),
        None,
    )


def _answer(
    request: HttpRequest, etag: str, make: Any, changed_at: datetime | None
) -> HttpResponse:
    response: HttpResponse = answer_to(request, etag, make, changed_at=changed_at)
    response["Cache-Control"] = "public, max-age=300"
    return response


def _written(request: HttpRequest, feeding: Feeding) -> HttpResponse:
    feed = _SeasonsFeed().get_feed(feeding, request)
    response = HttpResponse(content_type=_Atom.content_type)
    feed.write(response, "utf-8")
    return response


# -- how it is written ---------------------------------------------------------------------------

# Of a site on which nothing has happened.
_BEGINNING: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class _Atom(Atom1Feed):
    """An Atom feed that also says when it last changed where it has no entry."""

    def latest_post_date(self) -> datetime:
        """When the latest entry was written; of none, when the season last changed."""
        if self.items:
            latest: datetime = super().latest_post_date()
            return latest
        changed_at: datetime = self.feed["changed_at"]
        return changed_at


class _SeasonsFeed(Feed):  # type: ignore[type-arg]  # not generic when it runs
    """The feed of one season, or of all: every address in it is absolute, at the site's own
    origin, whichever host was asked."""

    feed_type = _Atom
    description = ""
    author_name = "Gauntlet"

    def title(self, feeding: Feeding) -> str:
        """Whose news it has."""
        return "Seasons" if feeding.about is None else _fit(feeding.about.name)

    def subtitle(self, feeding: Feeding) -> str:
        """What it is."""
        if feeding.about is None:
            return "What happens in the seasons of death matches."
        return _fit(f"What happens in {feeding.about.name}.")

    def link(self, feeding: Feeding) -> str:
        """The page that says the same."""
        if feeding.about is None:
            return absolute(reverse("tournaments:seasons"))
        return absolute(feeding.about.get_absolute_url())

    def feed_url(self, feeding: Feeding) -> str:
        """Where it is."""
        return absolute(feeding.path)

    def feed_guid(self, feeding: Feeding) -> str:
        """What it is known by."""
        if feeding.about is None:
            return absolute(feeding.path)
        return feeding.about.uid.urn

    def feed_extra_kwargs(self, feeding: Feeding) -> dict[str, Any]:
        """What `_Atom` knows besides."""
        return {"changed_at": feeding.changed_at}

    def items(self, feeding: Feeding) -> Sequence[Entry]:
        """The entries, the latest first."""
        return feeding.entries

    def item_title(self, entry: Entry) -> str:
        """In which season what kind of thing happened, as plain text: what exactly is below it."""
        event = entry.event
        return _fit(f"{event.season.name}: {EVENTS[event.kind].words}")

    def item_description(self, entry: Entry) -> str:
        """The whole of it, as HTML."""
        return escape(_fit(entry.words))

    def item_link(self, entry: Entry) -> str:
        """Where more of it can be read."""
        event = entry.event
        if event.death_match is not None:
            row = event.death_match
            return absolute(reverse("tournaments:death_match", args=[event.season.slug, row.pk]))
        if event.round is not None:
            number = event.round.number
            return absolute(reverse("tournaments:round", args=[event.season.slug, number]))
        return absolute(event.season.get_absolute_url())

    def item_guid(self, entry: Entry) -> str:
        """What it is known by, for good."""
        return uuid.uuid5(entry.event.season.uid, f"event-{entry.event.pk}").urn

    def item_pubdate(self, entry: Entry) -> datetime:
        """When it happened."""
        return entry.event.at

    def item_updateddate(self, entry: Entry) -> datetime:
        """The same: an event never changes."""
        return entry.event.at

    def item_categories(self, entry: Entry) -> Sequence[str]:
        """Its kind, for programs."""
        return (entry.event.kind,)


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)
