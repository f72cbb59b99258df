"""An elimination season in a simulation: episodes, the EC's choice, gifts and the final."""

from __future__ import annotations

from games.engine.chance import choose, shuffled
from tournaments.formats.elimination import choice, episodes, main_match
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.main_match import Placing
from tournaments.items import catalogue
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant, DeathMatch, Episode
from tournaments.services.deathmatches import sides_of
from tournaments.services.items import gifts
from tournaments.services.scheduling import sweep
from tournaments.simulation.death_matches import death_match_play
from tournaments.simulation.plan import games_with_items, repertoire_of_all
from tournaments.simulation.players import drop_out
from tournaments.simulation.run import Run


def episodes_play(run: Run) -> None:
    """Play episodes until two are left, then the final."""
    while run.goes_on():
        if run.season.rounds.exclude(status="closed").exists():
            _play_episode(run)
        elif len(run.active()) > 2:
            if run.plan.rounds is not None and run.season.rounds.count() >= run.plan.rounds:
                return
            episodes.episode_open(
                acting_user=run.organiser, season=run.season, at=run.later(days=5)
            )
        else:
            _play_final(run)


def _play_episode(run: Run) -> None:
    episode = Episode.objects.select_related("round__season").get(
        round__season=run.season, round__status="open"
    )
    active = shuffled(run.random.random, run.active())
    if len(active) > 4 and run.happens("drop-out"):
        drop_out(run, active.pop(), at=run.later(hours=1))
    placed = [Placing(each, place, immune=place == 1) for place, each in enumerate(active, start=1)]
    ec = active[-1]
    episode = main_match.placements_record(
        acting_user=run.organiser,
        episode=episode,
        placements=placed,
        main_match=f"Game {episode.round.number}",
        at=run.later(hours=3),
    )
    dmo = choose(run.random.random, choice.choosable(episode))
    in_time = run.random.random() < 0.8
    at = run.later(hours=2 if in_time else 30)
    if not in_time:
        sweep.legs_sweep(at=at, random=run.random.random)
    death_match = choice.dmo_choose(
        acting_user=ec.user if in_time and ec.user else run.organiser,
        episode=episode,
        contestant=dmo,
        at=at,
    )
    run.say(f"{episode.round.name}: {ec.name} against {dmo.name}")
    death_match_play(run, death_match)


def _play_final(run: Run) -> None:
    games = games_with_items() or repertoire_of_all()
    while len(games) < run.plan.best_of:
        games = (games * 2)[: run.plan.best_of]
    final = final_open(
        acting_user=run.organiser,
        season=run.season,
        best_of=run.plan.best_of,
        games=games[: run.plan.best_of],
        at=run.later(days=3),
    )
    _give_items(run, final)
    run.say(f"Final: {final}")
    death_match_play(run, final)


def _give_items(run: Run, final: DeathMatch) -> None:
    """Each of the eliminated gives one item, and the organisers grant a few more."""
    givers: list[Contestant | None] = list(
        run.season.contestants.filter(status=ContestantStatus.ELIMINATED)
        .select_related("user")
        .order_by("pk")
    )
    for giver in [*givers, None, None]:
        leg = choose(run.random.random, list(final.legs.order_by("number")))
        item = choose(run.random.random, catalogue.items_for(leg.ruleset, leg.variant))
        gift = gifts.item_give(
            acting_user=run.organiser if giver is None or giver.user is None else giver.user,
            season=run.season,
            item=item.id,
            ruleset=item.ruleset,
            giver=giver,
            receiver=choose(run.random.random, sides_of(final)),
            death_match=final,
            leg_number=leg.number,
            note="Good luck!" if giver else "",
            at=run.later(minutes=10),
        )
        run.say(f"{gift.given_by.shown_name} gives {gift.receiver.name} {item.name}")
