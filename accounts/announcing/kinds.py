"""The table of announcements: of what people are told, who, how urgent that is, and by which ways.

Whatever app knows of something declares it, in its AppConfig.ready:

    declare(Kind("death-match.started", "Death matches", "It has begun", "Both players", NOW))

Nothing is announced of a kind that is not declared, and everybody can choose for each that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple


class Way(StrEnum):
    """By which way somebody is told."""

    SITE = "site"
    MAIL = "mail"
    PUSH = "push"
    DISCORD = "discord"


class When(StrEnum):
    """When somebody is told by a way."""

    NOW = "now"
    DIGEST = "digest"
    OFF = "off"


class Urgency(StrEnum):
    """How soon somebody should know: a clock is running or there is something to do; it changes
    what they are about to do; or it is news."""

    NOW = "now"
    SOON = "soon"
    NEWS = "news"


class Kind(NamedTuple):
    """What is announced: its key, under which heading it stands, in words, and to whom.
    ``defaults``: the ways by which it goes otherwise than what is as urgent. ``replaces``: a newer
    one takes the place of an older one that leads to the same page. ``listed``: it stands in the
    list even of those who want to hear of it by no way."""

    key: str
    group: str
    what: str
    whom: str
    urgency: Urgency
    defaults: Mapping[Way, When] = MappingProxyType({})
    replaces: bool = False
    listed: bool = True

    def words(self, way: Way, when: When) -> str:
        """What a choice for a way is called."""
        if (way, when) == (Way.SITE, When.OFF) and not self.listed:
            return "Not marked"
        return WORDS[way, when]

    def default(self, way: Way) -> When:
        """What holds for whoever has chosen nothing."""
        return self.defaults.get(way, _DEFAULTS[self.urgency][way])


#: What can be chosen for each way. Everything stands in the list on the site: there it is a
#: question of whether the list is marked as having something new.
CHOICES: Final[Mapping[Way, tuple[When, ...]]] = MappingProxyType(
    {
        Way.SITE: (When.NOW, When.OFF),
        Way.MAIL: (When.NOW, When.DIGEST, When.OFF),
        Way.PUSH: (When.NOW, When.OFF),
        Way.DISCORD: (When.NOW, When.OFF),
    }
)
_AT_ONCE: Final = dict.fromkeys(Way, When.NOW)
_DEFAULTS: Final = {
    Urgency.NOW: _AT_ONCE,
    Urgency.SOON: _AT_ONCE,
    Urgency.NEWS: {
        Way.SITE: When.NOW, Way.MAIL: When.DIGEST, Way.PUSH: When.OFF, Way.DISCORD: When.OFF,
    },
}  # fmt: skip
WAYS: Final[Mapping[Way, str]] = MappingProxyType(
    {
        Way.SITE: "On the site",
        Way.MAIL: "By mail",
        Way.PUSH: "On your devices",
        Way.DISCORD: "In Discord",
    }
)
WORDS: Final[Mapping[tuple[Way, When], str]] = MappingProxyType(
    {
        (Way.SITE, When.NOW): "Marked as new",
        (Way.SITE, When.OFF): "Only in the list",
        (Way.MAIL, When.NOW): "At once",
        (Way.MAIL, When.DIGEST): "Once a day",
        (Way.MAIL, When.OFF): "Not",
        (Way.PUSH, When.NOW): "At once",
        (Way.PUSH, When.OFF): "Not",
        (Way.DISCORD, When.NOW): "At once",
        (Way.DISCORD, When.OFF): "Not",
    }
)
#: The headings, in the order in which the table has them.
GROUPS: Final = ("Matches", "Death matches", "Seasons", "Seasons you follow", "Organising")
_kinds: dict[str, Kind] = {}


def declare(*kinds: Kind) -> None:
    """Add to the table. Declaring the same again changes nothing."""
    _kinds.update((kind.key, kind) for kind in kinds)


def known() -> Mapping[str, Kind]:
    """The table, by key, in the order in which it was declared."""
    return MappingProxyType(_kinds)


def kind_of(key: str) -> Kind:
    """One kind. Raises KeyError for one that nobody has declared."""
    return _kinds[key]


def groups() -> dict[str, list[Kind]]:
    """The table by its headings."""
    return {group: [kind for kind in _kinds.values() if kind.group == group] for group in GROUPS}
