"""A whole elimination season in real browsers, from an organiser's first click to its winner."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import URLPattern, reverse

from tests.accessibility import axe
from tests.support.screens import assert_fits
from tests.support.site import Site
from tournaments import urls
from tournaments.formats.registry import FORMATS

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Locator, Page

    from tests.support.fixtures import Pages

pytestmark = pytest.mark.browser

# What the test needs of the database, made on the site itself.
_PEOPLE = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant, user_register

mark = {mark!r}
store = import_module(settings.SESSION_ENGINE).SessionStore

def person(name):
    handle = f"{{name.lower()}}-{{mark}}"
    made = user_register(
        username=handle, email=f"{{handle}}@example.org", password=mark * 3, display_name=handle
    )
    # Another test's organiser may have the name, which nobody could take as theirs then.
    User.objects.filter(pk=made.pk).update(display_name=name)
    return made

def session(user):
    user = User.objects.get(pk=user.pk)
    made = store()
    made[SESSION_KEY] = str(user.pk)
    made[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    made[HASH_SESSION_KEY] = user.get_session_auth_hash()
    made.save()
    return made.session_key

people = {{name: person(name) for name in {names!r}}}
head = User.objects.create_superuser(f"head-{{mark}}", password=mark)
role_grant(acting_user=head, user=people["Orla"], role=Role.ORGANISER)
print(json.dumps({{name: session(user) for name, user in people.items()}}))
"""

NAMES = ["Orla", "Ada", "Ben", "Cleo", "Dora"]
DESK = re.compile("^Organiser.s desk$")


class Cast:
    """Everybody in the test, each in a browser of their own once they are needed."""

    def __init__(self, site: Site, new_page: Pages, *names: str) -> None:
        self.mark = secrets.token_hex(4)
        told = site.python(_PEOPLE.format(mark=self.mark, names=["Orla", *(names or NAMES[1:])]))
        self._sessions: dict[str, str] = json.loads(told.strip().splitlines()[-1])
        self._site, self._new_page = site, new_page
        self._pages: dict[str, Page] = {}

    def __getitem__(self, name: str) -> Page:
        if name not in self._pages:
            page = self._new_page()
            cookie = {
                "name": "sessionid",
                "value": self._sessions[name],
                "url": self._site.base_url,
            }
            page.context.add_cookies([cookie])  # type: ignore[list-item]
            self._pages[name] = page
        return self._pages[name]


def confirm(page: Page, link: str, button: str) -> None:
    """Follow a link to the page of an action, and do it."""
    page.get_by_role("link", name=link, exact=True).first.click()
    page.get_by_role("main").get_by_role("button", name=button, exact=True).click()
    page.locator(".messages .alert--success").wait_for()


def expect_count(found: Locator, number: int) -> None:
    """Wait until there are so many of these."""
    found.nth(number - 1).wait_for()
    found.nth(number).wait_for(state="detached")


def place(page: Page, *names: str) -> None:
    """Record a main match: the first of ``names`` won it and is immune, the last is the EC."""
    for name in names:
        page.locator("[data-finish]").get_by_role("button", name=name).click()
    page.get_by_role("checkbox", name=re.compile(f"immune.*{names[0]}")).check()
    first = page.get_by_role("region", name="What will be recorded").get_by_role("listitem").first
    assert first.inner_text().split() == ["1", names[0], "(immune)"]
    page.get_by_role("button", name=re.compile("^Record")).click()
    page.locator(".messages .alert--success").wait_for()


def give_up(page: Page) -> None:
    """Concede the match that the page shows."""
    page.locator("#match[data-connection=live]").wait_for()
    page.locator("#notation-text").fill("concede")
    page.locator("#notation-text").press("Enter")
    page.locator("dialog[open] button[value=yes]").click()
    page.locator("[data-part=result]").get_by_text("conceded").wait_for()


def made(orla: Page, name: str) -> str:
    """Make the draft of a season with a short final; the address of its home."""
    orla.goto("/seasons/")
    orla.get_by_role("link", name="New season").click()
    orla.get_by_label("Name", exact=True).fill(name)
    orla.get_by_label("Matches of the final, at most").fill("1")
    orla.locator("#id_game_1").select_option("tetronogo/standard")
    orla.get_by_role("button", name="Make the draft").click()
    orla.get_by_text("The season is a draft").wait_for()
    return re.sub(r"desk/$", "", orla.url)


def enrolled_and_started(orla: Page, home: str, handles: list[str]) -> None:
    """Enrol from a list, one line of which is wrong at first; draw seeds; start."""
    orla.goto(f"{home}desk/contestants/")
    orla.get_by_role("textbox", name="One a line").fill("\n".join([*handles[:3], "who-is-this"]))
    orla.get_by_role("button", name="Enrol them").click()
    row = orla.get_by_role("region", name="What is wrong").get_by_role("row").last
    assert row.get_by_role("cell").first.inner_text() == "4"
    orla.get_by_role("textbox", name="One a line").fill("\n".join(handles))
    orla.get_by_role("button", name="Enrol them").click()
    orla.get_by_text("4 enrolled.").wait_for()
    orla.get_by_role("link", name="Seeds", exact=True).click()
    orla.get_by_role("button", name="Draw all by lot").click()
    orla.get_by_text("The seeds are drawn by lot.").wait_for()
    orla.goto(f"{home}desk/")
    confirm(orla, "Start the season", "Start it")


def first_episode(cast: Cast, home: str, name: str) -> None:
    """Dora comes last and chooses Ben (Ada is immune); both are ready; Dora gives up."""
    cast["Orla"].get_by_role("link", name="Record it").click()
    place(cast["Orla"], "Ada", "Ben", "Cleo", "Dora")
    dora, ben = cast["Dora"], cast["Ben"]
    dora.goto(home)
    dora.get_by_role("link", name="Choose your opponent").click()
    assert dora.get_by_role("radio", name="Ada").is_disabled()
    dora.locator(".candidate", has_text="Ben").click()
    dora.get_by_role("button", name="This is my choice").click()
    dora.get_by_role("heading", name="Dora against Ben").wait_for(state="attached")
    ben.goto(dora.url)
    dora.get_by_role("button", name="I am ready").click()
    dora.get_by_role("button", name="I am not ready after all").wait_for()
    ben.get_by_role("button", name="I am ready").click()
    ben.wait_for_url(re.compile(r"/matches/\d+/$"))
    assert f"{name}, Episode 1" in ben.locator(".match__banner").inner_text()
    dora.goto(ben.url)
    give_up(dora)


def second_episode(orla: Page, home: str) -> None:
    """Ben comes last; the organiser names Cleo, and rules for Ben in the end."""
    orla.get_by_role("link", name="Open it").click()
    place(orla, "Ada", "Cleo", "Ben")
    orla.goto(f"{home}desk/")
    orla.get_by_role("link", name="Name the DMO yourself").click()
    orla.get_by_role("radio", name="Cleo").check()
    orla.get_by_role("button", name="Name the opponent").click()
    orla.get_by_role("link", name="Rule who has won").click()
    orla.get_by_role("radio", name="Ben").check()
    orla.get_by_role("textbox", name="Reason").fill("Cleo has told us that she cannot come.")
    orla.get_by_role("button", name="Rule so").click()
    orla.get_by_text("decided by your ruling").wait_for()


def test_an_organiser_takes_a_season_from_its_making_to_its_winner(
    site: Site, new_page: Any, wait_until: Any
) -> None:
    cast = Cast(site, new_page)
    name = f"Autumn {cast.mark}"
    orla, passer_by = cast["Orla"], new_page()
    home = made(orla, name)
    assert passer_by.goto(home).status == 404
    new_page.errors.clear()  # the browser says so too
    confirm(orla, "Make it public", "Make it public")
    assert passer_by.goto(home).status == 200
    enrolled_and_started(orla, home, [f"{each.lower()}-{cast.mark}" for each in NAMES[1:]])
    first_episode(cast, home, name)
    opening = orla.get_by_role("link", name="Open it")
    wait_until(lambda: orla.goto(f"{home}desk/") and opening.count())
    second_episode(orla, home)
    passer_by.goto(f"{home}rulings/")
    passer_by.get_by_text("Cleo has told us that she cannot come.").wait_for()

    # The final of Ada and Ben, begun at the organiser's word.
    orla.goto(f"{home}desk/")
    orla.get_by_role("link", name="Open the final", exact=True).first.click()
    games, most = orla.locator("select[data-match]:visible"), orla.get_by_label("Matches at most")
    for number in ("3", "1"):
        most.fill(number)
        expect_count(games, int(number))
    orla.get_by_role("main").get_by_role("button", name="Open the final", exact=True).click()
    orla.locator(".messages .alert--success").wait_for()
    orla.get_by_role("link", name=DESK).click()
    confirm(orla, "Begin now", "Begin")
    ada, ben = cast["Ada"], cast["Ben"]
    # Nobody has said that they are ready: it waits for both.
    for player in (ben, ada):
        player.goto(home)
        player.get_by_role("link", name="To the board").click()
    give_up(ada)

    # Ben has won, and everybody can see how.
    wait_until(lambda: passer_by.goto(home) and passer_by.locator(".winner").count())
    assert passer_by.locator(".winner__name").inner_text() == "Ben"
    assert "Won by Ben" in passer_by.locator(".season-hero").inner_text()
    assert passer_by.locator(".timeline__name[data-fate=out]").count() == 3
    first = passer_by.locator(".timeline__name").first.text_content() or ""
    assert first.strip().endswith("Ben, winner")
    passer_by.get_by_role("link", name="Results", exact=True).click()
    passer_by.get_by_role("heading", name="Final", exact=True).wait_for()
    # The browser notes that the faulty list was answered with 422.
    assert [error for error in new_page.errors if "status of 422" not in error] == []


@pytest.mark.parametrize("width", [360, 390, 768, 1440])
def test_pages_fit_every_screen(site: Site, new_page: Any, width: int) -> None:
    cast = Cast(site, new_page)
    page = new_page(viewport={"width": width, "height": 800}, java_script_enabled=False)
    cookie = {"name": "sessionid", "value": cast._sessions["Orla"], "url": site.base_url}
    page.context.add_cookies([cookie])
    page.goto("/seasons/+new/")
    page.get_by_label("Name", exact=True).fill(f"A Season With a Long Name {cast.mark}")
    page.get_by_role("button", name="Make the draft").click()
    home = re.sub(r"desk/$", "", page.url)
    for part in (
        "", "contestants/", "schedule/", "results/", "items/", "history/", "desk/",
        "desk/contestants/", "desk/settings/", "desk/items/", "desk/steps/start/",
    ):  # fmt: skip
        page.goto(home + part)
        wide = page.locator("html").bounding_box()
        assert wide is not None
        assert wide["width"] <= width, part
    assert new_page.errors == []


def test_the_options_of_the_chosen_format_are_shown_and_no_others(
    site: Site, new_page: Any
) -> None:
    cast = Cast(site, new_page)
    page = new_page(java_script_enabled=False)
    cookie = {"name": "sessionid", "value": cast._sessions["Orla"], "url": site.base_url}
    page.context.add_cookies([cookie])
    page.goto("/seasons/+new/")
    for each in FORMATS.values():
        page.locator(f'input[name="format"][value="{each.key}"]').check(force=True)
        shown = page.locator(".format-options:visible legend").all_inner_texts()
        assert [text.casefold() for text in shown] == [each.name.casefold()]
        assert page.locator(".tie-options").is_visible() == bool(each.course_type.tie_breaks)


PHONE = {"width": 390, "height": 844}


def test_whoever_has_no_account_enters_by_a_link_on_their_phone(
    site: Site, new_page: Pages
) -> None:
    cast, examiner = Cast(site, new_page), axe.Examiner()

    def looked_at(page: Page) -> None:
        assert_fits(page)
        assert examiner.faults(page) == []
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]

    orla, guest = cast["Orla"], new_page(**axe.look(viewport=PHONE))
    orla.set_viewport_size(PHONE)  # type: ignore[arg-type]
    orla.emulate_media(reduced_motion="reduce")
    season = f"Winter {cast.mark}"
    home = made(orla, season)
    confirm(orla, "Make it public", "Make it public")

    orla.goto(f"{home}desk/invitations/")
    orla.get_by_label("What it is for").fill("For the channel")
    orla.get_by_label("For how many").fill("2")
    orla.get_by_role("button", name="Make a link").click()
    orla.get_by_text("0 of 2 came by it").wait_for()
    looked_at(orla)
    link = orla.get_by_role("link", name="/invited/").inner_text()

    guest.goto(link)
    guest.get_by_role("heading", name=f"You are invited to {season}").wait_for()
    looked_at(guest)
    guest.get_by_role("main").get_by_role("link", name="Register").click()
    name = f"eve-{cast.mark}"
    guest.get_by_label("Username").fill(name)
    guest.get_by_label("Email address").fill(f"{name}@example.org")
    guest.get_by_label("Password", exact=True).fill(cast.mark * 3)
    guest.get_by_label("Password (again)").fill(cast.mark * 3)
    guest.locator("main").get_by_role("button", name="Register").click()
    guest.wait_for_url(link)
    looked_at(guest)
    guest.get_by_role("button", name="Take part").click()
    guest.get_by_text("You are in.").wait_for()
    guest.wait_for_url(home)

    orla.reload()
    orla.get_by_text(f"1 of 2 came by it: {name}").wait_for()
    looked_at(orla)
    orla.get_by_role("button", name="Withdraw For the channel").click()
    orla.get_by_role("heading", name="Closed links").wait_for()
    # Who is in stays, and the link is nothing to them any more.
    guest.goto(link)
    guest.wait_for_url(home)
    late = new_page(**axe.look(viewport=PHONE))
    late.goto(link)
    late.get_by_text("The organisers have withdrawn this link.").wait_for()
    looked_at(late)
    assert new_page.errors == []


# -- twenty contestants from a phone -------------------------------------------------------------


class Thumb:
    """An organiser's phone, on which is counted what an episode takes."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps, self.pages = page, 0, 0
        page.on("framenavigated", self._went)

    def _went(self, frame: Frame) -> None:
        self.pages += frame == self.page.main_frame

    def begin(self) -> None:
        """Count anew, from the page that is shown."""
        self.taps, self.pages = 0, 1

    def tap(self, found: Locator) -> None:
        """Tap something."""
        found.click()
        self.taps += 1


EIGHT = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")


@dataclass
class Phones:
    """A season of eight whose organiser and contestants have phones; every kind of page that they
    pass is looked at once."""

    cast: Cast
    home: str = ""
    examiner: axe.Examiner = field(default_factory=axe.Examiner)

    def of(self, name: str) -> Page:
        """Somebody's phone."""
        page = self.cast[name]
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        page.emulate_media(reduced_motion="reduce")
        return page

    def look_at(self, page: Page) -> None:
        """Nothing sticks out, and axe finds nothing."""
        assert_fits(page)
        assert self.examiner.faults(page) == []
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]

    def come_by_a_link(self, orla: Page) -> None:
        """Everybody enters by one link, and the season starts."""
        orla.goto(f"{self.home}desk/invitations/")
        orla.get_by_label("What it is for").fill("For the channel")
        orla.get_by_role("button", name="Make a link").click()
        link = orla.get_by_role("link", name="/invited/").inner_text()
        for name in EIGHT:
            guest = self.of(name)
            guest.goto(link)
            if name == EIGHT[0]:
                self.look_at(guest)
            guest.get_by_role("button", name="Take part").click()
            guest.get_by_text("You are in.").wait_for()
        orla.goto(f"{self.home}desk/")
        self.look_at(orla)
        confirm(orla, "Start the season", "Start it")

    def record(self, thumb: Thumb, ec: str, *, looking: bool) -> None:
        """Somebody came last; everybody else is safe."""
        page = thumb.page
        form = page.locator("[data-finish]")
        if looking:
            self.look_at(page)
        button = form.get_by_role("button", name=ec)
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44  # as large as a thumb asks for
        thumb.tap(button)
        look = page.get_by_role("region", name="What will be recorded")
        assert look.get_by_role("listitem").last.inner_text().endswith(f"{ec} (EC)")
        thumb.tap(form.get_by_role("button", name=re.compile("^Record")))
        page.get_by_role("heading", name=f"{ec} is choosing an opponent").wait_for()
        if looking:
            self.look_at(page)

    def finish(self, orla: Page, wait_until: Any) -> None:
        """The last two meet on the board, and Ada wins."""
        confirm(orla, "Open the final", "Open the final")
        orla.get_by_role("link", name=DESK).click()
        self.look_at(orla)
        confirm(orla, "Begin now", "Begin")
        for name in ("Ada", "Ben"):
            self.cast[name].goto(self.home)
            self.cast[name].get_by_role("link", name="To the board").click()
        give_up(self.cast["Ben"])
        wait_until(lambda: orla.goto(self.home) and orla.locator(".winner").count())
        assert orla.locator(".winner__name").inner_text() == "Ada"
        self.look_at(orla)


def eight_started(phones: Phones, orla: Page) -> str:
    """A season of eight from a list of names; the address of its home."""
    mark = phones.cast.mark
    phones.home = home = made(orla, f"Summer {mark}")
    confirm(orla, "Make it public", "Make it public")
    orla.goto(f"{home}desk/contestants/")
    handles = [f"{each.lower()}-{mark}" for each in EIGHT]
    orla.get_by_role("textbox", name="One a line").fill("\n".join(handles))
    orla.get_by_role("button", name="Enrol them").click()
    orla.get_by_text("8 enrolled.").wait_for()
    orla.goto(f"{home}desk/")
    confirm(orla, "Start the season", "Start it")
    return home


def test_a_main_match_of_eight_goes_from_scores_to_its_ec_on_a_phone(
    site: Site, new_page: Pages
) -> None:
    phones = Phones(Cast(site, new_page, *EIGHT))
    orla = phones.of("Orla")
    home = eight_started(phones, orla)
    orla.goto(f"{home}desk/episode/")
    phones.look_at(orla)
    thumb = Thumb(orla)
    thumb.begin()
    thumb.tap(orla.get_by_role("link", name="Enter scores"))
    orla.get_by_role("heading", name="scores of the main match").wait_for()
    phones.look_at(orla)
    # What was looked at stands open.
    orla.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = false))")

    # Two rounds are pasted, and one score is typed over; two are equal then.
    scores = [(9, 4), (8, 3), (7, 3), (6, 3), (5, 3), (4, 1), (4, 2), (1, 0)]
    lines = [f"{name}\t{one}\t{two}" for name, (one, two) in zip(EIGHT, scores, strict=True)]
    thumb.tap(orla.get_by_text("Paste a table"))
    orla.get_by_role("textbox", name="Table").fill("\n".join(["\tRound 1\tRound 2", *lines]))
    thumb.tap(orla.get_by_role("button", name="Fill it in"))
    typed = orla.get_by_role("spinbutton", name=re.compile(r"^Round 2 ?: Fay$"))
    assert typed.input_value() == "1"
    typed.fill("2")
    phones.look_at(orla)
    thumb.tap(orla.get_by_role("button", name="Take the placement"))
    orla.get_by_text("Equal scores: say who comes first. Fay and Gus.").wait_for()
    # Nobody else sees what is not recorded yet.
    passer_by = new_page()
    passer_by.goto(f"{home}rounds/1/")
    assert passer_by.get_by_role("heading", name="Scores").count() == 0
    phones.look_at(orla)
    orla.get_by_label("Fay", exact=True).select_option("2")
    orla.get_by_label("Gus", exact=True).select_option("1")
    thumb.tap(orla.get_by_role("button", name="Take the placement"))
    places = orla.get_by_role("region", name="What will be recorded").get_by_role("listitem")
    assert places.first.inner_text().split() == ["1", "Ada", "(immune)"]
    assert [each.split()[1] for each in places.all_inner_texts()[5:]] == ["Gus", "Fay", "Hana"]
    assert places.last.inner_text().endswith("Hana (EC)")
    phones.look_at(orla)
    thumb.tap(orla.get_by_role("button", name=re.compile("^Record")))
    orla.get_by_role("heading", name="Hana is choosing an opponent").wait_for()
    # The episode, its scores (filled in, and once more for the tie), the placement, and the EC.
    assert (thumb.taps, thumb.pages) == (6, 6)
    phones.look_at(orla)

    for address in (f"{home}rounds/1/", home):
        passer_by.goto(address)
        phones.look_at(passer_by)
        table = passer_by.get_by_role("region", name="Scores of Episode 1")
        first = table.get_by_role("row").nth(1).inner_text().split()
        assert first[-4:] == ["Ada", "13", "9", "4"]
    orla.goto(f"{home}desk/rounds/1/scores/")
    orla.get_by_role("button", name="Correct them").wait_for()
    phones.look_at(orla)
    assert new_page.errors == []


def test_a_season_of_eight_is_run_from_a_phone(
    site: Site, new_page: Pages, wait_until: Any
) -> None:
    phones = Phones(Cast(site, new_page, *EIGHT))
    cast, orla = phones.cast, phones.of("Orla")
    phones.home = home = made(orla, f"Spring {cast.mark}")
    confirm(orla, "Make it public", "Make it public")
    phones.come_by_a_link(orla)

    # Who signs in finds on the front door what waits for them.
    orla.goto("/")
    orla.get_by_role("heading", name="Your seasons: 1 thing waits").wait_for()
    phones.look_at(orla)
    orla.goto(f"{home}desk/")
    phones.look_at(orla)
    thumb = Thumb(orla)
    thumb.begin()
    bar = orla.locator(".desk-bar")
    box = bar.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= PHONE["height"] + 1  # under the thumb
    thumb.tap(bar.get_by_role("link", name="Record it"))

    left = list(EIGHT)
    costs: list[tuple[int, int]] = []
    while len(left) > 2:
        ec, dmo = left.pop(), left[-1]
        first = not costs
        phones.record(thumb, ec, looking=first)
        chooses(cast[ec], home, dmo)
        if first:
            lost_on_the_board(cast[ec], cast[dmo])
            wait_until(lambda: decided(cast["Ada"], home))
        orla.reload()
        if not first:
            if len(costs) == 1:
                phones.look_at(orla)
            thumb.tap(orla.get_by_role("link", name="Rule who has won"))
            orla.get_by_role("textbox", name="Reason").fill("They have told us.")
            thumb.tap(orla.get_by_role("radio", name=dmo))
            thumb.tap(orla.get_by_role("button", name="Rule so"))
        orla.get_by_text(f"{dmo} won").wait_for()
        orla.get_by_text(re.compile("next main match|meet in the final")).wait_for()
        # The page that the next episode begins on is counted there.
        costs.append((thumb.pages - 1, thumb.taps))
        thumb.begin()
    assert len(costs) == len(EIGHT) - 2
    assert all(pages <= 4 and taps <= 6 for pages, taps in costs), costs
    phones.look_at(orla)
    phones.finish(orla, wait_until)
    assert new_page.errors == []


def ruled(thumb: Thumb, ec: str, dmo: str, *, immune: str = "") -> None:
    """An organiser records an episode, with whom the EC meets, and rules that the EC has lost."""
    page = thumb.page
    form = page.locator("[data-finish]")
    thumb.tap(form.get_by_role("button", name=ec))
    if immune:
        thumb.tap(form.get_by_role("checkbox", name=re.compile(f"immune.*{immune}")))
    thumb.tap(form.get_by_role("group", name="Whom does the EC meet?").get_by_label(dmo))
    last = f"^Record.*: {ec} is the EC, {dmo} the DMO$"
    thumb.tap(form.get_by_role("button", name=re.compile(last)))
    page.get_by_role("heading", name=f"{ec} against {dmo}").wait_for()
    thumb.tap(page.get_by_role("radio", name="Both players agreed to it."))
    thumb.tap(page.get_by_role("button", name=f"{dmo} has won"))
    page.get_by_text(f"{dmo} won").wait_for()


def test_whoever_does_everything_of_an_episode_themselves_taps_six_times(
    site: Site, new_page: Pages
) -> None:
    phones = Phones(Cast(site, new_page))
    cast, orla = phones.cast, phones.of("Orla")
    phones.home = home = made(orla, f"Winter {cast.mark}")
    confirm(orla, "Make it public", "Make it public")
    enrolled_and_started(orla, home, [f"{each.lower()}-{cast.mark}" for each in NAMES[1:]])

    # What is refused is said where the page begins, and leads to where it is put right.
    orla.goto(f"{home}desk/episode/")
    orla.get_by_text("Paste a list").click()
    orla.get_by_role("textbox", name="Order of finish").fill("Cleo = Dora")
    orla.get_by_role("button", name=re.compile("^Record")).click()
    said = orla.get_by_role("alert").filter(has_text="please say who is the EC")
    said.wait_for()
    assert said.evaluate("each => each === document.activeElement")
    box = said.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < PHONE["height"] - box["height"]
    phones.look_at(orla)
    said.get_by_role("link").click()
    orla.get_by_role("radio", name=re.compile("is the EC.*Dora")).check()
    orla.get_by_role("group", name="Whom does the EC meet?").get_by_label("Cleo").wait_for()
    phones.look_at(orla)

    orla.goto(f"{home}desk/")
    thumb = Thumb(orla)
    thumb.begin()
    thumb.tap(orla.locator(".desk-bar").get_by_role("link", name="Record it"))
    ruled(thumb, "Dora", "Cleo")
    phones.look_at(orla)
    assert (thumb.taps, thumb.pages) == (6, 4)
    thumb.begin()
    ruled(thumb, "Cleo", "Ben", immune="Ada")
    assert (thumb.taps, thumb.pages) == (6, 3)
    # The browser notes that what was refused was answered with 422.
    assert [error for error in new_page.errors if "status of 422" not in error] == []


def decided(page: Page, home: str) -> bool:
    """Whether the season has a result, as somebody else reads it."""
    page.goto(home)
    return page.get_by_role("heading", name="Latest results").count() > 0


def chooses(page: Page, home: str, dmo: str) -> None:
    """The EC names their opponent."""
    page.goto(home)
    page.get_by_role("link", name="Choose your opponent").click()
    page.locator(".candidate", has_text=dmo).click()
    page.get_by_role("button", name="This is my choice").click()
    page.get_by_role("button", name="I am ready").wait_for()


def lost_on_the_board(loser: Page, winner: Page) -> None:
    """Both say that they are ready, and the first of them gives up."""
    winner.goto(loser.url)
    loser.get_by_role("button", name="I am ready").click()
    loser.get_by_role("button", name="I am not ready after all").wait_for()
    winner.get_by_role("button", name="I am ready").click()
    winner.wait_for_url(re.compile(r"/matches/\d+/$"))
    loser.goto(winner.url)
    give_up(loser)


def test_no_page_of_the_desk_scrolls_sideways_on_a_phone(site: Site, new_page: Pages) -> None:
    cast = Cast(site, new_page)
    told = site.python(_A_SEASON.format(mark=cast.mark))
    slug, row, leg, person = json.loads(told.strip().splitlines()[-1])
    known = {"slug": slug, "number": 1, "pk": row, "leg_id": leg}
    orla = cast["Orla"]
    orla.set_viewport_size(PHONE)  # type: ignore[arg-type]
    names = {
        "round_act": ["skip", "times", "close", "reopen"],
        "match_act": ["rules", "walkover", "declare", "void"],
        "leg_act": ["schedule", "start", "void"],
        "contestant_act": ["withdraw", "replace"],
        "step": ["cancel", "archive", "start"],
    }
    seen = 0
    for name, pattern in desk_pages():
        for act in names.get(name, ["-"]):
            pk = person if name in ("contestant_act", "challenge_enter") else row
            more = {each: ({**known, "pk": pk}).get(each, act) for each in pattern}
            answer = orla.goto(reverse(f"tournaments:{name}", kwargs=more))
            assert answer is not None
            assert answer.status < 500
            assert_fits(orla)
            seen += answer.status == 200
    assert seen > 20


def desk_pages() -> list[tuple[str, list[str]]]:
    """The names of all pages of the desk, each with what its address needs."""
    files = (".csv", ".json", ".zip", "back/")
    return [
        (each.name or "", list(each.pattern.converters))
        for each in urls.urlpatterns
        if isinstance(each, URLPattern)
        and "/desk/" in str(each.pattern)
        and not str(each.pattern).endswith(files)
    ]


# A season in which names are as long as they can be, with a death match that is to be played.
_A_SEASON = """
import json
from accounts.models import User
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.main_match import Placing, placements_record
from tournaments.models import Episode
from tournaments.services.contestants.enrolment import Enrolment, contestants_enrol
from tournaments.services.seasons import season_create, season_list
from tournaments.services.starts import season_start

orla = User.objects.get(username="orla-{mark}")
game = {{"ruleset": "tetronogo", "variant": "standard", "options": {{}}}}
season = season_create(
    acting_user=orla, name="A Season With a Very Long Name Indeed {mark}", format="elimination",
    settings={{"repertoire": [game]}},
)
season_list(acting_user=orla, season=season)
users = User.objects.filter(username__endswith="-{mark}").exclude(pk=orla.pk).order_by("pk")
entries = [Enrolment(user, name="W" * 20 + user.username[:3]) for user in users
           if not user.is_superuser]
people = contestants_enrol(acting_user=orla, season=season, entries=entries)
season_start(acting_user=orla, season=season)
episode = Episode.objects.get(round__season=season)
placed = [Placing(each, place) for place, each in enumerate(people, start=1)]
episode = placements_record(acting_user=orla, episode=episode, placements=placed)
row = dmo_choose(acting_user=orla, episode=episode, contestant=people[0])
print(json.dumps([season.slug, row.pk, row.legs.get().pk, people[1].pk]))
"""


def apply(page: Page, home: str, words: str) -> None:
    """Apply to a season, and say something."""
    page.goto(home)
    page.get_by_role("main").get_by_role("link", name="Apply").click()
    page.get_by_label("What you would like the organisers to know").fill(words)
    assert_fits(page)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.get_by_role("main").get_by_role("button", name="Apply").click()
    page.get_by_role("button", name="Take the application back").wait_for()


def checked_in(orla: Page, cleo: Page, home: str, looked_at: Callable[[Page], None]) -> None:
    """Open check-in: Cleo checks in, and the organiser does it for Ada."""
    orla.goto(f"{home}desk/check-in/")
    looked_at(orla)
    ahead = "Date.now() + 3600e3 - new Date().getTimezoneOffset() * 60e3"
    orla.get_by_label("Open until").fill(
        orla.evaluate(f"new Date({ahead}).toISOString().slice(0, 16)")
    )
    orla.get_by_role("button", name="Open it").click()
    orla.get_by_text("0 of 2 have checked in").wait_for()
    cleo.reload()
    looked_at(cleo)
    cleo.get_by_role("main").get_by_role("button", name="Check in").click()
    cleo.get_by_text("You have checked in").first.wait_for()
    orla.get_by_role("button", name="Check in Ada").click()
    orla.get_by_text("2 of 2 have checked in").wait_for()
    looked_at(orla)


def test_from_an_application_to_checking_in_with_one_thumb(site: Site, new_page: Pages) -> None:
    cast, examiner = Cast(site, new_page), axe.Examiner()

    def looked_at(page: Page) -> None:
        assert_fits(page)
        assert examiner.faults(page) == []
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]

    for name in NAMES:
        cast[name].set_viewport_size(PHONE)  # type: ignore[arg-type]
        cast[name].emulate_media(reduced_motion="reduce")
    orla = cast["Orla"]
    home = made(orla, f"Spring {cast.mark}")
    confirm(orla, "Make it public", "Make it public")
    orla.goto(f"{home}desk/settings/")
    orla.get_by_role("radio", name="Everybody may apply").check()
    orla.get_by_role("spinbutton", name="Places").fill("2")
    orla.get_by_role("button", name="Keep").click()
    orla.locator(".messages .alert--success").wait_for()

    for name in ("Ada", "Ben", "Cleo", "Dora"):
        apply(cast[name], home, f"{name} plays.")
    looked_at(cast["Dora"])

    orla.goto(f"{home}desk/applications/")
    orla.get_by_text("Ada plays.").wait_for()
    looked_at(orla)
    for name in ("Ada", "Ben", "Cleo"):
        orla.get_by_role("checkbox", name=name).check()
    orla.get_by_role("button", name="Approve the ticked").click()
    orla.get_by_text("2 taken in. 1 on the waiting list.").wait_for()
    orla.locator("summary", has_text="Decline").click()
    orla.locator("details[open]").get_by_label("Reason").fill("Next time.")
    looked_at(orla)
    orla.get_by_role("button", name="Decline Dora").click()
    orla.get_by_text("Next time.").wait_for()
    looked_at(orla)
    cast["Dora"].reload()
    cast["Dora"].get_by_text("The organisers have not taken you in: Next time.").wait_for()
    cast["Cleo"].reload()
    cast["Cleo"].get_by_text("You are number 1 of 1 on the waiting list").wait_for()
    looked_at(cast["Cleo"])

    cast["Ben"].goto(f"{home}withdraw/")
    cast["Ben"].get_by_role("main").get_by_role("button", name="Withdraw").click()
    cast["Ben"].locator(".messages .alert--success").wait_for()
    # Cleo has moved up into Ben's place.
    checked_in(orla, cast["Cleo"], home, looked_at)
    assert new_page.errors == []
