"""The final of the last two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from games.rulesets import REGISTRY
from tournaments.formats.elimination.episodes import (
    elimination_options,
    must_all_be_closed,
    must_have_episodes,
    next_number,
)
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.rights import Right
from tournaments.services import repertoire
from tournaments.services.deathmatches import death_match_create
from tournaments.services.events import season_event
from tournaments.services.guards import instant, line, own_death_match, season_lock_managed


@transaction.atomic
def final_open(
    *,
    acting_user: User,
    season: Season,
    games: Sequence[Mapping[str, Any]] = (),
    best_of: int | None = None,
    name: str = "Final",
    at: datetime | None = None,
) -> DeathMatch:
    """Open the final of the last two: the best of ``best_of`` matches (by default what the format's
    options say), the better seed on seat 0.

    ``games``: ruleset, variant and perhaps options of each match in turn; by default the season's
    repertoire. The eliminated give items before the matches (`gifts.item_give`), and whoever holds
    more for a match has its advantage. Raises Refusal as `guards.season_lock_managed` does,
    ``season.not-running``, ``format.no-episodes``, ``round.not-closed``, ``final.two``,
    ``death-match.own`` (a finalist says how it is played), ``final.games``, ``best-of.odd``,
    ``season.repertoire``, ``setup.*``, ``round.name.*``.
    """
    locked = season_lock_managed(season, acting_user, Right.EPISODES)
    active = finalists(locked)
    at = instant(at)
    usual = elimination_options(locked).final_best_of
    most = usual if best_of is None else best_of
    if (games or most != usual) and acting_user.pk in [each.user_id for each in active]:
        raise own_death_match()
    chosen = [repertoire.game_validate_public(each) for each in games] or list(locked.repertoire)
    if len(chosen) > most:
        # A longer list is the season's: only what can be played is taken from its own.
        if games:
            raise Refusal("final.games", f"There are {len(chosen)} games for {most} matches.")
        chosen = chosen[:most]
    number = next_number(locked)
    opened = Round.objects.create(
        season=locked,
        number=number,
        name=line(name, code="round.name", what="The final's name", most=80),
        is_final=True,
        opened_at=at,
    )
    length = "a single match" if most == 1 else f"the best of {most}"
    death_match = death_match_create(
        round=opened, home=active[0], away=active[1], best_of=most, games=chosen, at=at
    )
    said = ", ".join(dict.fromkeys(REGISTRY.get(each["ruleset"]).name for each in chosen))
    season_event(
        season=locked,
        kind="round.opened",
        words=f"{opened.name}: {active[0].name} and {active[1].name}, {length}"
        + (f" ({said})." if said else "."),
        data={"round": number, "name": opened.name, "final": True, "best_of": most},
        round=opened,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="final.open",
        target=death_match,
        data={"season": locked.pk, "best_of": most},
    )
    return death_match


def finalists(season: Season) -> list[Contestant]:
    """The two who would meet in the final now, by seed. Raises Refusal ``format.no-episodes``,
    ``season.not-running``, ``round.not-closed`` and ``final.two``."""
    must_have_episodes(season)
    must_all_be_closed(season)
    active = sorted(
        season.contestants.filter(status=ContestantStatus.ACTIVE).select_related("user"),
        key=lambda each: (each.seed is None, each.seed or 0, each.pk),
    )
    if len(active) != 2:
        raise Refusal("final.two", f"The final is for two; {len(active)} are left.")
    return active
