"""Rulings through the administration: only by the services, only by organisers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db.models import Model
from django.test import Client

from accounts.models import AuditEntry, User
from games.ratings.models import PairRuling, RatingRuling, WaitingRuling
from games.ratings.services import ratings_repair
from tests.pages.support import words
from tests.ratings.support import result_row

pytestmark = pytest.mark.django_db
ADD = "/admin/games/ratingruling/add/"


def test_a_ruling_is_made_changed_and_taken_back(
    visitor: Callable[..., Client], root: User, ada: User, ben: User
) -> None:
    match = result_row((ada, ben))
    browser = visitor(root)
    for counts, winner in (("nobody", None), ("1", 1)):
        page = browser.post(ADD, {"match": match.pk, "counts": counts, "why": "so"}, follow=True)
        assert "Ruled. Ratings follow within seconds." in words(page)
        assert RatingRuling.objects.get(match=match).winner == winner
    page = browser.post(ADD, {"match": match.pk, "counts": "1", "why": "so"}, follow=True)
    assert "This result counts as that player's win already." in words(page)
    browser.post(ADD, {"match": match.pk, "counts": "played", "why": "it was right"})
    assert not RatingRuling.objects.exists()
    entries = AuditEntry.objects.filter(action__startswith="rating.").order_by("id")
    assert [entry.action for entry in entries] == [
        "rating.exclude",
        "rating.correct",
        "rating.include",
    ]
    assert {entry.who for entry in entries} == {root}


def test_nobody_rules_on_their_own_match(
    visitor: Callable[..., Client], root: User, ada: User
) -> None:
    match = result_row((ada, root))
    answer = visitor(root).post(ADD, {"match": match.pk, "counts": "nobody", "why": "so"})
    assert answer.status_code == 403
    assert not RatingRuling.objects.exists()


def test_moderators_look_and_do_not_touch(
    visitor: Callable[..., Client], mona: User, ada: User, ben: User
) -> None:
    match = result_row((ada, ben))
    ratings_repair()
    User.objects.filter(pk=mona.pk).update(is_staff=True)
    mona.user_permissions.add(
        *Permission.objects.filter(codename__in=["view_rating", "view_ratingruling"])
    )
    browser = visitor(User.objects.get(pk=mona.pk))
    assert browser.get(ADD).status_code == 403
    asked = {"match": match.pk, "counts": "nobody", "why": "so"}
    assert browser.post(ADD, asked).status_code == 403
    assert not RatingRuling.objects.exists()
    assert browser.get("/admin/games/ratingruling/").status_code == 200
    listed = browser.get("/admin/games/rating/?q=ada")
    assert (listed.status_code, "2 ratings" in words(listed)) == (200, True)
    assert browser.get("/admin/games/rating/add/").status_code == 403


def test_administrators_see_what_waits_and_nobody_touches_it(
    visitor: Callable[..., Client], root: User, mona: User, orla: User, ada: User, ben: User
) -> None:
    """Every model of ratings that rulings are kept in can be looked at."""
    match = result_row((ada, ben))
    row = WaitingRuling.objects.create(match=match, winner=1, why="so they agreed", by=orla)
    listed = "/admin/games/waitingruling/"
    browser = visitor(root)
    assert "so they agreed" in words(browser.get(listed))
    page = browser.get(f"{listed}{row.pk}/change/")
    assert page.status_code == 200
    assert f"/admin/games/match/{match.pk}/change/" in page.content.decode()
    assert browser.post(f"{listed}{row.pk}/change/", {"why": "x"}).status_code == 403
    for address in ("add/", f"{row.pk}/delete/"):
        assert browser.get(f"{listed}{address}").status_code == 403
    assert visitor(mona).get(listed).status_code == 403
    row.refresh_from_db()
    assert row.why == "so they agreed"
    ruled = {each for each in apps.get_app_config("games").get_models() if _keeps_rulings(each)}
    assert ruled == {RatingRuling, WaitingRuling, PairRuling}
    assert ruled <= set(admin.site._registry)


def _keeps_rulings(model: type[Model]) -> bool:
    return model.__name__.endswith("Ruling")
