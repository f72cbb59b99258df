"""An elimination season played by bots: episodes, the EC's choice, gifts and the final."""

from __future__ import annotations

from games.engine.chance import choose, shuffled
from tournaments.formats.elimination import choice, episodes, main_match
from tournaments.formats.elimination.final import final_open
from tournaments.formats.simulation import SimulatedSeason
from tournaments.models import Episode


def episodes_play(run: SimulatedSeason) -> None:
    """Play episodes until two are left, then the final."""
    while run.goes_on():
        if run.season.rounds.exclude(status="closed").exists():
            _play_episode(run)
        elif len(run.active()) > 2:
            if run.rounds is not None and run.season.rounds.count() >= run.rounds:
                return
            episodes.episode_open(
                acting_user=run.organiser, season=run.season, at=run.later(days=5)
            )
        else:
            _play_final(run)


def _play_episode(run: SimulatedSeason) -> None:
    episode = Episode.objects.select_related("round__season").get(
        round__season=run.season, round__status="open"
    )
    active = shuffled(run.chance, run.active())
    if len(active) > 4 and run.happens("drop-out"):
        run.drop_out(active.pop(), at=run.later(hours=1))
    placed = [
        main_match.Placing(each, place, immune=place == 1)
        for place, each in enumerate(active, start=1)
    ]
    ec = active[-1]
    episode = main_match.placements_record(
        acting_user=run.organiser,
        episode=episode,
        placements=placed,
        main_match=f"Game {episode.round.number}",
        at=run.later(hours=3),
    )
    dmo = choose(run.chance, choice.choosable(episode))
    in_time = run.chance() < 0.8
    at = run.later(hours=2 if in_time else 30)
    if not in_time:
        choice.choice_expire(episode=episode, at=at)
    death_match = choice.dmo_choose(
        acting_user=ec.user if in_time and ec.user else run.organiser,
        episode=episode,
        contestant=dmo,
        at=at,
    )
    run.say(f"{episode.round.name}: {ec.name} against {dmo.name}")
    run.play(death_match)


def _play_final(run: SimulatedSeason) -> None:
    final = final_open(
        acting_user=run.organiser,
        season=run.season,
        best_of=run.best_of,
        games=run.games(run.best_of),
        at=run.later(days=3),
    )
    run.give_items(final)
    run.say(f"Final: {final}")
    run.play(final)
