"""A deletion takes somebody's name out of what is about them, and changes no other word: whatever
they are called, and whoever else is called so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.leaving import services
from accounts.models import User
from core.clock import now_utc
from games.models import MatchEntry
from tests.games.support import committing, started, user_named
from tests.tournaments.support import GAME, START, organiser_named
from tests.webhooks.support import Stage
from tournaments.models import Contestant, Season, SeasonEvent
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate
from tournaments.webhooks.kinds import CHOICES
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db

#: Words, numbers and keys of what is written down, and what a name can be besides.
NAMES = (
    "2026", "1", "Round", "Round 1", "bye", "away", "home", "match", "wins", "is", "May", "score",
    "Former", "player", "Max *the* Hammer_", "Zoë “Zed”", 'Q"uote\\r', "日本",
)  # fmt: skip
#: Nobody else is called so, and no word has it in it.
PLAIN = "Zyxwanda Quill"


def erased(user: User) -> User:
    with committing():
        return services.user_erase(user=user)


def without_ids(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: without_ids(each) for key, each in data.items()}
    if isinstance(data, list):
        return [without_ids(each) for each in data]
    return None if isinstance(data, int) else data


def history(kind: str, name: str, number: int) -> list[tuple[str, str, Any]]:
    """What a season's events say after a player of that name is gone."""
    player = user_named(f"player-{number}", display_name=name)
    others = [user_named(f"other-{number}-{seat}", display_name=f"Ada {seat}") for seat in range(2)]
    organiser = organiser_named(f"quorlinda-{number}")
    User.objects.filter(pk=organiser.pk).update(display_name="Quorlinda")
    organiser.refresh_from_db()
    plan = Plan(
        format=kind, contestants=3, start=START, seed=1, quick=True, repertoire=(GAME,),
        drop_outs=0, voids=1, corrections=1, no_shows=1, best_of=3,
    )  # fmt: skip
    with committing():
        season = season_simulate(plan=plan, organiser=organiser, players=[player, *others])
    erased(player)
    rows = SeasonEvent.objects.filter(season=season).order_by("pk")
    slug = season.slug
    assert Client().get(reverse("tournaments:history", args=[slug])).status_code == 200
    assert Client().get(reverse("api:season_events", args=[slug])).status_code == 200
    return [(row.kind, row.words, without_ids(row.data)) for row in rows]


@pytest.mark.parametrize("kind", ["elimination", "round-robin"])
def test_a_history_reads_the_same_whatever_somebody_was_called(db: None, kind: str) -> None:
    plain = history(kind, PLAIN, 0)
    assert any("Former player" in words for _, words, _ in plain)
    for number, name in enumerate(NAMES, 1):
        told = history(kind, name, number)
        assert told == plain, name


def test_what_is_not_about_them_keeps_every_word(stage: Stage, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(display_name="Round")
    Contestant.objects.filter(pk=stage.home.pk).update(name="Round")
    for flavour in Webhook.Flavour.values:
        Webhook.objects.create(
            season=stage.season, name=flavour, url="https://h.example/", flavour=flavour,
            kinds=list(CHOICES), created_by=stage.orla,
            secret="s" * 32 if flavour == Webhook.Flavour.JSON else "",
        )  # fmt: skip
    stage.event("round.opened", words="Round 1 begins.", round=stage.round,
                data={"round": 1, "name": "Round"})  # fmt: skip
    stage.event("ruling", words="Round up the hours.")
    stage.event("contestant.withdrawn", words="Round withdraws: Round is ill.",
                contestant=stage.home, data={"contestant": stage.home.pk, "name": "Round",
                                             "why": "Round is ill"})  # fmt: skip
    finished: dict[str, Any] = {"status": "finished", "finished_at": now_utc()}
    Season.objects.filter(pk=stage.season.pk).update(**finished)
    before = {each.pk: json.loads(each.body) for each in Delivery.objects.all()}
    assert before
    erased(ada)
    opened, ruled, left = SeasonEvent.objects.order_by("pk")
    assert (opened.words, opened.data["name"]) == ("Round 1 begins.", "Round")
    assert ruled.words == "Round up the hours."
    assert left.words.startswith("Former player withdraws")
    assert left.data["name"] == "Former player"
    for delivery in Delivery.objects.select_related("event", "webhook"):
        told = json.loads(delivery.body)
        # Never a key, and no more than the event itself says.
        assert told.keys() == before[delivery.pk].keys()
        assert delivery.event is not None
        if delivery.webhook.flavour == Webhook.Flavour.DISCORD:
            assert told["content"] == delivery.event.words
            continue
        assert told["data"] == delivery.event.data
        assert told["words"] == delivery.event.words
        assert told["round"] == before[delivery.pk]["round"]


def test_another_who_acted_under_the_name_keeps_it(orla: User, ada: User, ben: User) -> None:
    User.objects.filter(pk__in=[ada.pk, orla.pk]).update(display_name="Ada Lee")
    for user in (ada, orla):
        user.refresh_from_db()
    play = started((ada, ben))
    play.act(orla, "pause", 1000)
    play.act(orla, "resume", 2000)
    play.move(0, "concede", 5000)
    before = list(MatchEntry.objects.order_by("pk").values("by_name", "events"))
    assert any(each["by_name"] == "Ada Lee" for each in before)
    erased(ada)
    assert list(MatchEntry.objects.order_by("pk").values("by_name", "events")) == before


def test_entries_keep_every_word_but_the_name(ada: User, ben: User, orla: User) -> None:
    User.objects.filter(pk=orla.pk).update(display_name="organiser")
    orla.refresh_from_db()
    play = started((ada, ben))
    play.act(orla, "pause", 1000)
    play.act(orla, "resume", 2000)
    play.move(0, "concede", 5000)
    own = MatchEntry.objects.filter(by=orla).order_by("pk")
    before = [event["text"] for entry in own for event in entry.events]
    erased(orla)
    assert [event["text"] for entry in own.all() for event in entry.events] == before
    said = [event["data"].get("by") for entry in own.all() for event in entry.events]
    assert set(said) == {"Former player"}
