"""A season with a death match, its webhooks, and a clock that the test turns."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.clock import now_utc
from games.models import Match
from tests.games.support import Play, committing, started
from tests.support.workers import set_up
from tournaments.jobs import WEBHOOK_CLOCK, WEBHOOK_DISABLED, WEBHOOK_DRAIN, WEBHOOK_TURN
from tournaments.models import (
    Contestant,
    DeathMatch,
    Leg,
    Round,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.services.events import season_event
from tournaments.webhooks import sending, services, tasks
from tournaments.webhooks.kinds import CHOICES
from tournaments.webhooks.models import Delivery, Webhook


class Stage:
    """Where webhooks are tried out."""

    def __init__(self, orla: User, ada: User, ben: User, patch: pytest.MonkeyPatch) -> None:
        self.orla, self.ada, self.ben = orla, ada, ben
        self.patch = patch
        self.at = now_utc()
        self.workers = set_up(patch)
        # What workers would be told of matches is done at once.
        self.workers.at_once[WEBHOOK_TURN] = tasks.announce_turn
        self.workers.at_once[WEBHOOK_CLOCK] = tasks.announce_clock
        now = timezone.now()
        self.season = Season.objects.create(
            slug="autumn", name="Autumn *Cup*", format="round-robin", visibility="listed",
            status="running", started_at=now, created_by=orla,
        )  # fmt: skip
        SeasonOrganiser.objects.create(season=self.season, user=orla)
        self.home, self.away = (
            Contestant.objects.create(
                season=self.season, user=user, name=user.shown_name, seed=seed, status="active"
            )
            for seed, user in enumerate((ada, ben), 1)
        )
        self.round = Round.objects.create(season=self.season, number=1, name="Round 1")
        self.death_match = DeathMatch.objects.create(
            round=self.round, number=1, home=self.home, away=self.away, status="planned"
        )
        self.leg = Leg.objects.create(
            death_match=self.death_match, ruleset="tetronogo", variant="standard"
        )

    @property
    def enqueued(self) -> list[int]:
        """The webhooks that workers were asked to deal with."""
        return [webhook for (webhook,) in self.workers.of(WEBHOOK_DRAIN)]

    @property
    def mailed(self) -> list[int]:
        """Those whose end workers were asked to tell of."""
        return [webhook for (webhook,) in self.workers.of(WEBHOOK_DISABLED)]

    def webhook(
        self,
        url: str,
        *,
        kinds: Collection[str] = tuple(CHOICES),
        flavour: str = "json",
        name: str = "a program",
    ) -> Webhook:
        made = self.created(url, kinds=kinds, flavour=flavour, name=name)
        return made.webhook

    def created(self, url: str, **more: Any) -> services.WithSecret:
        arguments = {"kinds": tuple(CHOICES), "flavour": "json", "name": "a program", **more}
        with committing():
            return services.webhook_create(
                acting_user=self.orla, season=self.season, url=url, **arguments
            )

    def event(self, kind: str = "ruling", words: str = "So be it.", **more: Any) -> SeasonEvent:
        """Something happens in the season."""
        with committing(), transaction.atomic():
            return season_event(season=self.season, kind=kind, words=words, **more)

    def play(self, ruleset: str = "tetronogo", **more: Any) -> Play:
        """The death match's only leg begins."""
        with committing(), transaction.atomic():
            play = started((self.ada, self.ben), ruleset, **more)
            self.leg.ruleset = ruleset
            self.leg.status, self.leg.started_at = "running", timezone.now()
            self.leg.match = Match.objects.get(pk=play.pk)
            self.leg.save()
            season_event(
                season=self.season, kind="death-match.started", words="It begins.", leg=self.leg
            )
        return play

    def drain(self, webhook: Webhook, *, after: timedelta = timedelta(0)) -> int:
        """A worker looks at the webhook, ``after`` what the test's clock shows."""
        self.at = max(self.at, now_utc()) + after
        with committing():
            return sending.webhook_drain(
                webhook_id=webhook.pk,
                now=lambda: self.at,
                random=lambda: 0.5,  # no jitter
            )

    def deliveries(self, webhook: Webhook) -> list[Delivery]:
        return list(Delivery.objects.filter(webhook=webhook).order_by("pk"))

    def only(self, webhook: Webhook) -> Delivery:
        (delivery,) = self.deliveries(webhook)
        return delivery
