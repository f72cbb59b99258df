"""Elimination seasons: episodes, the EC and the DMO, and the final of the last two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from accounts.models import User
from accounts.services import audit_record
from core.jobs import guard
from core.refusals import Forbidden, Refusal, Together
from games.engine.errors import EngineFault
from games.rulesets import REGISTRY
from games.words import game_name
from tournaments import audience, lifecycle
from tournaments.formats.elimination.options import EliminationOptions
from tournaments.formats.options import options_of
from tournaments.lifecycle import (
    UNDECIDED,
    ContestantStatus,
    DeathMatchStatus,
    EpisodeStatus,
    RoundStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Placement,
    Round,
    Season,
)
from tournaments.services import repertoire
from tournaments.services.deathmatches import (
    active_of,
    death_match_create,
    round_close,
)
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    line,
    must_be_running,
    must_not_be_archived,
    own_death_match,
    reason,
    season_lock,
    season_lock_managed,
)
from tournaments.services.mail import organisers_mail

NOTES_MAX = 4000
PLACE_MAX: Final = 32_000
#: What seasons of this format are known by.
KEY: Final = "elimination"
EC_SEAT: Final = 0
DMO_SEAT: Final = 1
TWO_LEFT: Final = "Two are left: they meet in the final."
ONE_LEFT: Final = "Only one contestant is left."


class Placed(NamedTuple):
    """How somebody came off in a main match; ``place`` 1 is the best, equal places are possible."""

    contestant: Contestant
    place: int
    immune: bool = False


def elimination_options(season: Season) -> EliminationOptions:
    """What the organisers of an elimination season chose."""
    return options_of(EliminationOptions, season.format_options)


def _must_have_episodes(season: Season) -> None:
    if season.format != KEY:
        raise Refusal("format.no-episodes", "Only an elimination season has episodes.")
    must_be_running(season)


def _fresh(episode: Episode) -> Episode:
    return Episode.objects.select_related("round__season", "ec", "dmo").get(pk=episode.pk)


def episode_move(episode: Episode, status: EpisodeStatus, **more: Any) -> None:
    """Take an episode to another state, and set ``more`` of its columns. Raises Refusal
    ``lifecycle.step``."""
    episode.status = lifecycle.step(lifecycle.EPISODE, episode.status, status, "The episode")
    for key, value in more.items():
        setattr(episode, key, value)
    episode.save(update_fields=["status", *more])


# -- opening -------------------------------------------------------------------------------------


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

    Refusals: those of `guards.season_lock_managed`, ``season.not-running``, ``format.no-episodes``,
    ``round.not-closed``, ``episode.too-few`` (two play the final), ``round.name.too-long``,
    ``episode.main-match.too-long``.
    """
    locked = season_lock_managed(season, acting_user)
    must_be_ready_for_an_episode(locked)
    at = instant(at)
    number = _next_number(locked)
    opened = Round.objects.create(
        season=locked,
        number=number,
        name=line(
            name or f"Episode {number}", code="round.name", what="The episode's name", most=80
        ),
        opened_at=at,
    )
    episode = Episode.objects.create(round=opened, main_match=_main_match(main_match))
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
    _must_have_episodes(season)
    _must_all_be_closed(season)
    if active_of(season) < 3:
        raise Refusal("episode.too-few", "With two contestants left it is time for the final.")


def _must_all_be_closed(season: Season) -> None:
    unfinished = season.rounds.exclude(status=RoundStatus.CLOSED).first()
    if unfinished is not None:
        raise Refusal("round.not-closed", f"{unfinished.name} is not complete.")


def _next_number(season: Season) -> int:
    last: int | None = season.rounds.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _main_match(text: str) -> str:
    return line(
        text, code="episode.main-match", what="The name of a main match", most=120, empty=True
    )


# -- the main match ------------------------------------------------------------------------------


@transaction.atomic
def placements_record(
    *,
    acting_user: User,
    episode: Episode,
    placements: Sequence[Placed],
    ec: Contestant | None = None,
    main_match: str = "",
    notes: str = "",
    at: datetime | None = None,
) -> Episode:
    """Record how everybody came off in the main match; whoever came last is the EC, and has the
    season's time to choose an opponent. Recording again, while the EC chooses, replaces it.

    ``ec`` names one of several who share the last place. Late entries play from the next episode
    on, and are not placed. Refusals: those of `guards.season_lock_managed`,
    ``season.not-running``, ``format.no-episodes``, ``death-match.own`` (again, by the EC),
    ``episode.placed``, ``placements.missing``,
    ``placements.twice``, ``placements.stranger``, ``placements.place``, ``placements.tie``,
    ``placements.ec-not-last``, ``placements.ec-immune``, ``placements.ec-playing`` (in a death
    match of another episode), ``placements.nobody-left`` (to choose from),
    ``episode.main-match.too-long``, ``episode.notes.too-long``.
    """
    season = season_lock_managed(episode.round.season, acting_user)
    fresh = _fresh(episode)
    at = instant(at)
    must_await_placements(fresh, acting_user)
    if fresh.status == EpisodeStatus.CHOOSING:
        episode_move(fresh, EpisodeStatus.MAIN_MATCH, ec=None, choose_by=None)
        fresh.placements.all().delete()
    must_be_whole(fresh, [each.contestant for each in placements])
    _must_have_places(placements)
    last = last_of(placements, ec)
    if last.pk in _busy_elsewhere(fresh):
        raise Refusal(
            "placements.ec-playing",
            f"{last.name} has a death match of another episode: have that one decided first.",
        )
    if len(notes) > NOTES_MAX:
        raise Refusal("episode.notes.too-long", f"Notes have at most {NOTES_MAX} characters.")
    Placement.objects.bulk_create(
        Placement(episode=fresh, contestant=each.contestant, place=each.place, immune=each.immune)
        for each in sorted(placements, key=lambda each: (each.place, each.contestant.pk))
    )
    hours = elimination_options(season).choice_hours
    episode_move(
        fresh,
        EpisodeStatus.CHOOSING,
        ec=last,
        choose_by=at + timedelta(hours=hours),
        main_match=_main_match(main_match) or fresh.main_match,
        notes=notes.replace("\x00", "").strip(),
    )
    season_event(
        season=season,
        kind="episode.placed",
        words=f"{last.name} comes last in {fresh.main_match or 'the main match'} and is the EC.",
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
        },
    )
    return fresh


def must_await_placements(episode: Episode, acting_user: User) -> None:
    """Whether somebody can record its main match, or do so again. Raises Refusal
    ``format.no-episodes``, ``season.not-running``, ``death-match.own`` and ``episode.placed``."""
    _must_have_episodes(episode.round.season)
    _must_not_be_ec(episode, acting_user)
    if episode.status not in (EpisodeStatus.MAIN_MATCH, EpisodeStatus.CHOOSING):
        raise Refusal("episode.placed", "What came of this main match has been acted upon.")


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
    told = Together()
    for number, each in enumerate(placed):
        if each is not None and each.pk not in active:
            sentence = f"{each.name} does not play in this episode."
            told.note(Refusal("placements.stranger", sentence), number)
        elif each is not None and times[each.pk] > 1:
            told.note(Refusal("placements.twice", f"{each.name} is placed twice."), number)
    for pk, each in active.items():
        if None not in placed and pk not in times:
            told.note(Refusal("placements.missing", f"How did {each.name} come off?"))
    told.settle()


def _must_have_places(placements: Sequence[Placed]) -> None:
    told = Together()
    for number, each in enumerate(placements):
        if not 1 <= each.place <= PLACE_MAX:
            told.note(Refusal("placements.place", "A place is a whole number from 1."), number)
    told.settle()


def last_of(placements: Sequence[Placed], ec: Contestant | None) -> Contestant:
    """The EC: who came last, or ``ec`` of several who did.

    Raises Refusal ``placements.tie``, ``placements.ec-not-last``, ``placements.ec-immune`` and
    ``placements.nobody-left`` (to choose from).
    """
    worst = max(each.place for each in placements)
    last = [each for each in placements if each.place == worst]
    if ec is None and len(last) > 1:
        names = ", ".join(each.contestant.name for each in last)
        raise Refusal("placements.tie", f"{names} share the last place: please say who is the EC.")
    chosen = (
        last[0]
        if ec is None
        else next((each for each in last if each.contestant.pk == ec.pk), None)
    )
    if chosen is None:
        names = " or ".join(each.contestant.name for each in last)
        told = "" if ec is None else f"{ec.name} did not come last: "
        raise Refusal("placements.ec-not-last", f"{told}the EC is {names}.")
    if chosen.immune:
        raise Refusal("placements.ec-immune", f"{chosen.contestant.name} is immune.")
    if all(each.immune or each is chosen for each in placements):
        raise Refusal("placements.nobody-left", "There is nobody whom the EC could choose.")
    return chosen.contestant


# -- the choice ----------------------------------------------------------------------------------


def choosable(episode: Episode) -> list[Contestant]:
    """Whom the EC may choose: everybody still in who came off better in the main match and is not
    immune, nor in a death match of another episode."""
    taken = _busy_elsewhere(episode)
    return [each for each in candidates(episode) if each.pk not in taken]


def _busy_elsewhere(episode: Episode) -> set[int]:
    """Who is in an open death match, or is to choose one, in another episode than this: it was
    reopened, and whoever loses there is out."""
    season = episode.round.season_id
    open_matches = DeathMatch.objects.filter(round__season=season, status__in=UNDECIDED)
    choosing = Episode.objects.filter(
        round__season=season, status=EpisodeStatus.CHOOSING, ec__isnull=False
    ).exclude(pk=episode.pk)
    sides = open_matches.exclude(round=episode.round_id).values_list("home", "away")
    return {pk for pair in sides for pk in pair if pk is not None} | set(
        choosing.values_list("ec", flat=True)
    )


def candidates(episode: Episode) -> list[Contestant]:
    """Whom an EC could choose, as far as the main match says."""
    placed = episode.placements.filter(immune=False).values("contestant")
    return list(
        episode.round.season.contestants.filter(status=ContestantStatus.ACTIVE, pk__in=placed)
        .exclude(episodes_as_ec=episode)
        .select_related("user")
    )


@transaction.atomic
def dmo_choose(
    *, acting_user: User, episode: Episode, contestant: Contestant, at: datetime | None = None
) -> DeathMatch:
    """Name the DMO: the EC within the time, or an organiser at any moment. The death match follows:
    the EC on seat 0, the DMO on seat 1 and at an advantage.

    What it is played in comes from the round or the season's repertoire; where the lower seed
    chooses, or nothing is there to choose from, it stays open (see `deathmatches.rules_set`).
    Refusals: ``season.none``, ``season.archived``, ``season.not-running``, ``choice.closed``,
    ``choice.not-yours``, ``choice.own`` (an organiser who is EC or would be chosen),
    ``choice.too-late``, ``choice.not-allowed`` (immune, out, or in another death match).
    """
    season = season_lock(episode.round.season_id)
    fresh = _fresh(episode)
    at = instant(at)
    must_await_choice(fresh, acting_user, at=at)
    is_ec = audience.may_choose_dmo(fresh, acting_user)
    dmo = next((each for each in choosable(fresh) if each.pk == contestant.pk), None)
    if dmo is None:
        raise Refusal("choice.not-allowed", f"{contestant.name} cannot be chosen.")
    if not is_ec and dmo.user_id == acting_user.pk:
        raise Forbidden("choice.own", "Nobody decides about their own death match.")
    ec = fresh.ec
    if ec is None:
        raise EngineFault("an episode in which somebody chooses has an EC")
    episode_move(fresh, EpisodeStatus.DEATH_MATCH, dmo=dmo, chosen_at=at, chosen_by=acting_user)
    game = repertoire.game_of_round(season, fresh.round.number)
    own = {"ruleset": fresh.round.ruleset, "variant": fresh.round.variant}
    played = own if fresh.round.ruleset else game
    season_event(
        season=season,
        kind="episode.chosen",
        words=_choice_words(fresh, ec, dmo, at, is_ec=is_ec),
        data={
            "ec": ec.pk,
            "dmo": dmo.pk,
            "by_organiser": not is_ec,
            "games": [game_name(played["ruleset"], played["variant"])] if played else [],
        },
        round=fresh.round,
        contestant=dmo,
        by=None if is_ec else acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="episode.choose",
        target=fresh,
        data={"ec": ec.pk, "dmo": dmo.pk, "fallback": not is_ec},
    )
    return death_match_create(
        round=fresh.round,
        home=ec,
        away=dmo,
        games=[game] if game and not fresh.round.ruleset else [],
        advantage=DMO_SEAT,
        follows="episode.chosen",
        at=at,
    )


def must_await_choice(episode: Episode, acting_user: User, *, at: datetime | None = None) -> None:
    """Whether somebody can name the DMO now. Raises Refusal ``season.archived``,
    ``season.not-running``, ``choice.not-yours``, ``choice.closed`` and ``choice.too-late``."""
    must_not_be_archived(episode.round.season)
    must_be_running(episode.round.season)
    must_be_able_to_choose(episode, acting_user)
    if episode.status != EpisodeStatus.CHOOSING:
        # An episode that is done can become a death match again, but by a correction only.
        raise Refusal(
            "choice.closed",
            f"This episode is “{episode.get_status_display()}”: nobody chooses now.",
        )
    is_ec = audience.may_choose_dmo(episode, acting_user)
    if is_ec and episode.choose_by is not None and instant(at) > episode.choose_by:
        raise Refusal("choice.too-late", "The time to choose is over: an organiser decides.")


def must_be_able_to_choose(episode: Episode, acting_user: User) -> None:
    """The EC is, at whatever time, and organisers. Raises Refusal ``choice.not-yours``."""
    is_ec = episode.ec is not None and episode.ec.user_id == acting_user.pk
    if not is_ec and not audience.may_manage(episode.round.season, acting_user):
        raise Forbidden("choice.not-yours", "The EC chooses, or an organiser.")


def _choice_words(
    episode: Episode, ec: Contestant, dmo: Contestant, at: datetime, *, is_ec: bool
) -> str:
    if is_ec:
        return f"{ec.name} chooses {dmo.name}."
    named = f"The organisers name {dmo.name} to meet {ec.name}"
    late = episode.choose_by is not None and at > episode.choose_by
    return f"{named}, whose time to choose is over." if late else f"{named}."


def choices_run_out(at: datetime, at_most: int) -> list[Episode]:
    """Episodes whose time to choose is over, of which the organisers have not been told."""
    over = (
        Episode.objects.filter(
            status=EpisodeStatus.CHOOSING,
            choose_by__lt=at,
            round__season__status=SeasonStatus.RUNNING,
        )
        # Nobody could name the DMO; they are told when it is out of the archive again.
        .exclude(round__season__visibility=Visibility.ARCHIVED)
        .filter(Q(expiry_told_for__isnull=True) | ~Q(expiry_told_for=F("choose_by")))
        .select_related("round")
        .order_by("choose_by")
    )
    return guard.readable("episodes.choice", over, at_most=at_most)


@transaction.atomic
def choice_expire(*, episode: Episode, at: datetime | None = None) -> bool:
    """Tell the organisers, once, that the EC's time to choose is over; whether they were told.
    Idempotent; from the sweep."""
    season = season_lock(episode.round.season_id)
    fresh = _fresh(episode)
    at = instant(at)
    due = fresh.status == EpisodeStatus.CHOOSING and fresh.choose_by is not None
    if season.status != SeasonStatus.RUNNING or season.visibility == Visibility.ARCHIVED:
        return False
    if not due or at <= (fresh.choose_by or at):
        return False
    if fresh.expiry_told_for == fresh.choose_by:
        return False
    fresh.expiry_told_for = fresh.choose_by
    fresh.save(update_fields=["expiry_told_for"])
    ec = fresh.ec.name if fresh.ec else "The EC"
    words = f"{ec} has not chosen in time: an organiser names the DMO."
    season_event(
        season=season,
        kind="ruling",
        words=words,
        data={"ec": fresh.ec_id, "episode": fresh.round.number},
        round=fresh.round,
        at=at,
    )
    audit_record(acting_user=None, action="episode.choice_expire", target=fresh)
    organisers_mail(season=season, subject=f"{season.name}: nobody chosen", words=words)
    return True


@transaction.atomic
def episode_skip(
    *, acting_user: User, episode: Episode, why: str, at: datetime | None = None
) -> Episode:
    """End an episode in which nobody is eliminated by a death match.

    Refusals: those of `guards.season_lock_managed`, ``season.not-running``, ``why.*``,
    ``death-match.own`` (by the EC), ``lifecycle.step``, ``episode.death-match`` (call that off
    first).
    """
    season = season_lock_managed(episode.round.season, acting_user)
    fresh = _fresh(episode)
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
    _must_have_episodes(episode.round.season)
    _must_not_be_ec(episode, acting_user)
    if episode.round.death_matches.exclude(status=DeathMatchStatus.VOID).exists():
        raise Refusal("episode.death-match", "There is a death match: call it off first.")
    lifecycle.step(lifecycle.EPISODE, episode.status, EpisodeStatus.SKIPPED, "The episode")


def _must_not_be_ec(episode: Episode, acting_user: User) -> None:
    if episode.ec is not None and episode.ec.user_id == acting_user.pk:
        raise own_death_match()


def episode_give_up(
    episode: Episode, *, why: str, at: datetime, acting_user: User | None = None
) -> None:
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


# -- the final -----------------------------------------------------------------------------------


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
    repertoire. The eliminated give items before the matches (`items.item_give`), and whoever holds
    more for a match has its advantage. Refusals: those of `guards.season_lock_managed`,
    ``season.not-running``, ``format.no-episodes``, ``round.not-closed``, ``final.two``,
    ``death-match.own`` (a finalist says how it is played), ``final.games``, ``best-of.odd``,
    ``season.repertoire``, ``setup.*``, ``round.name.*``.
    """
    locked = season_lock_managed(season, acting_user)
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
    number = _next_number(locked)
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
    _must_have_episodes(season)
    _must_all_be_closed(season)
    active = sorted(
        season.contestants.filter(status=ContestantStatus.ACTIVE).select_related("user"),
        key=lambda each: (each.seed is None, each.seed or 0, each.pk),
    )
    if len(active) != 2:
        raise Refusal("final.two", f"The final is for two; {len(active)} are left.")
    return active


# -- what follows from results -------------------------------------------------------------------
