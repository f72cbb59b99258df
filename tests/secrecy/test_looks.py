"""What moderators and administrators can look at, and leave an entry for, is never what players of
a match that is on hide from each other: every page of the admin site, lists, rows and pages of
actions alike, and what the API and the pages of the match say to them, for matches of every ruleset
that differ in nothing but a secret."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from difflib import unified_diff
from typing import Any

import pytest
import time_machine
from django.contrib import admin
from django.urls import reverse

from accounts.models import Report, User
from core.admin.actions import ActionsAdmin
from core.admin.links import list_address
from games.models import (
    Challenge,
    ChatMessage,
    FeaturedMatch,
    HostedMatch,
    Match,
    MatchCommentator,
    MatchEntry,
    Prediction,
)
from tests.games import test_secrecy as secrecy
from tests.games.support import T0, Play
from tests.secrecy import test_every_route as every
from tests.secrecy.test_every_route import (  # noqa: F401  (fixtures)
    about_a_match,
    gathered,
    stage,
    theatre,
)
from tests.support.depth import some
from tests.webhooks.support import Stage as SeasonStage
from tournaments.models import DeathMatch, Gift, Leg

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# Rows of a model whose pages are looked at: those that the match is about are among the last.
ROWS = 2
#: What is told of a match in the admin site besides what leads to one (`of_matches`).
BESIDES = {"accounts.auditentry", "accounts.report"}
#: Of which no row can be looked at as long as a match is on, and why.
NEVER_SHOWN = {
    "games.matchentry": "Only those of matches that are over are shown.",
    "games.prediction": "Likewise.",
    "games.ratingruling": "Only results that are there are ruled on.",
    "games.waitingruling": "Likewise.",
}
# Numbers begin here in both runs.
ENTRIES = range(70_001, 70_007)
_HEADS = ("---", "+++", "@@ ")


def row_pages() -> Iterator[str]:
    """The pages of the last rows of everything, with their histories and those of what can be done
    to them."""
    for model, model_admin in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        actions = model_admin.row_actions if isinstance(model_admin, ActionsAdmin) else ()
        last = model._base_manager.order_by("-pk").values_list("pk", flat=True)[:ROWS]
        # How many entries a match has may be a secret: the same numbers are asked for of both.
        for pk in ENTRIES if model is MatchEntry else last:
            yield reverse(f"{name}_change", args=[pk])
            yield reverse(f"{name}_history", args=[pk])
            yield from (reverse(f"{name}_{action.name}", args=[pk]) for action in actions)


def of_matches() -> set[str]:
    """The models of the admin site with rows that belong to a match, a leg or a death match, or to
    which one belongs."""
    parts = {Match, Leg, DeathMatch}
    found = {model._meta.label_lower for model in admin.site._registry if model in parts}
    for model in admin.site._registry:
        if parts & {field.related_model for field in model._meta.get_fields()}:
            found.add(model._meta.label_lower)
    return found | BESIDES


def furnish(play: Play, cleo: User, at_stage: SeasonStage) -> None:
    """A row of each of these about a match that is on, whatever its players hide."""
    match, orla = play.match, at_stage.orla
    if Challenge.objects.filter(match=match).exists():
        return
    at = datetime.fromtimestamp(T0 / 1000, UTC)
    ada, ben = play.players
    FeaturedMatch.objects.create(match=match, since=at)
    # In some matches she comments already, or has predicted.
    MatchCommentator.objects.get_or_create(
        match=match, user=cleo, defaults={"named_by": orla, "at": at}
    )
    Prediction.objects.get_or_create(match=match, user=cleo, defaults={"seat": 0, "at": T0})
    for number, room in enumerate(("players", "spectators")):
        author = (ada, cleo)[number]
        ChatMessage.objects.create(
            match=match, room=room, author=author, client_id=f"c{number}", text="Hello.", at=T0
        )
    about = {"ruleset": match.ruleset, "variant": match.variant, "match": match}
    times = {"created_at": at, "expires_at": at}
    Challenge.objects.create(
        challenger=ada, opponent=ben, status=Challenge.Status.ACCEPTED, **about, **times
    )
    HostedMatch.objects.create(
        host=orla, first=ada, second=ben, status=HostedMatch.Status.BEGUN,
        first_accepted_at=at, second_accepted_at=at, **about, **times,
    )  # fmt: skip
    Report.objects.create(
        reporter=cleo, about=ada, target_type="games.match", target_id=str(match.pk),
        title=f"Match {match.pk}", reason=Report.Reason.CHEATING, words="Look at it.", at=at,
    )  # fmt: skip
    for secret in (False, True):
        Gift.objects.create(
            season=at_stage.season, item="block", giver=at_stage.away, receiver=at_stage.home,
            death_match=at_stage.death_match, secret=secret, given_at=at, given_by=orla,
        )  # fmt: skip


def different(one: Any, two: Any) -> list[str]:
    """The lines in which two answers differ."""
    before, after = (str(each).replace("\\n", "\n").splitlines() for each in (one, two))
    return [
        line for line in unified_diff(before, after, lineterm="", n=0) if line[:3] not in _HEADS
    ]


@pytest.mark.parametrize("ruleset", some(list(secrecy.TWINS), 2))
def test_nothing_secret_is_ever_looked_at(  # noqa: PLR0917  (fixtures)
    ruleset: str,
    theatre: secrecy.Stage,  # noqa: F811
    stage: SeasonStage,  # noqa: F811
    cleo: User,
    mona: User,
    root: User,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    lists = every.administration

    def everything(play: Play) -> Iterator[str]:
        furnish(play, cleo, stage)
        yield from lists(play)
        yield from row_pages()

    monkeypatch.setattr(every, "administration", everything)
    twins = secrecy.TWINS[ruleset][0]()
    people = {"cleo": cleo, "orla": stage.orla, "mona": mona, "root": root}
    # The pages of the site are asked by them in `test_every_route`.
    routes = [route for route in about_a_match() if route.name.startswith("api:")]
    with time_machine.travel(datetime.fromtimestamp(T0 / 1000 + 3600, UTC), tick=False):
        one, two = gathered(
            ruleset, twins, theatre, stage, people, monkeypatch, asked=routes,
            asking={"mona": mona, "root": root},
        )  # fmt: skip
    # Rows that are nobody's to see yet may have other numbers, or not be there: their pages are not
    # shown. What is shown of both is at the same addresses.
    for asked in one.keys() ^ two.keys():
        status: Any = (one.get(asked) or two.get(asked))[0]  # type: ignore[index]
        assert status in (302, 403, 404, 405), asked
    pages = {asked for asked in one if "/change/" in asked}
    for who in ("mona", "root"):
        assert sum(asked.startswith(f"{who} ") for asked in pages) >= 10, who
    assert any("/games/matchentry/" in page for page in pages)
    shown = {
        model._meta.label_lower
        for model in admin.site._registry
        if any(
            page.startswith(f"root {list_address(model)}") and one[page][0] == 200  # type: ignore[index]
            for page in pages
        )
    }
    gifts = [asked for asked in one if "/tournaments/gift/" in asked and "/change/" in asked]
    assert {one[asked][0] for asked in gifts} == {200, 302}, "what is given in secret is withheld"  # type: ignore[index]
    assert of_matches() - shown == NEVER_SHOWN.keys(), "one is looked at, or comes up, nowhere"
    for asked in one.keys() & two.keys():
        if one[asked] != two[asked]:
            with subtests.test(asked):
                assert different(one[asked], two[asked]) == []
