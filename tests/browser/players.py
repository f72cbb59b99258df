"""Matches on the running site, and browsers that sit at them."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

# What a test needs of the database, made on the site itself.
_MAKE = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant, user_register
from games.engine.ruleset import HeldItem
from games.services.matches import match_start

wish = json.loads({wish!r})
store = import_module(settings.SESSION_ENGINE).SessionStore

def person(name):
    handle = f"{{name.lower()}}{{wish['mark']}}"
    made = user_register(
        username=handle, email=f"{{handle}}@example.org", password=wish["mark"] * 2
    )
    # Not by registering: some other test may have a player whose username this is.
    # And their pages have told in which zone they are.
    User.objects.filter(pk=made.pk).update(display_name=name, device_zone="UTC")
    made.display_name = name
    return made

def session(user):
    made = store()
    made[SESSION_KEY] = str(user.pk)
    made[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    made[HASH_SESSION_KEY] = user.get_session_auth_hash()
    made.save()
    return made.session_key

people = {{name: person(name) for name in [*wish["seats"], *wish["others"]]}}
if wish["organiser"]:
    head = User.objects.create_superuser(f"head{{wish['mark']}}", password=wish["mark"])
    role_grant(acting_user=head, user=people[wish["organiser"]], role=Role.ORGANISER)
one, two = (people[name] for name in wish["seats"])
match = match_start(
    acting_user=one, players=(one, two), ruleset_id=wish["ruleset"], variant=wish["variant"],
    items=[HeldItem(seat, item) for seat, item in wish["items"]],
    options=wish["options"], advantage=wish["advantage"], waits=wish["waits"],
)
print(json.dumps({{
    "match": match.pk,
    "cookie": settings.SESSION_COOKIE_NAME,
    "sessions": {{name: session(User.objects.get(pk=user.pk)) for name, user in people.items()}},
}}))
"""


class Game(NamedTuple):
    """A match on the site and the sign-ins of everybody at it."""

    match: int
    cookie: str
    sessions: dict[str, str]
    base_url: str

    @property
    def address(self) -> str:
        """The match's page."""
        return f"/matches/{self.match}/"

    def open(self, new_page: Pages, name: str | None = None, **options: Any) -> Page:
        """The match's page as somebody (nobody: a passer-by) sees it, connected."""
        page = new_page(**options)
        if name is not None:
            cookie = {"name": self.cookie, "value": self.sessions[name], "url": self.base_url}
            page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto(self.address)
        is_live(page)
        return page


def start(
    site: Site,
    ruleset: str,
    *,
    variant: str = "standard",
    items: tuple[tuple[int, str], ...] = (),
    options: dict[str, Any] | None = None,
    others: tuple[str, ...] = (),
    organiser: str | None = None,
    advantage: int | None = 0,
    waits: bool = False,
) -> Game:
    """Start a match between Ada (seat 0, with the advantage unless told otherwise) and Ben."""
    wish = {
        "mark": secrets.token_hex(6),
        "ruleset": ruleset,
        "variant": variant,
        "items": list(items),
        "options": options or {},
        "advantage": advantage,
        "waits": waits,
        "seats": ["Ada", "Ben"],
        "others": list(others),
        "organiser": organiser,
    }
    made = json.loads(site.python(_MAKE.format(wish=json.dumps(wish))).strip().splitlines()[-1])
    return Game(made["match"], made["cookie"], made["sessions"], site.base_url)


def is_live(page: Page) -> None:
    """Wait until the page has its socket and has drawn the match."""
    page.locator("#match[data-connection=live][data-phase]").wait_for()


def turn(page: Page) -> Locator:
    """The line that says whose decision it is."""
    return page.locator("[data-part=turn]")


def is_asked(page: Page) -> None:
    """Wait until the reader has a decision to make."""
    page.locator("[data-part=turn][data-state=yours]").wait_for()


def waits(page: Page) -> None:
    """Wait until the reader has none."""
    page.locator("[data-part=turn]:not([data-state=yours], [data-state=sending])").wait_for()


def choose(page: Page, label: str, verb: str) -> None:
    """Choose one of the cards and confirm."""
    page.locator(".choices input").first.wait_for(state="attached")
    page.locator(".choice--card").filter(has_text=label).first.click()
    page.get_by_role("button", name=verb).click()


def place_by_keyboard(page: Page) -> None:
    """Put the piece at hand on a place where it fits, by keys alone, and confirm."""
    is_asked(page)
    while True:
        page.keyboard.press("n")
        if page.locator(".ghost--legal, .ghost--pinned").count():
            break
        page.keyboard.press("r")
    page.keyboard.press("Enter")
    page.locator(".ghost--pinned").wait_for()
    page.keyboard.press("Enter")
