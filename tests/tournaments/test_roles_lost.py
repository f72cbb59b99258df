"""The owner of a season loses the role of an organiser while it runs."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant, role_revoke
from games.audience import may_organise
from games.models import Match
from tests.games.support import committing
from tests.tournaments.support import organiser_joins, organiser_named, running
from tournaments.models import Leg, Season, SeasonOrganiser
from tournaments.services.legs import leg_start
from tournaments.services.organisers import season_hand_over, season_referees_refresh


def test_they_referee_nothing_any_more(orla: User) -> None:
    oscar = organiser_named("oscar")
    season = running(orla, 4, "round-robin")
    organiser_joins(acting_user=orla, season=season, user=oscar)
    season_hand_over(acting_user=orla, season=season, user=oscar)
    leg = Leg.objects.filter(death_match__round__season=season).first()
    assert leg is not None
    with committing():
        leg = leg_start(acting_user=orla, leg=leg, waits=False)
    assert leg.match is not None
    match = Match.objects.get(pk=leg.match.pk)
    root = User.objects.get(username="root")
    assert may_organise(match, User.objects.get(pk=oscar.pk))
    with committing():
        role_revoke(acting_user=root, user=oscar, role=Role.ORGANISER)
    match = Match.objects.get(pk=match.pk)
    assert not may_organise(match, User.objects.get(pk=oscar.pk))
    assert may_organise(match, User.objects.get(pk=orla.pk))
    with committing():
        role_grant(acting_user=root, user=oscar, role=Role.ORGANISER)
    assert may_organise(match, User.objects.get(pk=oscar.pk))


def test_a_match_that_is_just_beginning_is_waited_for(orla: User) -> None:
    """Its referees are chosen under the season's lock: whoever sets them anew takes that first."""
    season = running(orla, 4, "round-robin")
    with CaptureQueriesContext(connection) as queries:
        season_referees_refresh(season=season)
    asked = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
    assert (season._meta.db_table in asked[0], "FOR NO KEY UPDATE" in asked[0]) == (True, True)


def test_a_match_that_has_just_ended_is_in_nobodys_way(orla: User) -> None:
    """Its leg is settled a moment after its end."""
    oscar = organiser_named("oscar")
    season = running(orla, 4, "round-robin")
    over, on = Leg.objects.filter(death_match__round__season=season, death_match__round__number=1)
    for leg in (over, on):
        with committing():
            leg_start(acting_user=orla, leg=leg, waits=False)
    Match.objects.filter(leg=over).update(
        status=Match.Status.FINISHED,
        winner=0,
        reason="total",
        scores=[2, 1],
        wake_at=None,
        sweep_at=None,
        deadline_at=None,
        finished_at=timezone.now(),
    )
    with committing():
        organiser_joins(acting_user=orla, season=season, user=oscar)
    assert not Match.objects.get(leg=over).referees.filter(user=oscar).exists()
    assert Match.objects.get(leg=on).referees.filter(user=oscar).exists()


def test_they_see_their_drafts_no_longer(orla: User) -> None:
    season = Season.objects.create(slug="s", name="S", format="swiss", created_by=orla)
    SeasonOrganiser.objects.create(season=season, user=orla, role="owner")
    assert list(Season.objects.visible_to(orla)) == [season]
    root = User.objects.get(username="root")
    role_revoke(acting_user=root, user=orla, role=Role.ORGANISER)
    assert not Season.objects.visible_to(User.objects.get(pk=orla.pk)).exists()
