"""Who may do what in a season, as one table: the roles of those who run it, or help to, the rights
that a helper can be given one by one, and which page of the desk takes which of them.

`tournaments.audience` says which of these somebody holds; everything else asks there, or names a
right of this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from django.db import models


class Role(models.TextChoices):
    """What somebody is in a season that they run, or help to run."""

    OWNER = "owner", "Owner"
    ORGANISER = "organiser", "Co-organiser"
    HELPER = "helper", "Helper"


class Right(models.TextChoices):
    """What somebody may do. Helpers have some of the first four; organisers have all of these, and
    run the season besides; its owner may end it, too."""

    EPISODES = "episodes", "Runs episodes and rounds"
    MATCHES = "matches", "Rules matches"
    PEOPLE = "people", "Handles people"
    LEDGER = "ledger", "Keeps the ledger"
    RUN = "run", "Runs the season"
    OWN = "own", "Owns the season"


#: What a helper can be given, each with what it is good for.
OF_HELPERS: Final[Mapping[Right, str]] = MappingProxyType(
    {
        Right.EPISODES: "Opens and records episodes, pairs and closes rounds, appoints times, "
        "enters items and challenges, names a DMO in the EC's stead.",
        Right.MATCHES: "Chooses the game of a death match and begins it, pauses, extends and rules "
        "at its desk, gives a walkover or rules who has won.",
        Right.PEOPLE: "Enrols, seeds, invites, decides applications, checks in, writes to "
        "contestants, puts up their pictures, withdraws, replaces and lets return.",
        Right.LEDGER: "Sees the whole ledger, enters what was won, tokens and wagers.",
    }
)
NONE: Final[frozenset[Right]] = frozenset()
ALL: Final[frozenset[Right]] = frozenset(Right)
OF_ORGANISERS: Final[frozenset[Right]] = ALL - {Right.OWN}

_ANY: Final = frozenset(OF_HELPERS)
#: The pages of the desk that one of these rights opens, by the names of their addresses; the others
#: are for those who run the season.
PAGES: Final[Mapping[str, frozenset[Right]]] = MappingProxyType(
    {
        **dict.fromkeys(("desk", "step", "organisers", "organiser_act"), _ANY),
        **dict.fromkeys(
            (
                "episode", "episode_open", "placements", "scores", "final", "pair", "pair_by_hand",
                "round_desk", "round_times", "round_act", "open_times", "challenge_enter",
                "ledger", "choose", "main_match_pictures",
            ),
            frozenset({Right.EPISODES}),
        ),
        **dict.fromkeys(
            ("match_desk", "match_act", "leg_act"),
            frozenset({Right.EPISODES, Right.MATCHES, Right.LEDGER}),
        ),
        **dict.fromkeys(
            (
                "invitations", "applications", "application_act", "check_in_desk", "strike_absent",
                "desk_messages", "roster", "contestants_file", "contestant_act", "seeds",
            ),
            frozenset({Right.PEOPLE}),
        ),
        **dict.fromkeys(
            ("treasury", "treasury_file", "treasury_token"), frozenset({Right.LEDGER})
        ),
    }
)  # fmt: skip


def opens(page: str, rights: Iterable[Right]) -> bool:
    """Whether somebody with these rights comes to a page of the desk."""
    held = frozenset(rights)
    return Right.RUN in held or not held.isdisjoint(PAGES.get(page, NONE))
