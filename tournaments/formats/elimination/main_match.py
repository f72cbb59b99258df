"""Main matches: how everybody came off, and who is the elimination candidate (EC)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal, Together
from games.words import game_name
from tournaments.formats.elimination import rules
from tournaments.formats.elimination.choice import busy_elsewhere, dmo_choose
from tournaments.formats.elimination.episodes import (
    elimination_options,
    episode_fresh,
    episode_move,
    episode_open,
    main_match_name,
    must_have_episodes,
    must_not_be_ec,
)
from tournaments.formats.elimination.standing import (
    game_of,
    must_stand_as_seen,
    standing_now,
    standing_of,
)
from tournaments.lifecycle import EpisodeStatus
from tournaments.models import Contestant, Episode, Placement, Round, ScoreTable, Season
from tournaments.rights import Right
from tournaments.services import repertoire
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    must_be_ahead,
    own_death_match,
    season_lock_managed,
)
from tournaments.services.ledger.immunity import immune_by_token

NOTES_MAX = 4000
PLACE_MAX: Final = 32_000
MINUTES_MAX: Final = 60 * 24 * 60


class Placing(NamedTuple):
    """How somebody came off in a main match; ``place`` 1 is the best, equal places are possible."""

    contestant: Contestant
    place: int
    immune: bool = False


class Ahead(NamedTuple):
    """What organisers settle beforehand of what follows a main match: the ``game`` of the death
    match (as in a season's repertoire), when it is played, the ``minutes`` in which the EC is to
    choose, and the ``dmo`` whom the EC has named to them already. None: as the season has it, or
    not yet."""

    game: Mapping[str, Any] | None = None
    scheduled_at: datetime | None = None
    minutes: int | None = None
    dmo: Contestant | None = None


NOTHING_AHEAD: Final = Ahead()


@transaction.atomic
def main_match_record_next(  # noqa: PLR0913  (everything that is told of a main match)
    *,
    acting_user: User,
    season: Season,
    placements: Sequence[Placing],
    ec: Contestant | None = None,
    ahead: Ahead = NOTHING_AHEAD,
    main_match: str = "",
    notes: str = "",
    seen: str | None = None,
    at: datetime | None = None,
) -> Episode:
    """Open the next episode and record its main match: both, or neither. ``seen``: how things stood
    for whoever records (`standing.standing_of`), None where they do not say. Raises Refusal as
    `episode_open` and `placements_record` do."""
    at = instant(at)
    opened = episode_open(acting_user=acting_user, season=season, main_match=main_match, at=at)
    must_stand_as_seen(seen, standing_of(opened.round.number))
    return placements_record(
        acting_user=acting_user,
        episode=opened,
        placements=placements,
        ec=ec,
        ahead=ahead,
        notes=notes,
        at=at,
    )


@transaction.atomic
def placements_record(  # noqa: PLR0913  (everything that is told of a main match)
    *,
    acting_user: User,
    episode: Episode,
    placements: Sequence[Placing],
    ec: Contestant | None = None,
    ahead: Ahead = NOTHING_AHEAD,
    main_match: str = "",
    notes: str = "",
    seen: str | None = None,
    by_scores: bool = False,
    at: datetime | None = None,
) -> Episode:
    """Record how everybody came off in the main match; whoever came last of those who are not
    immune is the EC, and has the season's time to choose an opponent, or that of ``ahead``.
    Recording again, while the EC chooses, replaces it, and what was settled ahead.

    ``ec`` names one of several who share the last place. ``seen``: how the episode stood for
    whoever records (`standing.standing_of`), None where they do not say. ``by_scores``: the places
    are those of its scores; once they have been it changes by those alone (`rescoring`). Late
    entries play from the next episode on, and are not placed. Raises Refusal as
    `guards.season_lock_managed` does, ``season.not-running``, ``format.no-episodes``,
    ``death-match.own`` (again, by the EC),
    ``episode.moved-on`` (not as ``seen`` any more), ``episode.placed``,
    ``placements.missing``, ``placements.twice``, ``placements.stranger``,
    ``placements.place``, ``placements.token`` (who has used one is immune), ``placements.tie``,
    ``placements.ec-not-last``, ``placements.ec-immune``, ``placements.ec-playing`` (in a death
    match of another episode), ``placements.nobody-left`` (to choose from),
    ``scores.recorded``, ``episode.main-match.too-long``, ``episode.notes.too-long``, and of what is
    ahead ``choice.minutes``, ``schedule.past``, ``schedule.far``, ``season.repertoire``,
    ``setup.*`` and ``death-match.own`` (whoever may be in it, as the EC or the DMO, settles nothing
    of it; what others have settled stays then), and as `choice.dmo_choose` does.
    """
    season = season_lock_managed(episode.round.season, acting_user, Right.EPISODES)
    fresh = episode_fresh(episode)
    at = instant(at)
    must_stand_as_seen(seen, standing_now(fresh))
    must_await_placements(fresh, acting_user, by_scores=by_scores)
    before = Ahead(game_of(fresh.round), fresh.death_match_at)
    if fresh.status == EpisodeStatus.CHOOSING:
        episode_move(fresh, EpisodeStatus.MAIN_MATCH, ec=None, choose_by=None)
        fresh.placements.all().delete()
    must_be_whole(fresh, [each.contestant for each in placements])
    _must_have_places(placements)
    _must_heed_tokens(fresh, placements)
    last = last_of(placements, ec)
    if last.pk in busy_elsewhere(fresh):
        raise Refusal(
            "placements.ec-playing",
            f"{last.shown_name} has a death match of another episode: have that one decided first.",
        )
    if len(notes) > NOTES_MAX:
        raise Refusal("episode.notes.too-long", f"Notes have at most {NOTES_MAX} characters.")
    if any(each.contestant.user_id == acting_user.pk for each in placements if not each.immune):
        ahead = _as_before(ahead, before, at)
    else:
        must_be_ahead(ahead.scheduled_at, at)
    game = _settled(ahead)
    Placement.objects.bulk_create(
        Placement(episode=fresh, contestant=each.contestant, place=each.place, immune=each.immune)
        for each in sorted(placements, key=lambda each: (each.place, each.contestant.pk))
    )
    _round_plays(fresh.round, game)
    usual = timedelta(hours=elimination_options(season).choice_hours)
    episode_move(
        fresh,
        EpisodeStatus.CHOOSING,
        ec=last,
        choose_by=at + (usual if ahead.minutes is None else timedelta(minutes=ahead.minutes)),
        death_match_at=ahead.scheduled_at,
        main_match=main_match_name(main_match) or fresh.main_match,
        notes=notes.replace("\x00", "").strip(),
    )
    worst = max(each.place for each in placements)
    passed_over = all(each.immune for each in placements if each.place == worst)
    of_whom = " of those who are not immune" if passed_over else ""
    match = fresh.main_match or "the main match"
    season_event(
        season=season,
        kind="episode.placed",
        words=f"{last.name} comes last{of_whom} in {match} and is the EC.",
        data={
            "ec": last.pk,
            "name": last.name,
            "immune": sorted(each.contestant.pk for each in placements if each.immune),
            "choose_by": fresh.choose_by.isoformat() if fresh.choose_by else None,
        },
        round=fresh.round,
        contestant=last,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="episode.place",
        target=fresh,
        data={
            "placements": [[each.contestant.pk, each.place, each.immune] for each in placements],
            "ec": last.pk,
            "game": game_name(game["ruleset"], game["variant"]) if game else "",
            "death_match_at": fresh.death_match_at and fresh.death_match_at.isoformat(),
            "minutes": ahead.minutes,
        },
    )
    if ahead.dmo is not None:
        dmo_choose(acting_user=acting_user, episode=fresh, contestant=ahead.dmo, at=at)
        return episode_fresh(fresh)
    return fresh


def still_ahead(ahead: Ahead, at: datetime) -> Ahead:
    """What has been settled, without a time that has passed meanwhile."""
    passed = ahead.scheduled_at is not None and ahead.scheduled_at <= at
    return ahead._replace(scheduled_at=None) if passed else ahead


def _as_before(ahead: Ahead, before: Ahead, at: datetime) -> Ahead:
    """What stays settled where somebody records who may be in the death match themselves, as the EC
    or as the DMO. Raises Refusal ``death-match.own`` where they say anything else."""
    stays = still_ahead(before, at)
    if ahead not in (NOTHING_AHEAD, before, stays):
        raise own_death_match()
    return stays


def _settled(ahead: Ahead) -> dict[str, Any]:
    """The game that is settled ahead, as fields of a round; empty where none is. Raises Refusal
    ``choice.minutes``, ``season.repertoire`` and ``setup.*``."""
    if ahead.minutes is not None and not 1 <= ahead.minutes <= MINUTES_MAX:
        raise Refusal(
            "choice.minutes", f"The EC has from 1 to {MINUTES_MAX} minutes, which are 60 days."
        )
    if not ahead.game:
        return {}
    return repertoire.game_fields(repertoire.game_validate_public(ahead.game))


def _round_plays(played: Round, game: Mapping[str, Any]) -> None:
    played.ruleset, played.variant = game.get("ruleset", ""), game.get("variant", "")
    played.options = game.get("options", {})
    played.save(update_fields=["ruleset", "variant", "options"])


def must_await_placements(episode: Episode, acting_user: User, *, by_scores: bool = False) -> None:
    """Whether somebody can record its main match, or do so again; ``by_scores`` as
    `placements_record` takes it. Raises Refusal ``format.no-episodes``, ``season.not-running``,
    ``death-match.own``, ``episode.placed`` and ``scores.recorded``."""
    must_have_episodes(episode.round.season)
    must_not_be_ec(episode, acting_user)
    if episode.status not in (EpisodeStatus.MAIN_MATCH, EpisodeStatus.CHOOSING):
        raise Refusal("episode.placed", "What came of this main match has been acted upon.")
    # Before anything is recorded nothing is by scores.
    if episode.status == EpisodeStatus.CHOOSING and not by_scores:
        must_not_be_by_scores(getattr(episode, "scores", None))


def must_not_be_by_scores(table: ScoreTable | None) -> None:
    """Whether the placement was not recorded by that table. Raises Refusal ``scores.recorded``."""
    if table is not None and table.recorded_at is not None:
        raise Refusal(
            "scores.recorded",
            "The placement was recorded by the scores of this main match: it changes by a "
            "correction of those.",
        )


def in_main_match(episode: Episode) -> QuerySet[Contestant]:
    """Who plays an episode's main match: everybody still in who has not entered since it began."""
    return episode.round.season.contestants.in_round(episode.round.number)


def must_be_whole(episode: Episode, placed: Sequence[Contestant | None]) -> None:
    """Whether everybody who plays an episode's main match is placed once, and nobody else; None
    stands for a row that names nobody known, who may be one of those who are missing.

    Raises Refusal ``placements.missing``, and of rows ``placements.stranger`` and
    ``placements.twice``.
    """
    active = {each.pk: each for each in in_main_match(episode)}
    times = Counter(each.pk for each in placed if each is not None)
    faults = Together()
    for number, each in enumerate(placed):
        if each is not None and each.pk not in active:
            sentence = f"{each.shown_name} does not play in this episode."
            faults.note(Refusal("placements.stranger", sentence), number)
        elif each is not None and times[each.pk] > 1:
            faults.note(Refusal("placements.twice", f"{each.shown_name} is placed twice."), number)
    for pk, each in active.items():
        if None not in placed and pk not in times:
            faults.note(Refusal("placements.missing", f"How did {each.shown_name} come off?"))
    faults.settle()


def _must_have_places(placements: Sequence[Placing]) -> None:
    faults = Together()
    for number, each in enumerate(placements):
        if not 1 <= each.place <= PLACE_MAX:
            faults.note(Refusal("placements.place", "A place is a whole number from 1."), number)
    faults.settle()


def _must_heed_tokens(episode: Episode, placements: Sequence[Placing]) -> None:
    """Whoever has used a token is immune. Raises Refusal ``placements.token`` of rows."""
    immune = immune_by_token(episode.round)
    faults = Together()
    for number, each in enumerate(placements):
        if each.contestant.pk in immune and not each.immune:
            sentence = f"{each.contestant.shown_name} has used a token, and is immune."
            faults.note(Refusal("placements.token", sentence), number)
    faults.settle()


def last_of(placements: Sequence[Placing], ec: Contestant | None) -> Contestant:
    """The EC: who came last, or ``ec`` of several who did. Raises Refusal as `rules.ec_of` does."""
    people = {each.contestant.pk: each.contestant for each in placements}
    placed = [
        rules.MainMatchPlace(each.contestant.pk, each.place, each.immune) for each in placements
    ]
    known = people if ec is None else {ec.pk: ec, **people}
    names = {pk: each.shown_name for pk, each in known.items()}
    return people[rules.ec_of(placed, None if ec is None else ec.pk, names)]
