"""The pages in real browsers: people find each other, with scripts and without, on any screen."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.support.clipboard import copied
from tests.support.site import Site, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Page, Request, Route, WebSocketRoute

pytestmark = pytest.mark.browser

# What a test needs of the database, made on the site itself.
_PEOPLE = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from accounts.models import User
from accounts.services import user_register

def person(name):
    found = User.objects.filter(username=name).first()
    return found or user_register(
        username=name, email=f"{{name}}@example.org", password="swordfish-77",
        display_name=name[:4].title(),
    )

def session(user):
    made = import_module(settings.SESSION_ENGINE).SessionStore()
    made[SESSION_KEY] = str(user.pk)
    made[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    made[HASH_SESSION_KEY] = user.get_session_auth_hash()
    made.save()
    return made.session_key

print(json.dumps({{name: session(person(name)) for name in {names!r}}}))
"""

SignIn = Callable[..., "Page"]


@pytest.fixture
def sign_in(site: Site, new_page: Any) -> Callable[..., list[Page]]:
    """`sign_in("ada", "ben", **options)`: a page for each, signed in, as somebody of that name."""

    def pages(*names: str, **options: Any) -> list[Page]:
        sessions = json.loads(site.python(_PEOPLE.format(names=list(names))))
        opened = []
        for name in names:
            page = new_page(**options)
            cookie = {"name": "sessionid", "value": sessions[name], "url": site.base_url}
            page.context.add_cookies([cookie])
            opened.append(page)
        return opened

    return pages


@pytest.fixture
def two() -> tuple[str, str]:
    """Two names that nobody has yet."""
    mark = secrets.token_hex(4)
    return f"anna-{mark}", f"bert-{mark}"


def hear_lobby(page: Page) -> None:
    """Open a page and wait until its socket is there."""
    with page.expect_websocket(lambda socket: "/ws/v1/lobby/" in socket.url) as waiting:
        page.goto("/lobby/")
    assert waiting.value.url
    page.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")


def asks_for_lists(sent: Request) -> bool:
    """Whether a page asks for its lists alone; the featured match is asked for by itself."""
    return sent.headers.get("x-fragment") == "live"


def fragments_asked(*pages: Page) -> list[str]:
    """Where pages ask for their lists alone; grows with each time that one does."""
    asked: list[str] = []

    def note(sent: Request) -> None:
        if asks_for_lists(sent):
            asked.append(sent.url)

    for page in pages:
        page.on("request", note)
    return asked


def go_back_to(page: Page) -> None:
    """Have a page believe that its reader has come back to it: it asks for its lists."""
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")


def offer(page: Page, opponent: str = "", pace: str = "Unhurried") -> str:
    """Make a challenge through the form; the address where one waits for the answer."""
    page.goto("/lobby/")
    page.locator(".page-head").get_by_role("link", name="New challenge").click()
    page.get_by_text("Tetronogo", exact=True).click()
    page.get_by_text(pace, exact=True).click()
    if opponent:
        page.get_by_role("radio", name="A player").check()
        page.get_by_role("textbox", name="Their username").fill(opponent)
    page.get_by_text("More options").click()
    page.get_by_role("textbox", name="Message").fill("Come on then")
    page.get_by_role("button", name="Send the challenge").click()
    page.wait_for_url(re.compile(r"/challenges/\d+/$"))
    return page.url


def test_lists_that_are_shown_are_not_sent_again(
    sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    anna, bert = sign_in(*two)
    hear_lobby(bert)

    def look_again() -> Any:
        bert.evaluate("document.querySelector('[data-live-lists] > *').dataset.before = ''")
        # The answer to what is asked from now on: one that was asked for before may come as well.
        with bert.expect_request(asks_for_lists, timeout=20_000) as sent:
            go_back_to(bert)
        answer = sent.value.response()
        assert answer is not None
        if answer.status == 200:
            # What they are called is known once they are shown, which is later than they come.
            bert.locator("[data-before]").wait_for(state="detached")
        return answer

    assert look_again().status == 200
    assert look_again().status == 304
    offer(anna)
    bert.get_by_role("button", name="Accept and play").first.wait_for()
    # It came by itself, so that what is shown is nothing that the server has a name for.
    assert look_again().status == 200
    assert look_again().status == 304
    anna.get_by_role("button", name="Take back").click()  # it is open to everybody
    anna.wait_for_url(re.compile(r"/lobby/$"))


_BEGIN = """
import json
from accounts.models import User
from games.services.matches import match_start
users = tuple(User.objects.get_or_create(username=name)[0] for name in {names!r})
begun = [
    match_start(acting_user=None, players=users, ruleset_id="tetronogo", variant="standard").pk
    for _ in range({count})
]
print(json.dumps(begun))
"""
_CONCEDE = """
from core.clock import now_ms
from games.models import Match
from games.services.turns import match_submit
player = Match.objects.get(pk={match}).players.get(seat=0)
match_submit(match_id={match}, seat=0, acting_user=player.user, client_id="over", text="concede",
             version=1, at=now_ms())
"""


@pytest.mark.parametrize("address", ["/", "/watch/"])
def test_matches_that_begin_and_end_come_to_the_lists_by_themselves(
    site: Site, new_page: Any, two: tuple[str, str], address: str
) -> None:
    """Nobody asks for the lists again, however many look at them."""

    def begin(count: int = 1) -> list[int]:
        begun: list[int] = json.loads(site.python(_BEGIN.format(names=two, count=count)))
        return begun

    def end(match: int) -> None:
        site.python(_CONCEDE.format(match=match))

    first, *_others = begin(3)
    end(first)
    page: Page = new_page()
    asked = fragments_asked(page)
    page.goto(address)
    page.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
    live, over = (page.locator(f"[data-list={name}] .grid") for name in ("live", "over"))
    over.locator(f"a[href='/matches/{first}/replay/']").wait_for()
    shown = over.locator(".card:not([hidden])").count()
    begun = begin(2)
    for match in begun:
        live.locator(f"a[href='/matches/{match}/']").wait_for()
    times = live.locator(".card").first.locator("time")
    assert "ago" in times.inner_text() or "now" in times.inner_text()
    end(begun[0])
    over.locator(f"a[href='/matches/{begun[0]}/replay/']").wait_for()
    live.locator(f"a[href='/matches/{begun[0]}/']").wait_for(state="detached")
    most = int(page.locator("[data-list=over]").get_attribute("data-at-most") or 0)
    # Those beyond that are kept, out of sight, for when another goes.
    assert over.locator(".card:not([hidden])").count() == min(shown + 1, most)
    assert page.locator("#announcer").inner_text() != ""
    assert asked == []
    # With a filter a page has to ask which of them belong to it.
    page.goto("/watch/?ruleset=tetronogo")
    page.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
    with page.expect_response(lambda got: asks_for_lists(got.request), timeout=60_000):
        (last,) = begin()
    live.locator(f"a[href='/matches/{last}/']").wait_for()
    assert new_page.errors == []


_CHALLENGE = """
from accounts.models import User
from games.models import Challenge
from games.services.challenges import challenge_cancel, challenge_create
user = User.objects.get(username={name!r})
for number in range({count}):
    print(challenge_create(acting_user=user, ruleset_id="tetronogo", variant="standard",
                           message=f"Number {{number}}").pk)
"""
_TAKE_BACK = """
from games.models import Challenge
from games.services.challenges import challenge_cancel
for one in Challenge.objects.filter(status="open", opponent=None).order_by("pk"):
    challenge_cancel(acting_user=one.challenger, challenge=one)
"""


@pytest.fixture
def visitor(site: Site, sign_in: Any, new_page: Any, two: tuple[str, str]) -> Page:
    """Somebody without an account in the lobby, where nobody offers anything yet."""
    sign_in(*two)
    page: Page = new_page()
    site.python(_TAKE_BACK)
    hear_lobby(page)
    return page


def test_challenges_come_and_go_by_themselves_for_whoever_looks(
    site: Site, sign_in: Any, two: tuple[str, str], visitor: Page
) -> None:
    """Nobody asks for the lists again, and each is offered what they can do."""
    (bert,) = sign_in(two[1])
    asked = fragments_asked(bert, visitor)
    hear_lobby(bert)
    for page in (bert, visitor):
        page.get_by_text("Nobody is waiting for an opponent").wait_for()
    first, second = site.python(_CHALLENGE.format(name=two[0], count=2)).split()
    for page in (bert, visitor):
        offers = page.locator("[data-list=offers]")
        # The latest stands first.
        offers.locator(".card").nth(1).get_by_text("Number 0").wait_for()
        offers.locator(".card").nth(0).get_by_text("Number 1").wait_for()
        assert offers.get_by_text("Nobody is waiting").is_hidden()
        assert page.locator("#announcer").inner_text() != ""
    assert visitor.get_by_role("link", name="Sign in to accept").count() == 2
    assert visitor.get_by_role("button", name="Accept and play").count() == 0
    site.python(_TAKE_BACK)
    for page in (bert, visitor):
        page.get_by_text("Nobody is waiting for an opponent").wait_for()
        assert page.locator("[data-list=offers] .card").count() == 0
    (third,) = site.python(_CHALLENGE.format(name=two[0], count=1)).split()
    assert len({first, second, third}) == 3
    for page in (bert, visitor):
        page.locator(f"a[href='/challenges/{third}/']").wait_for()
    assert asked == []
    bert.get_by_role("button", name="Accept and play").click()  # which wants a token of his own
    bert.wait_for_url(re.compile(r"/matches/\d+/$"))
    visitor.get_by_text("Nobody is waiting for an opponent").wait_for()
    assert asked == []


def test_a_list_that_was_full_is_filled_up_from_what_it_had(
    site: Site, two: tuple[str, str], visitor: Page
) -> None:
    """Only where most of it has gone are the lists asked for."""
    visitor.evaluate("document.querySelector('[data-list=offers]').dataset.atMost = '2'")
    site.python(_CHALLENGE.format(name=two[0], count=3))
    shown = visitor.locator("[data-list=offers] .card:visible")
    shown.nth(0).get_by_text("Number 2").wait_for()
    shown.nth(1).get_by_text("Number 1").wait_for()
    assert shown.count() == 2
    newest = visitor.locator("[data-list=offers] .card__link").first.get_attribute("href") or ""
    asked = fragments_asked(visitor)
    take_back = _TAKE_BACK.replace("opponent=None", f"pk={newest.strip('/').split('/')[-1]}")
    site.python(take_back)
    shown.nth(1).get_by_text("Number 0").wait_for()
    assert shown.count() == 2
    assert asked == []
    with visitor.expect_response(lambda got: asks_for_lists(got.request), timeout=60_000):
        site.python(_TAKE_BACK)
    visitor.get_by_text("Nobody is waiting for an opponent").wait_for()


def test_lists_that_come_late_do_not_undo_what_was_told_meanwhile(
    site: Site, two: tuple[str, str], visitor: Page
) -> None:
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if asks_for_lists(route.request) and not held:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    visitor.route("**/lobby/", hold)
    with visitor.expect_request(asks_for_lists):
        go_back_to(visitor)
    wait_for(lambda: visitor.evaluate("1") and held, what="the lists as they were")
    (number,) = site.python(_CHALLENGE.format(name=two[0], count=1)).split()
    card = visitor.locator(f"a[href='/challenges/{number}/']")
    card.wait_for()
    with visitor.expect_request(asks_for_lists):
        (route, response) = held[0]
        route.fulfill(response=response)
    assert card.count() == 1
    site.python(_TAKE_BACK)


def test_two_strangers_find_each_other(sign_in: Any, new_page: Any, two: tuple[str, str]) -> None:
    anna, bert = sign_in(*two)
    hear_lobby(bert)
    offer(anna)
    anna.get_by_text("Waiting for an opponent").wait_for()
    card = bert.locator(".card", has=bert.get_by_role("link", name="Anna"))
    card.get_by_text("Come on then").wait_for()  # without a reload
    card.get_by_role("button", name="Accept and play").click()
    for page in (anna, bert):  # Anna is taken there
        page.wait_for_url(re.compile(r"/matches/\d+/$"))
        page.get_by_role("heading", name="Anna and Bert").wait_for()
    assert anna.url == bert.url
    assert new_page.errors == []


def test_whoever_waits_for_a_match_loads_its_page_once(
    sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    """However slow it is to come: they are told by the match and by the challenge."""
    anna, bert = sign_in(*two)
    address = offer(anna, two[1])
    anna.wait_for_function("() => document[Symbol.for('gauntlet.notices')]?.open === true")
    bert.goto(address)
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    anna.route(re.compile(r"/matches/\d+/$"), hold)
    with anna.expect_response(lambda answer: asks_for_lists(answer.request)):
        bert.get_by_role("button", name="Accept and play").click()
    bert.wait_for_timeout(1_000)  # ms: what was told has its effect
    for route in asked:
        route.continue_()
    anna.wait_for_url(re.compile(r"/matches/\d+/$"))
    assert len(asked) == 1
    anna.go_back()  # where the match has begun, too
    anna.wait_for_url(re.compile(r"/matches/\d+/$"))
    assert new_page.errors == []


def test_a_challenges_page_says_how_it_stands(
    sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    """On both sides, without a reload, and when its reader goes back or forward to it."""
    anna, bert = sign_in(*two)

    def listens(page: Page) -> None:
        page.wait_for_function("() => document[Symbol.for('gauntlet.notices')]?.open === true")

    answers = 'form[action$="accept/"], form[action$="decline/"], form[action$="cancel/"]'
    for action, title in (("Decline", "Declined"), ("Take back", "Taken back")):
        address = offer(anna, two[1])
        bert.goto(address)
        listens(anna)
        listens(bert)
        by, other = (bert, anna) if action == "Decline" else (anna, bert)
        by.get_by_role("button", name=action).click()
        by.wait_for_url(re.compile(r"/lobby/$"))
        other.locator("main").get_by_text(title, exact=True).wait_for()
        assert other.locator(answers).count() == 0
        by.go_back()
        by.locator("main").get_by_text(title, exact=True).wait_for()
        assert by.locator(answers).count() == 0
        by.go_forward()
        by.go_back()
        by.locator("main").get_by_text(title, exact=True).wait_for()
        assert by.locator(answers).count() == 0
    bert.goto(offer(anna, two[1]))
    listens(anna)
    bert.get_by_role("button", name="Accept and play").click()
    for page in (anna, bert):
        page.wait_for_url(re.compile(r"/matches/\d+/$"))
    for page in (anna, bert):  # there is no challenge to go back to any more
        page.go_back()
        page.wait_for_url(re.compile(r"/matches/\d+/$"))
    assert new_page.errors == []


def test_a_named_challenge_reaches_its_player_on_any_page(
    sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    anna, bert = sign_in(*two)
    hear_lobby(bert)
    bert.goto("/rules/tetronogo/")
    bert.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
    badge = bert.locator("[data-notices]")
    assert badge.is_hidden()
    offer(anna, two[1])
    toast = bert.locator(".toast")
    toast.get_by_text("Anna challenges you to Tetronogo.").wait_for()
    assert badge.locator("[data-notices-count]").inner_text() == "1"
    assert "Anna challenges you to Tetronogo." in bert.get_by_role("status").last.inner_text()
    anna.get_by_role("button", name="Take back").click()
    badge.wait_for(state="hidden")
    offer(anna, two[1])
    toast.get_by_role("link", name="See the challenge").last.click()
    bert.get_by_role("heading", name="Anna challenges you").wait_for()
    bert.get_by_role("button", name="Decline").click()
    anna.locator(".alert").get_by_text("Declined", exact=True).wait_for()  # she is looking at it
    assert new_page.errors == []


@pytest.mark.parametrize(
    ("pace", "told"),
    [
        ("Unhurried", "begins when you are both there."),
        ("Correspondence", "begins when you have both looked in and your numbers are open."),
    ],
)
def test_whoever_is_elsewhere_is_told_of_the_match(
    sign_in: Any, new_page: Any, two: tuple[str, str], pace: str, told: str
) -> None:
    """And what is true of it: that it waits for both, where it does."""
    anna, bert = sign_in(*two)
    address = offer(anna, pace=pace)
    anna.goto("/watch/")
    anna.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
    bert.goto(address)
    bert.get_by_role("button", name="Accept and play").click()
    bert.wait_for_url(re.compile(r"/matches/\d+/$"))
    toasts = anna.locator(".toast")
    toasts.get_by_text("Your match of Tetronogo against Bert " + told).wait_for()
    assert toasts.count() == 1  # the frame comes by two ways, and is told once
    begun = f"a.card__link[href='{urlsplit(bert.url).path}']"
    anna.locator(begun).wait_for()  # the list has it, too
    card = anna.locator(".card", has=anna.locator(begun)).inner_text().lower()
    assert [each in card for each in ("live", "waits", "began")] == [False, True, False]
    toasts.get_by_role("link", name="Go to the match").click()
    anna.wait_for_url(bert.url)
    assert new_page.errors == []


def test_new_lists_leave_the_reader_where_they_were(
    sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    anna, bert = sign_in(*two)
    offer(bert)
    hear_lobby(anna)
    accept = anna.locator(".card", has_text="Bert").get_by_role("button", name="Accept and play")
    accept.first.focus()
    action = "document.activeElement.closest('form')?.getAttribute('action') ?? ''"
    before = anna.evaluate(action)
    assert re.fullmatch(r"/challenges/\d+/accept/", before)
    offer(bert)
    # What it has been told, and what it asks for.
    anna.wait_for_function(
        "() => document.querySelector('#announcer').textContent.includes('new in')"
    )
    assert anna.evaluate(action) == before
    anna.evaluate("document.querySelector('[data-list=offers]').classList.add('old')")
    with anna.expect_response(lambda answer: asks_for_lists(answer.request)):
        go_back_to(anna)
    anna.wait_for_function("() => document.querySelector('.old') === null")
    assert anna.evaluate(action) == before
    assert new_page.errors == []


def test_a_lost_connection_comes_back_and_catches_up(
    site: Site, sign_in: Any, two: tuple[str, str]
) -> None:
    anna, bert = sign_in(*two)
    hear_lobby(anna)
    site.web.kill()
    anna.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === false")
    site.web.start()
    offer(bert)
    anna.locator(".card", has_text="Bert").first.wait_for(timeout=60_000)


def test_everything_works_without_scripts(
    sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    anna, bert = sign_in(*two, java_script_enabled=False)
    address = offer(anna, two[1])
    assert anna.get_by_text("Reload this page").is_visible()
    bert.goto("/lobby/")
    bert.get_by_role("heading", name="You are challenged").wait_for()
    bert.get_by_role("button", name="Accept and play").first.click()
    bert.wait_for_url(re.compile(r"/matches/\d+/$"))
    anna.goto(address)
    assert anna.url == bert.url
    assert "once both players are there" in anna.locator("main").inner_text()
    playing = sign_in(*two)  # with scripts, by which they are there
    for page in playing:
        page.goto(anna.url)
    for page in playing:
        page.locator("#match[data-phase]:not([data-phase=waiting])").wait_for()
    anna.reload()
    picture = anna.locator("img.board-picture")
    assert picture.is_visible()
    assert picture.evaluate("element => element.naturalWidth") > 100
    assert anna.get_by_text("Your own times").count() == 0
    assert new_page.errors == []


def test_own_times_are_behind_a_fold_that_opens_by_itself_on_an_error(
    sign_in: Any, two: tuple[str, str]
) -> None:
    (page,) = sign_in(two[0], java_script_enabled=False)
    page.goto("/challenges/new/")
    turn = page.get_by_role("spinbutton", name="Turn")
    assert turn.is_hidden()
    page.get_by_text("More options").click()
    pick = page.get_by_role("spinbutton", name="Pick")
    pick.fill("30")
    page.get_by_text("Domino Black & White", exact=True).first.click()
    page.get_by_role("button", name="Send the challenge").click()
    page.get_by_text("Domino Black & White has no such time.").wait_for()
    assert page.get_by_role("spinbutton", name="Pick").is_visible()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_form_is_one_screen_and_shows_what_the_game_has(
    sign_in: Any, two: tuple[str, str], width: int, height: int
) -> None:
    (page,) = sign_in(two[0], viewport={"width": width, "height": height})
    page.goto("/challenges/new/")
    send = page.get_by_role("button", name="Send the challenge")
    box = send.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= height
    page.get_by_text("More options").click()
    page.get_by_text("Tetronogo", exact=True).click()
    pick = page.get_by_role("spinbutton", name="Pick")
    assert pick.is_visible()
    page.get_by_text("Domino Black & White", exact=True).first.click()
    assert pick.is_hidden()
    # What was filled in for another game is not sent.
    send.click()
    page.wait_for_url(re.compile(r"/challenges/\d+/$"))


# -- what brings players back --------------------------------------------------------------------


# Two matches of them at a slow pace, brought to anna's move: the first is to be the older one.
_MATCHES = """
import json
from accounts.models import User
from games.services.matches import match_start
one, other = (User.objects.get(username=name) for name in {names!r})
day = {{"turn_time": 86400, "pick_time": 86400, "choice_time": 86400}}
made = [
    match_start(acting_user=one, players=(one, other), ruleset_id="tetronogo", variant="standard",
                options=day)
    for _ in range({count})
]
print(json.dumps([match.pk for match in made]))
"""

_SAYS = """
from accounts.models import User
from core.clock import now_ms
from games import store
from games.services.turns import match_submit
version = store.read({match}).readers.versions[{seat}]
match_submit(match_id={match}, seat={seat}, acting_user=User.objects.get(username={name!r}),
             client_id={text!r}.replace(" ", "-"), text={text!r}, version=version, at=now_ms())
"""


def matches_of(site: Site, names: tuple[str, str], count: int) -> list[int]:
    """Matches of these two in which both have to pick in secret."""
    found: list[int] = json.loads(site.python(_MATCHES.format(names=names, count=count)))
    return found


def says(site: Site, match: int, seat: int, name: str, text: str) -> None:
    """Have somebody move elsewhere."""
    site.python(_SAYS.format(match=match, seat=seat, name=name, text=text))


def test_home_and_every_page_say_whose_move_it_is_by_themselves(
    site: Site, sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    home, rules = sign_in(two[0], two[0])
    sign_in(two[1])
    first, second = matches_of(site, two, 2)
    for page, address in ((home, "/"), (rules, "/rules/")):
        page.goto(address)
        page.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
    home.get_by_role("heading", name="Your move (2)").wait_for()
    assert home.locator("main h2").first.inner_text() == "Your move (2)"
    rules.get_by_role("link", name="2 matches wait for your move").wait_for()
    says(site, first, 0, two[0], "pick T")
    home.get_by_role("heading", name="Your move (1)").wait_for()
    home.get_by_text("waiting for").first.wait_for()
    link = rules.get_by_role("link", name="1 match waits for your move")
    link.click()
    rules.wait_for_url(re.compile(rf"/matches/{second}/$"))
    says(site, second, 0, two[0], "pick T")
    home.get_by_role("link", name="No match waits for your move").wait_for()
    assert new_page.errors == []


def test_a_match_says_that_another_waits(
    site: Site, sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    (page,) = sign_in(two[0])
    sign_in(two[1])
    first, second = matches_of(site, two, 2)
    page.goto(f"/matches/{first}/")
    page.locator("#match[data-phase]").wait_for()
    following = page.locator(".match__main a[data-next-match]").first
    assert following.is_hidden()  # this one waits, too
    says(site, first, 0, two[0], "pick T")
    following.wait_for()
    for width, height in ((390, 844), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        box = following.bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= height - box["height"]
    assert " ".join(following.inner_text().split()) == "Next match 1 waiting for your move"
    following.click()
    page.wait_for_url(re.compile(rf"/matches/{second}/$"))
    assert new_page.errors == []


def test_a_rematch_takes_both_to_the_new_match(
    site: Site, sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    anna, bert = sign_in(*two)
    (match,) = matches_of(site, two, 1)
    for page in (anna, bert):
        page.goto(f"/matches/{match}/")
        page.locator("#match[data-phase]").wait_for()
        page.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
    says(site, match, 0, two[0], "concede")
    anna.get_by_role("button", name="Rematch", exact=True).click()
    anna.get_by_text("You offer a rematch").wait_for()
    assert "offers a rematch" in bert.locator(".result__offer").inner_text()
    bert.get_by_role("button", name="Accept").click()
    new = re.compile(rf"/matches/(?!{match}/)\d+/$")
    bert.wait_for_url(new)
    anna.wait_for_url(new)
    assert anna.url == bert.url
    assert new_page.errors == []


def test_a_rematch_is_not_asked_about_before_the_end_and_heard_of_after_it(
    site: Site, sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    """However often the site's own socket is lost meanwhile."""
    anna, bert = sign_in(*two)
    (match,) = matches_of(site, two, 1)
    sockets: list[WebSocketRoute] = []
    asked: list[str] = []

    def relay(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    def lose_socket() -> None:
        before = len(sockets)
        sockets[-1].close()
        anna.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === false")
        anna.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
        assert len(sockets) > before

    anna.route_web_socket(re.compile("/ws/v1/lobby/"), relay)
    anna.on("request", lambda sent: asked.append(sent.url) if "/rematch/" in sent.url else None)
    for page in (anna, bert):
        page.goto(f"/matches/{match}/")
        page.locator("#match[data-phase]").wait_for()
        page.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === true")
    lose_socket()
    anna.wait_for_timeout(200)
    assert asked == []
    with anna.expect_response(re.compile(f"/matches/{match}/rematch/")) as caught_up:
        says(site, match, 0, two[0], "concede")
    assert caught_up.value.ok
    with anna.expect_response(re.compile(f"/matches/{match}/rematch/")) as again:
        lose_socket()
    assert again.value.ok
    assert new_page.errors == []


def test_a_link_is_copied_and_accepted_by_whoever_has_to_sign_in_first(
    sign_in: Any, new_page: Any, two: tuple[str, str]
) -> None:
    (anna,) = sign_in(two[0], permissions=["clipboard-read", "clipboard-write"])
    sign_in(two[1])
    anna.goto("/challenges/new/")
    anna.get_by_role("radio", name="By a link").check()
    anna.get_by_role("button", name="Send the challenge").click()
    anna.get_by_role("button", name="Copy the link").click()
    anna.get_by_text("The link is copied.").first.wait_for()
    address = copied(anna)
    assert address == anna.get_by_role("textbox", name="The link").input_value()
    guest = new_page()
    guest.goto(address)
    guest.get_by_role("link", name="Sign in to accept").click()
    guest.locator("input[name=login]").fill(two[1])
    guest.locator("input[name=password]").fill("swordfish-77")
    guest.get_by_role("button", name="Sign in", exact=True).click()
    guest.wait_for_url(address)
    guest.get_by_role("button", name="Accept and play").click()
    guest.wait_for_url(re.compile(r"/matches/\d+/$"))
    anna.wait_for_url(guest.url)
    assert new_page.errors == []


@pytest.fixture(scope="module")
def furnished(site_session: Site) -> Site:
    """The site with the demo data on it."""
    site_session.ensure_running()
    site_session.manage("demo_data", "--force")
    return site_session


SEASON = "/seasons/autumn-gauntlet/"


@pytest.mark.usefixtures("furnished")
def test_rows_of_links_begin_where_the_reader_is(sign_in: Any) -> None:
    (page,) = sign_in("olga", viewport={"width": 360, "height": 740})
    for address, link in (
        (f"{SEASON}desk/", ".season-tabs__tab"),
        (SEASON, ".season-tabs__tab"),
        ("/organise/", ".site-nav__link"),
    ):
        page.goto(address)
        box = page.locator(f"{link}[aria-current]").bounding_box()
        assert 0 <= box["x"] <= 360 - box["width"], address
