"""Episodes with an elimination candidate each, and a final of the last two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from accounts.models import User
from core.clock import now_utc
from core.refusals import Refusal
from games.engine.errors import EngineFault
from tournaments import lifecycle
from tournaments.course import Course
from tournaments.formats.base import NOTHING, Follows, Format, Sweep, Task
from tournaments.formats.elimination import invariants, rules
from tournaments.formats.elimination.choice import choice_expire, choices_run_out, has_candidates
from tournaments.formats.elimination.episodes import (
    KEY,
    elimination_options,
    episode_give_up,
    episode_move,
    episode_open,
)
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.options import EliminationOptions
from tournaments.formats.elimination.simulation import episodes_play
from tournaments.formats.simulation import SimulatedSeason
from tournaments.lifecycle import (
    EPISODE_OVER,
    ContestantStatus,
    DeathMatchStatus,
    EpisodeStatus,
    RoundStatus,
)
from tournaments.models import Contestant, DeathMatch, Episode, Round, Season
from tournaments.services.deathmatches import active_of, round_close
from tournaments.services.events import season_event

TWO_LEFT: Final = "Two are left: they meet in the final."
ONE_LEFT: Final = "Only one contestant is left."


def _episode_of(death_match: DeathMatch) -> Episode | None:
    return (
        Episode.objects.select_related("round__season", "ec", "dmo")
        .filter(round=death_match.round_id)
        .first()
    )


def _sides_of(death_match: DeathMatch) -> tuple[Contestant, Contestant]:
    """Winner and loser, or whoever holds their places now."""
    home, away = death_match.home_id, death_match.away_id
    won, lost = (home, away) if death_match.winner_id == home else (away, home)
    return _holder_of(won), _holder_of(lost)


def _holder_of(contestant_id: int | None) -> Contestant:
    if contestant_id is None:
        raise EngineFault("a decided death match of an elimination season has two sides")
    holder = Contestant.objects.get(pk=contestant_id)
    while holder.status == ContestantStatus.REPLACED:
        holder = Contestant.objects.get(replaces=holder)
    return holder


class EliminationCourse(Course[EliminationOptions]):
    """An elimination season. Places are written down as people leave."""

    options_type = EliminationOptions

    @property
    def first(self) -> list[int]:
        """Whoever is left. Raises Refusal ``season.not-concluded``."""
        left = [pk for pk, each in self.holders.items() if each.status == ContestantStatus.ACTIVE]
        if len(left) != 1:
            raise Refusal("season.not-concluded", "An elimination season ends with its final.")
        return left


def places_derive(season: Season) -> None:
    """Write down the place of everybody who is out (`rules.places`), whenever somebody leaves or
    comes back, under the season's lock."""
    course = EliminationCourse.of(season)
    lost = rules.last_losses(course.results)
    began = season.started_at or season.created_at
    out = [
        rules.Departure(
            pk,
            each.left_at or began,
            lost.get(pk) if each.status == ContestantStatus.ELIMINATED else None,
        )
        for pk, each in course.holders.items()
        if each.status in (ContestantStatus.ELIMINATED, ContestantStatus.WITHDRAWN)
    ]
    opened = list(season.rounds.order_by("number").values_list("number", "opened_at"))
    changed = []
    for pk, place in rules.places(out, opened, active_of(season)).items():
        contestant = course.holders[pk]
        if contestant.place != place:
            contestant.place = place
            changed.append(contestant)
    Contestant.objects.bulk_update(changed, ["place"])


class Elimination(Format):
    """Episodes, each with an EC who chooses a DMO, until two are left for the final."""

    key = KEY
    name = "Elimination season"
    summary = "Episodes: who comes last meets an opponent of their choice, and the loser is out."
    least = 3
    course_type = EliminationCourse
    gifts = True
    episodes = True
    sweeps = (
        Sweep(
            "episodes.choice",
            choices_run_out,
            lambda at, episode: choice_expire(episode=episode, at=at),
        ),
    )
    ends_by_order = False
    season_template = "tournaments/formats/elimination/season.html"
    waits = "The main match decides who comes last, and that contestant chooses an opponent."

    def tasks(self, course: Course[Any]) -> Iterator[Task]:
        """The episode that is on, or the next one, or the final."""
        season = course.season
        left = active_of(season)
        now = season.rounds.exclude(status=RoundStatus.CLOSED).order_by("number").last()
        if now is None:
            if left == 2:
                yield Task("Two are left.", "final", "Open the final", 2)
            elif left > 2:
                yield Task("The next episode can begin.", "episode", "Open it", 2)
            return
        episode = Episode.objects.filter(round=now).select_related("ec").first()
        if episode is None:
            return
        if episode.status == EpisodeStatus.MAIN_MATCH:
            words = f"{now.name}: how did the main match end?"
            yield Task(words, "episode", "Record it", 2, does=("placements", now.number))
        elif episode.status == EpisodeStatus.CHOOSING:
            does = ("choose", now.number)
            if episode.choose_by is not None and episode.choose_by < now_utc():
                words = f"{now.name}: {episode.ec} has not chosen in time."
                yield Task(words, "episode", "Name the DMO yourself", 2, does=does)
            else:
                words = f"{now.name}: {episode.ec} is choosing an opponent."
                yield Task(words, "episode", "Name the DMO yourself", 0, does=does)

    def faults(
        self, *, season: Season, death_matches: Sequence[DeathMatch], lenient: bool
    ) -> Iterator[str]:
        """Who has lost is out, places are given once, the DMO has the advantage."""
        del lenient
        yield from invariants.faults_of(season, death_matches)

    def gives_items(self, season: Season) -> bool:
        """As its organisers chose."""
        return elimination_options(season).items

    def advantage_by_items(self, played: Round) -> bool | None:
        """In the final; before it the DMO has the advantage."""
        return played.is_final

    def must_be_endable(
        self, *, season: Season, open_matches: int, acting_user: User | None
    ) -> None:
        """One is left. Raises Refusal ``season.no-winner``."""
        del open_matches, acting_user
        left = active_of(season)
        if left != 1:
            raise Refusal("season.no-winner", f"There are {left} contestants left, not one.")

    def must_be_closable(self, *, round: Round) -> None:  # noqa: A002
        """Nobody has been eliminated, nor was the episode skipped: ``round.episode-open``."""
        if Episode.objects.filter(round=round).exclude(status__in=EPISODE_OVER).exists():
            raise Refusal(
                "round.episode-open",
                f"{round.name} is not over: have a death match decide it, or say that nobody "
                "leaves.",
            )

    def round_open(
        self, *, season: Season, acting_user: User, lenient: bool, at: datetime
    ) -> tuple[Round, Follows]:
        """The next episode, or the final of the last two. Raises Refusal as `episode_open` and
        `final_open` do."""
        del lenient
        if active_of(season) > 2:
            return episode_open(acting_user=acting_user, season=season, at=at).round, NOTHING
        return final_open(acting_user=acting_user, season=season, at=at).round, NOTHING

    def on_started(self, *, season: Season, acting_user: User | None, at: datetime) -> Follows:
        """The first episode opens."""
        episode_open(acting_user=acting_user, season=season, at=at)
        return NOTHING

    def on_decided(self, *, death_match: DeathMatch, at: datetime) -> Follows:
        """The loser is out, in the place that is then free."""
        season = death_match.round.season
        winner, loser = _sides_of(death_match)
        if winner.status != ContestantStatus.ACTIVE:
            raise Refusal(
                "death-match.winner-left",
                f"{winner} is out of the season and cannot win: call the death match off.",
            )
        leaves = loser.status == ContestantStatus.ACTIVE
        if leaves:
            loser.status = lifecycle.step(
                lifecycle.CONTESTANT, loser.status, ContestantStatus.ELIMINATED, loser.shown_name
            )
            loser.left_at = at
            loser.save(update_fields=["status", "left_at"])
        places_derive(season)
        if leaves:
            loser.refresh_from_db(fields=["place"])
            season_event(
                season=season,
                kind="contestant.eliminated",
                words=f"{loser.name} is eliminated, in place {loser.place}.",
                data={"contestant": loser.pk, "name": loser.name, "place": loser.place},
                death_match=death_match,
                contestant=loser,
                at=at,
            )
        episode = _episode_of(death_match)
        if episode is not None:
            episode_move(episode, EpisodeStatus.DONE)
        return NOTHING

    def must_be_undoable(self, *, death_match: DeathMatch) -> None:
        """Not where what came later rests on the loser's absence: ``correct.played-on``,
        ``correct.final``."""
        season = death_match.round.season
        winner, loser = _sides_of(death_match)
        later = DeathMatch.objects.filter(
            round__season=season, round__number__gt=death_match.round.number
        ).exclude(status=DeathMatchStatus.VOID)
        for played in later:
            # A loser who came back since may have played on as well.
            for side in (winner, loser):
                if side.pk in (played.home_id, played.away_id):
                    raise Refusal(
                        "correct.played-on",
                        f"{side.shown_name} is in a later death match ({played}): "
                        "call that off first, the last one before the others.",
                    )
        if later.filter(round__is_final=True).exists():
            raise Refusal("correct.final", "The final has been opened: call it off first.")
        choosing = Episode.objects.filter(
            round__season=season, status=EpisodeStatus.CHOOSING, ec__in=[winner, loser]
        ).first()
        if choosing is not None:
            raise Refusal(
                "correct.played-on",
                f"{choosing.ec} is the EC of {choosing.round.name}: end that episode first.",
            )

    def on_undone(self, *, death_match: DeathMatch, at: datetime) -> None:
        """The loser is back in."""
        season = death_match.round.season
        _winner, loser = _sides_of(death_match)
        if loser.status == ContestantStatus.ELIMINATED:
            loser.status = lifecycle.step(
                lifecycle.CONTESTANT, loser.status, ContestantStatus.ACTIVE, loser.shown_name
            )
            loser.place = loser.left_at = None
            loser.save(update_fields=["status", "left_at", "place"])
            season_event(
                season=season,
                kind="contestant.restored",
                words=f"{loser.name} is back in.",
                data={"contestant": loser.pk, "name": loser.name},
                death_match=death_match,
                contestant=loser,
                at=at,
            )
        places_derive(season)
        episode = _episode_of(death_match)
        if episode is not None:
            episode_move(episode, EpisodeStatus.DEATH_MATCH)

    def on_voided(self, *, death_match: DeathMatch, at: datetime) -> None:
        """The EC chooses again, with the whole time; an EC who is out does not, and the episode
        ends. A final is opened anew."""
        episode = _episode_of(death_match)
        if episode is None:
            # There can be one final only: this round was none.
            played = death_match.round
            played.is_final = False
            played.save(update_fields=["is_final"])
            round_close(acting_user=None, round=played, at=at)
            return
        if episode.ec is None or episode.ec.status != ContestantStatus.ACTIVE:
            _end_without(episode, "The EC is out of the season.", at)
            return
        if active_of(death_match.round.season) == 2:
            _end_without(episode, TWO_LEFT, at)
            return
        choose_by = at + timedelta(hours=elimination_options(death_match.round.season).choice_hours)
        episode_move(
            episode,
            EpisodeStatus.CHOOSING,
            dmo=None,
            chosen_at=None,
            chosen_by=None,
            choose_by=choose_by,
        )
        season_event(
            season=death_match.round.season,
            kind="episode.choosing",
            words=f"{episode.ec.name} is the EC as before, and chooses again.",
            data={"ec": episode.ec.pk, "choose_by": choose_by.isoformat()},
            round=episode.round,
            contestant=episode.ec,
            at=at,
        )

    def complete(self, *, round: Round, at: datetime) -> Follows:  # noqa: A002
        """The round closes; after the final the season has its winner."""
        round_close(acting_user=None, round=round, at=at)
        return Follows(concludes=active_of(round.season) == 1)

    def must_admit(self, *, season: Season) -> None:
        """A late entry plays along from the next main match on, unless the final has come:
        ``final.begun``."""
        if season.rounds.filter(is_final=True).exists():
            raise Refusal("final.begun", "The final has been opened: nobody can enter any more.")

    def on_entered(self, *, season: Season) -> None:
        """Whoever has left has more people before them now."""
        places_derive(season)

    def on_left(self, *, contestant: Contestant, at: datetime) -> Follows:
        """Who leaves takes the place that is free then. An EC who leaves ends the episode; so does
        whoever leaves two behind, who meet in the final."""
        season = contestant.season
        places_derive(season)
        contestant.refresh_from_db(fields=["place"])
        still_in = active_of(season)
        undecided = Episode.objects.select_related("round__season").filter(
            round__season=season, status__in=[EpisodeStatus.MAIN_MATCH, EpisodeStatus.CHOOSING]
        )
        for episode in undecided:
            choosing = episode.status == EpisodeStatus.CHOOSING
            if choosing and episode.ec_id == contestant.pk:
                _end_without(episode, f"{contestant.name} has left as the EC.", at)
            elif still_in <= 2:
                _end_without(episode, TWO_LEFT if still_in == 2 else ONE_LEFT, at)
            elif choosing and not has_candidates(episode):
                _end_without(episode, "There is nobody left to choose.", at)
        return Follows(concludes=active_of(season) == 1)

    def on_replaced(self, *, old: Contestant, new: Contestant, at: datetime) -> None:
        """The part in an open episode has been taken over already; the places follow, and a new EC
        is told what is to be done, and until when."""
        places_derive(new.season)
        choosing = Episode.objects.select_related("round").filter(
            round__season=new.season_id, status=EpisodeStatus.CHOOSING, ec=new
        )
        for episode in choosing:
            until = episode.choose_by
            season_event(
                season=new.season,
                kind="episode.choosing",
                words=f"{new.name} is the EC in {old.name}'s place.",
                data={
                    "ec": new.pk,
                    "choose_by": None if until is None else until.isoformat(),
                    "follows": "contestant.replaced",
                },
                round=episode.round,
                contestant=new,
                at=at,
            )

    def simulate(self, run: SimulatedSeason) -> None:
        """Episodes and a final."""
        episodes_play(run)

    def places(self, course: Any) -> dict[int, int] | None:
        """Written down already."""
        del course
        return None


def _end_without(episode: Episode, why: str, at: datetime) -> None:
    episode_give_up(episode, why=why, at=at)
    round_close(acting_user=None, round=episode.round, at=at)


FORMAT = Elimination()
