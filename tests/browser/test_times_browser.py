"""Two players in two zones agree on a time, each on a phone: from their free hours to the
appointment."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from tests.accessibility import axe
from tests.support.screens import assert_fits
from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}

# A season in which the two meet, made on the site itself.
MEETING = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant, user_register
from tournaments.models import DeathMatch
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.seasons import season_create, season_list
from tournaments.services.starts import season_start

mark = {mark!r}
store = import_module(settings.SESSION_ENGINE).SessionStore

def person(name):
    handle = f"{{name.lower()}}-{{mark}}"
    made = user_register(
        username=handle, email=f"{{handle}}@example.org", password=mark * 3, display_name=handle
    )
    User.objects.filter(pk=made.pk).update(display_name=name)
    return User.objects.get(pk=made.pk)

def session(user):
    made = store()
    made[SESSION_KEY] = str(user.pk)
    made[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    made[HASH_SESSION_KEY] = user.get_session_auth_hash()
    made.save()
    return made.session_key

people = {{name: person(name) for name in ("Orla", "Ada", "Ben")}}
head = User.objects.create_superuser(f"head-{{mark}}", password=mark)
role_grant(acting_user=head, user=people["Orla"], role=Role.ORGANISER)
orla = User.objects.get(pk=people["Orla"].pk)
game = {{"ruleset": "tetronogo", "variant": "standard", "options": {{}}}}
season = season_create(
    acting_user=orla, name=f"Times {{mark}}", format="single-elimination",
    settings={{"repertoire": [game]}},
)
season = season_list(acting_user=orla, season=season)
for seed, name in enumerate(("Ada", "Ben"), start=1):
    contestant_enrol(acting_user=orla, season=season, user=people[name], seed=seed)
season = season_start(acting_user=orla, season=season)
row = DeathMatch.objects.get(round__season=season)
print(json.dumps({{
    "sessions": {{name: session(user) for name, user in people.items()}},
    "season": season.get_absolute_url(),
    "meeting": row.get_absolute_url(),
}}))
"""


class Told(NamedTuple):
    """A time as a page shows it: the instant, and the words."""

    at: datetime
    words: str

    @property
    def local(self) -> Callable[[str], str]:
        """The hour that a clock of a zone shows then."""
        return lambda zone: f"{self.at.astimezone(ZoneInfo(zone)):%H:%M}"


def times_in(page: Page, within: str) -> list[Told]:
    """The times that a part of a page shows."""
    found = page.locator(f"{within} time").all()
    return [
        Told(datetime.fromisoformat(each.get_attribute("datetime") or ""), each.inner_text())
        for each in found
    ]


def slide(page: Page, first: str, last: str) -> None:
    """Slide with a finger from one hour to another."""
    ends = []
    for name in (first, last):
        cell = page.locator(".free__cell").filter(has=page.get_by_label(name, exact=True))
        cell.scroll_into_view_if_needed()
        box = cell.bounding_box()
        assert box is not None
        ends.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    (x, y), (to_x, to_y) = ends
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", x, y)
    for step in range(1, 41):
        touch("touchMove", x + (to_x - x) * step / 40, y + (to_y - y) * step / 40)
    touch("touchEnd")


def marked(page: Page) -> set[str]:
    """The hours that are marked."""
    return set(
        page.locator('input[name="hours"]:checked').evaluate_all(
            "boxes => boxes.map((box) => box.getAttribute('aria-label'))"
        )
    )


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"


def painted(ada: Page, looked_at: Callable[[Page], None]) -> None:
    """Every evening from eight to ten, with a finger."""
    assert ada.get_by_label("Time zone", exact=True).input_value() == BERLIN
    for hour in ("20:00", "21:00"):
        slide(ada, f"Monday {hour}", f"Sunday {hour}")
    assert marked(ada) == {f"{day} {hour}" for day in DAYS for hour in ("20:00", "21:00")}
    # A tap takes one out, and another puts it back.
    tuesday = ada.locator(".free__cell").filter(has=ada.get_by_label("Tuesday 20:00"))
    tuesday.tap()
    assert "Tuesday 20:00" not in marked(ada)
    tuesday.tap()
    assert len(marked(ada)) == 14
    looked_at(ada)
    ada.get_by_role("button", name="Keep these hours").click()
    ada.get_by_text("Your hours are kept.").wait_for()
    ada.locator("[data-paints]").wait_for()
    assert len(marked(ada)) == 14


def typed(ben: Page) -> None:
    """Every afternoon from two to four, with a keyboard."""
    for label in ("Time zone", "Time zone of the date"):
        assert ben.get_by_label(label, exact=True).input_value() == NEW_YORK
    ben.get_by_label("Monday 14:00").focus()
    for key in (*["ArrowRight"] * 6, "ArrowDown", *["ArrowLeft"] * 6, "End"):
        ben.keyboard.press("Space")
        ben.keyboard.press(key)
    assert marked(ben) == {f"{day} {hour}" for day in DAYS for hour in ("14:00", "15:00")}
    # The tabulator key leads past the other hours.
    ben.keyboard.press("Tab")
    assert ben.evaluate("document.activeElement.textContent").strip() == "Keep these hours"
    ben.keyboard.press("Enter")
    ben.get_by_text("Your hours are kept.").wait_for()


def proposed_by(ada: Page, looked_at: Callable[[Page], None]) -> list[Told]:
    """Two of the hours when both are free, in her zone, with his clock beside them; those
    proposed."""
    ada.get_by_text("There are hours when both of you are free.").wait_for()
    ada.get_by_role("link", name="Propose times").click()
    looked_at(ada)
    offered = times_in(ada, "main form")
    for each in offered:
        assert each.local(BERLIN) in ("20:00", "21:00")
        assert each.local(BERLIN) in each.words
    labels = ada.locator("main form label").filter(has=ada.locator("time")).all_inner_texts()
    assert f"{offered[0].local(NEW_YORK)} for Ben" in labels[0]
    boxes = ada.get_by_role("checkbox")
    boxes.nth(0).check()
    boxes.nth(1).check()
    ada.get_by_role("button", name="Propose", exact=True).click()
    ada.get_by_text("You propose, and Ben has not answered yet").wait_for()
    looked_at(ada)
    return offered[:2]


def accepted_by(ben: Page, offered: list[Told], looked_at: Callable[[Page], None]) -> None:
    """He sees them in his zone, and accepts the second."""
    ben.get_by_text("Ada proposes:").wait_for()
    looked_at(ben)
    seen = times_in(ben, ".agree li > span")
    assert [each.at for each in seen] == [each.at for each in offered]
    for each in seen:
        assert each.local(NEW_YORK) in each.words
    ben.get_by_role("button", name="Accept").nth(1).click()
    ben.get_by_text("It is agreed: both of you are told.").wait_for()
    looked_at(ben)


def test_two_players_in_two_zones_agree_on_a_time(site: Site, new_page: Pages) -> None:
    mark = secrets.token_hex(4)
    told = json.loads(site.python(MEETING.format(mark=mark)).strip().splitlines()[-1])
    examiner = axe.Examiner()

    def opened(name: str, **more: str) -> Page:
        page = new_page(**axe.look(viewport=PHONE, has_touch=True, **more))
        cookie = {"name": "sessionid", "value": told["sessions"][name], "url": site.base_url}
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        # The first page with a form says in which zone it is.
        with page.expect_response(lambda each: "device_zone=" in (each.request.post_data or "")):
            page.goto("/seasons/+free-hours/")
        return page

    def looked_at(page: Page) -> None:
        assert_fits(page)
        assert examiner.faults(page) == []
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]

    ada, ben = opened("Ada", timezone_id=BERLIN), opened("Ben", timezone_id=NEW_YORK)
    ada.goto(told["meeting"])
    looked_at(ada)
    ada.get_by_role("link", name="mark them").click()
    painted(ada, looked_at)
    ben.goto(told["meeting"])
    ben.get_by_role("link", name="mark them").click()
    typed(ben)
    ada.goto(told["meeting"])
    offered = proposed_by(ada, looked_at)

    # The organiser sees whose turn it is.
    orla = opened("Orla")
    orla.goto(f"{told['season']}desk/")
    orla.get_by_role("link", name="See who is to answer").click()
    orla.get_by_text("Ben is to answer, since").wait_for()
    looked_at(orla)

    ben.goto(told["meeting"])
    accepted_by(ben, offered, looked_at)
    # The appointment stands on both pages, in the zone of each.
    ada.goto(told["meeting"])
    for page, zone in ((ada, BERLIN), (ben, NEW_YORK)):
        begins = times_in(page, ".leg .facts")[0]
        assert begins.at == offered[1].at
        assert begins.local(zone) in begins.words
        assert page.locator(".agree").count() == 0
    orla.reload()
    orla.get_by_text("Every match that could have a time has one").wait_for()
    assert new_page.errors == []
