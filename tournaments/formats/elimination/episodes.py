"""Episodes of elimination seasons: how they open, go on, and end with nobody eliminated."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from tournaments import lifecycle
from tournaments.formats.elimination.options import EliminationOptions
from tournaments.formats.options import options_of
from tournaments.lifecycle import DeathMatchStatus, EpisodeStatus, RoundStatus
from tournaments.models import Episode, Round, Season
from tournaments.rights import Right
from tournaments.services.deathmatches import active_of, round_close
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    line,
    must_be_running,
    own_death_match,
    reason,
    season_lock_managed,
)

#: What seasons of this format are known by.
KEY: Final = "elimination"
DMO_SEAT: Final = 1


def elimination_options(season: Season) -> EliminationOptions:
    """What the organisers of an elimination season chose."""
    return options_of(EliminationOptions, season.format_options)


def must_have_episodes(season: Season) -> None:
    """Raises Refusal ``format.no-episodes`` and ``season.not-running``."""
    if season.format != KEY:
        raise Refusal("format.no-episodes", "Only an elimination season has episodes.")
    must_be_running(season)


def must_not_be_ec(episode: Episode, acting_user: User) -> None:
    """Raises Refusal ``death-match.own`` where ``acting_user`` is the EC."""
    if episode.ec is not None and episode.ec.user_id == acting_user.pk:
        raise own_death_match()


def episode_fresh(episode: Episode) -> Episode:
    """An episode read anew, with its season, its EC and its DMO."""
    return Episode.objects.select_related("round__season", "ec", "dmo").get(pk=episode.pk)


def episode_move(episode: Episode, status: EpisodeStatus, **more: Any) -> None:
    """Take an episode to another state, and set ``more`` of its columns. Raises Refusal
    ``lifecycle.step``."""
    episode.status = lifecycle.step(lifecycle.EPISODE, episode.status, status, "The episode")
    if status != EpisodeStatus.CHOOSING:
        # The time is for the death match that is chosen; then that has it, or nothing does.
        more = {"death_match_at": None, **more}
    for key, value in more.items():
        setattr(episode, key, value)
    episode.save(update_fields=["status", *more])


@transaction.atomic
def episode_open(
    *,
    acting_user: User | None,
    season: Season,
    main_match: str = "",
    name: str = "",
    at: datetime | None = None,
) -> Episode:
    """Open the next episode, named "Episode 1" and so on unless ``name`` says otherwise.

    Raises Refusal as `guards.season_lock_managed` does, ``season.not-running``,
    ``format.no-episodes``, ``round.not-closed``, ``episode.too-few`` (two play the final),
    ``round.name.too-long``, ``episode.main-match.too-long``.
    """
    locked = season_lock_managed(season, acting_user, Right.EPISODES)
    must_be_ready_for_an_episode(locked)
    at = instant(at)
    number = next_number(locked)
    opened = Round.objects.create(
        season=locked,
        number=number,
        name=line(
            name or f"Episode {number}", code="round.name", what="The episode's name", most=80
        ),
        opened_at=at,
    )
    episode = Episode.objects.create(round=opened, main_match=main_match_name(main_match))
    season_event(
        season=locked,
        kind="round.opened",
        words=f"{opened.name} begins.",
        data={"round": number, "name": opened.name},
        round=opened,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="episode.open",
        target=episode,
        data={"season": locked.pk, "number": number},
    )
    return episode


def must_be_ready_for_an_episode(season: Season) -> None:
    """Whether the next episode can be opened. Raises Refusal ``format.no-episodes``,
    ``season.not-running``, ``round.not-closed`` and ``episode.too-few``."""
    must_have_episodes(season)
    must_all_be_closed(season)
    if active_of(season) < 3:
        raise Refusal("episode.too-few", "With two contestants left it is time for the final.")


def must_all_be_closed(season: Season) -> None:
    """Whether every round is complete. Raises Refusal ``round.not-closed``."""
    unfinished = season.rounds.exclude(status=RoundStatus.CLOSED).first()
    if unfinished is not None:
        raise Refusal("round.not-closed", f"{unfinished.name} is not complete.")


def next_number(season: Season) -> int:
    """The number of the round that comes next."""
    last: int | None = season.rounds.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def main_match_name(text: str) -> str:
    """What a main match is called. Raises Refusal ``episode.main-match.too-long``."""
    return line(
        text, code="episode.main-match", what="The name of a main match", most=120, empty=True
    )


@transaction.atomic
def episode_skip(
    *, acting_user: User, episode: Episode, why: str, at: datetime | None = None
) -> Episode:
    """End an episode in which nobody is eliminated by a death match.

    Raises Refusal as `guards.season_lock_managed` does, ``season.not-running``, ``why.*``,
    ``death-match.own`` (by the EC), ``lifecycle.step``, ``episode.death-match`` (call that off
    first).
    """
    season = season_lock_managed(episode.round.season, acting_user, Right.EPISODES)
    fresh = episode_fresh(episode)
    fresh.round.season = season
    must_be_skippable(fresh, acting_user)
    why = reason(why)
    episode_give_up(fresh, why=why, at=instant(at), acting_user=acting_user)
    audit_record(acting_user=acting_user, action="episode.skip", target=fresh, data={"why": why})
    round_close(acting_user=acting_user, round=fresh.round, at=at)
    return fresh


def must_be_skippable(episode: Episode, acting_user: User) -> None:
    """Whether somebody can end an episode in which nobody leaves. Raises Refusal
    ``format.no-episodes``, ``season.not-running``, ``death-match.own``, ``episode.death-match`` and
    ``lifecycle.step``."""
    must_have_episodes(episode.round.season)
    must_not_be_ec(episode, acting_user)
    if episode.round.death_matches.exclude(status=DeathMatchStatus.VOID).exists():
        raise Refusal("episode.death-match", "There is a death match: call it off first.")
    lifecycle.step(lifecycle.EPISODE, episode.status, EpisodeStatus.SKIPPED, "The episode")


def episode_give_up(
    episode: Episode, *, why: str, at: datetime, acting_user: User | None = None
) -> None:
    """End an episode with nobody eliminated, as part of another action. Raises Refusal
    ``lifecycle.step``."""
    episode_move(episode, EpisodeStatus.SKIPPED, choose_by=None)
    season_event(
        season=episode.round.season,
        kind="episode.skipped",
        words=f"Nobody is eliminated in {episode.round.name}: {why}",
        data={"why": why},
        round=episode.round,
        by=acting_user,
        at=at,
    )
