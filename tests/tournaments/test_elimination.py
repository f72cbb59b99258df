"""An elimination season from its start to its winner."""

from __future__ import annotations

from accounts.models import User
from tests.tournaments.support import (
    after,
    begun,
    chosen,
    conceded,
    episode_now,
    fresh,
    kinds,
    leg_of,
    played,
    running,
    who,
)
from tournaments.formats.elimination.final import final_open
from tournaments.models import Season


def test_from_start_to_winner(orla: User) -> None:
    season = running(orla, 4)
    assert episode_now(season).round.name == "Episode 1"

    # Player 4 comes last and chooses Player 2, who has the advantage and loses.
    death_match = chosen(orla, season, ec=4, dmo=2)
    assert (death_match.home, death_match.away) == (who(season, 4), who(season, 2))
    leg = leg_of(death_match)
    assert (leg.advantage, leg.ruleset) == (1, "tetronogo")
    leg = begun(orla, death_match)
    assert leg.match is not None
    assert leg.match.advantage == 1
    assert [each.user_id for each in leg.match.referees.all()] == [orla.pk]
    conceded(leg, winner=0)
    death_match = fresh(death_match)
    assert (death_match.status, death_match.winner, death_match.how) == (
        "decided", who(season, 4), "played",
    )  # fmt: skip
    loser = who(season, 2)
    assert (loser.status, loser.place) == ("eliminated", 4)
    assert episode_now(season).status == "done"
    assert episode_now(season).round.status == "closed"

    played(orla, chosen(orla, season, ec=1, dmo=3, at=after(days=1)), winner=1)
    assert (who(season, 1).status, who(season, 1).place) == ("eliminated", 3)

    final = final_open(acting_user=orla, season=season, best_of=3, at=after(days=2))
    assert (final.home, final.away) == (who(season, 3), who(season, 4))
    played(orla, final, winner=1)
    final = played(orla, final, winner=0)
    assert (final.home_score, final.away_score, final.status) == (1, 1, "running")
    final = played(orla, final, winner=1)
    assert (final.home_score, final.away_score, final.winner) == (1, 2, who(season, 4))
    season = Season.objects.get(pk=season.pk)
    assert (season.status, season.winner) == ("finished", who(season, 4))
    assert [who(season, number).place for number in (1, 2, 3, 4)] == [3, 4, 2, 1]
    assert kinds(season)[-1] == "season.finished"
