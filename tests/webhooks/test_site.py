"""Webhooks of the real site, sent by its real worker, to a receiver that fails and one that plays
Discord."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.site import Site
from tests.webhooks.receiver import hanging, receiving, status

SEASON = """
from django.db import transaction
from django.utils import timezone
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from games.models import Match
from games.services.matches import match_start
from games.services.turns import match_submit
from core.clock import now_ms
from games import store
from tournaments.models import *
from tournaments.services.events import season_event
from tournaments.webhooks.services import webhook_create
from tournaments.webhooks.models import Webhook

name = {name!r}
root = User.objects.create_superuser(name + "root")
orla = User.objects.create_user(name + "orla")
role_grant(acting_user=root, user=orla, role=Role.ORGANISER)
ada, ben = (User.objects.create_user(name + who) for who in ("ada", "ben"))
season = Season.objects.create(
    slug=name, name="Season", format="round-robin", visibility="listed", status="running",
    started_at=timezone.now(), created_by=orla)
SeasonOrganiser.objects.create(season=season, user=orla)
sides = [Contestant.objects.create(season=season, user=u, name=u.shown_name, status="active")
         for u in (ada, ben)]
stage = Round.objects.create(season=season, number=1, name="Round 1")
pair = DeathMatch.objects.create(
    round=stage, number=1, home=sides[0], away=sides[1], status="planned")
leg = Leg.objects.create(death_match=pair, ruleset="tetronogo", variant="standard")
for url, flavour, kinds in {webhooks!r}:
    webhook_create(acting_user=orla, season=season, name=flavour, url=url, flavour=flavour,
                   kinds=kinds)
"""

EVENTS = """
for words in ("one", "two", "three"):
    with transaction.atomic():
        season_event(season=season, kind="ruling", words=words)
"""

PLAY = """
with transaction.atomic():
    match = match_start(acting_user=ada, players=(ada, ben), ruleset_id="tetronogo",
                        variant="standard", advantage=0)
    leg.match, leg.status, leg.started_at = match, "running", timezone.now()
    leg.save()
    season_event(season=season, kind="death-match.started", words="It begins.", leg=leg)
for number, (seat, text) in enumerate(((0, "pick T"), (1, "pick L"))):
    version = store.read(match.pk).readers.versions[seat]
    print(match_submit(match_id=match.pk, seat=seat, acting_user=(ada, ben)[seat],
                       client_id="id-" + str(number), text=text, version=version, at=now_ms()))
"""


def test_a_receiver_that_fails_gets_it_again_in_order(
    site: Site, wait_until: Callable[..., Any]
) -> None:
    with receiving() as receiver:
        receiver.manners += [status(500), status(204)]
        webhooks = [(receiver.url, "json", ["ruling"])]
        site.python(SEASON.format(name="hooked", webhooks=webhooks) + EVENTS)
        taken = receiver.wait(4, timeout=30)
        assert [each.json["words"] for each in taken] == ["one", "one", "two", "three"]
        assert taken[0].headers["gauntlet-delivery"] == taken[1].headers["gauntlet-delivery"]
        wait_until(lambda: _statuses(site, "hooked") == {"delivered": 3})


def test_discord_sees_the_board_of_a_live_match(site: Site) -> None:
    with receiving() as receiver:
        kinds = ["death-match.started", "death-match.turn"]
        webhooks = [(receiver.discord_url, "discord", kinds)]
        answers = site.python(SEASON.format(name="discorded", webhooks=webhooks) + PLAY)
        assert answers.count("Ack(") == 2, answers
        taken = receiver.wait(2, timeout=30)
        titles = [each.message["embeds"][0]["title"] for each in taken]
        assert titles == ["A death match began", "A turn"]
        assert taken[1].parts["files[0]"][1].startswith(b"\x89PNG")


def test_a_slow_receiver_does_not_hold_up_others(site: Site) -> None:
    with receiving() as slow, receiving() as quick:
        slow.manners += [hanging] * 5
        seasons = [
            SEASON.format(name=name, webhooks=[(receiver.url, "json", ["ruling"])]) + EVENTS
            for name, receiver in (("slowly", slow), ("quickly", quick))
        ]
        site.python("\n".join(seasons))
        assert [each.json["words"] for each in quick.wait(3, timeout=20)] == ["one", "two", "three"]
        assert len(slow.taken) == 1


def _statuses(site: Site, slug: str) -> dict[str, int]:
    rows = site.sql(
        "SELECT d.status, count(*) FROM tournaments_delivery d"
        " JOIN tournaments_webhook w ON w.id = d.webhook_id"
        " JOIN tournaments_season s ON s.id = w.season_id WHERE s.slug = %s GROUP BY 1",
        slug,
    )
    return dict(rows)
