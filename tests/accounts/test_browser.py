"""The site's frame in a real browser: widths, themes, keyboard, and life without scripts."""

import itertools
import re
import secrets
from types import SimpleNamespace
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from django.template.loader import render_to_string

from accounts.context_processors import CLOSED_COOKIE
from accounts.models import SiteAnnouncement
from tests.accounts.conftest import PASSWORD
from tests.support.screens import Screen, assert_fits_each
from tests.support.site import Site, wait_for

_numbers = itertools.count(1)
SCREENS: tuple[Screen, ...] = ((320, "light"), (1440, "dark"))
# The page's own copy of the module: a second one may make no markup (Trusted Types).
SITE_SCRIPT = 'script[type=module][src*="/js/site."]'


def register(page: Any) -> str:
    """Register somebody new through the page and return the name."""
    name = f"b{next(_numbers)}{secrets.token_hex(4)}"
    page.goto("/accounts/signup/")
    page.get_by_label("Username").fill(name.upper())
    page.get_by_label("Email address").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Register").click()
    page.get_by_text(f"Welcome, {name.upper()}.").wait_for()
    page.wait_for_load_state()  # its scripts have run
    return name


def test_a_page_that_is_not_there_fits(new_page: Any) -> None:
    page = new_page()
    page.goto("/nothing/here/")
    assert_fits_each(page, SCREENS)
    assert page.locator("h1").count() == 1


def test_the_theme_is_switched_at_once_and_kept(new_page: Any) -> None:
    page = new_page(color_scheme="light")
    page.goto("/accounts/login/")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Switch to the dark theme").click()
    assert page.evaluate(ground) != light
    page.goto("/accounts/signup/")
    page.get_by_role("button", name="Switch to the light theme").wait_for()
    dark = page.evaluate(ground)
    assert dark != light
    register(page)
    assert page.evaluate(ground) == light  # the account follows the device until told otherwise
    # Not the one by which a page tells in which zone it is.
    with page.expect_response(lambda each: "theme=dark" in (each.request.post_data or "")) as saved:
        page.get_by_role("button", name="Switch to the dark theme").press("Space")
    assert saved.value.status == 204
    page.goto("/accounts/settings/")
    assert page.evaluate(ground) == dark
    assert page.get_by_label("Dark").is_checked()
    assert new_page.errors == []


def test_what_the_site_says_is_closed_and_stays_so(new_page: Any) -> None:
    """Of a page into which it was put: this site is that of other tests, too."""
    said = [SiteAnnouncement(pk=pk, words=f"Words {pk}", is_urgent=pk == 2) for pk in (4, 3, 2)]
    shell = SimpleNamespace(announcements=said)
    banner = render_to_string("accounts/site_announcements.html", {"shell": shell})

    def with_it(route: Any) -> None:
        answer = route.fetch()
        body = answer.text().replace('<main id="main"', f'{banner}<main id="main"', 1)
        route.fulfill(response=answer, body=body)

    page = new_page()
    page.route("**/accounts/login/", with_it)
    page.goto("/accounts/login/")
    assert_fits_each(page, SCREENS)
    region = page.get_by_role("region", name="From the site's team")
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate("axe.run('.site-announcements').then((found) => found.violations)") == []
    assert region.get_by_role("button").count() == 2
    region.get_by_text("Words 3").locator("..").get_by_role("button", name="Close this").click()
    region.get_by_text("Words 3").wait_for(state="detached")
    assert region.get_by_role("paragraph").all_inner_texts() == ["Words 4", "Words 2"]
    region.get_by_role("button", name="Close this").press("Enter")
    assert region.inner_text() == "Words 2"
    kept = {each["name"]: each["value"] for each in page.context.cookies()}
    assert kept[CLOSED_COOKIE] == "4-3"
    assert new_page.errors == []


def test_pages_tell_in_which_zone_the_device_is(new_page: Any) -> None:
    page = new_page(timezone_id="Asia/Tokyo")

    def tells(response: Any) -> bool:
        return "device_zone=" in (response.request.post_data or "")

    with page.expect_response(tells) as told:
        register(page)
    assert told.value.status == 204
    sent: list[Any] = []
    page.on("request", lambda each: sent.append(each.post_data or ""))
    page.goto("/accounts/settings/", wait_until="networkidle")
    page.get_by_text("Your device was last in Asia/Tokyo.").wait_for()
    assert [each for each in sent if "device_zone" in each] == []
    assert new_page.errors == []


def test_a_page_that_has_brought_no_token_leaves_the_zone_to_the_next(new_page: Any) -> None:
    page, other = new_page(timezone_id="Asia/Tokyo"), new_page(timezone_id="Europe/Paris")
    register(page)
    other.context.add_cookies(
        [each for each in page.context.cookies() if "csrf" not in each["name"]]
    )
    sent: list[str] = []
    other.on("request", lambda each: sent.append(each.post_data or ""))
    other.goto("/seasons/", wait_until="networkidle")
    assert [each for each in sent if "device_zone" in each] == []
    with other.expect_response(lambda each: "device_zone=" in (each.request.post_data or "")) as it:
        other.goto("/accounts/settings/")
    assert it.value.status == 204
    assert new_page.errors == []


def test_the_keyboard_reaches_everything(new_page: Any) -> None:
    page = new_page()
    page.goto("/accounts/login/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    assert skip.evaluate("element => element === document.activeElement")
    assert skip.bounding_box()["y"] >= 0  # it comes into sight
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "id_login"
    width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert width == "3px"


def test_the_menu_opens_and_closes_by_keyboard(new_page: Any) -> None:
    page = new_page()
    name = register(page)
    summary = page.locator("summary", has_text=name.upper())
    summary.focus()
    page.keyboard.press("Enter")
    profile = page.get_by_role("link", name="Your profile")
    profile.wait_for()
    page.keyboard.press("Tab")
    assert profile.evaluate("element => element === document.activeElement")
    page.keyboard.press("Escape")
    assert not profile.is_visible()
    assert summary.evaluate("element => element === document.activeElement")
    summary.click()
    profile.wait_for()
    page.locator("h1, h2").first.click()
    assert not profile.is_visible()


def test_a_mistake_is_focused_and_described(new_page: Any) -> None:
    page = new_page()
    page.goto("/accounts/signup/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Email address").fill(f"{secrets.token_hex(4)}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Register").click()
    page.get_by_text("This username is reserved").wait_for()
    page.wait_for_load_state()  # its scripts have run
    field = page.get_by_label("Username")
    assert field.evaluate("element => element === document.activeElement")
    described = field.get_attribute("aria-describedby").split()
    texts = [page.locator(f"#{name}").inner_text() for name in described]
    assert any("reserved" in text for text in texts)


def test_times_are_told_in_the_readers_zone(new_page: Any) -> None:
    page = new_page(timezone_id="Asia/Seoul")
    page.goto("/accounts/login/")
    shown = page.evaluate(
        """async (script) => {
            const { localiseTimes } = await import(document.querySelector(script).src);
            const times = [
                ["2026-03-01T23:30:00Z", "moment", "x"],
                ["2026-03-01T23:30:00Z", "date", "x"],
                [new Date(Date.now() - 305000).toISOString(), "relative", "x"],
                ["nonsense", "moment", "kept"],
            ].map(([datetime, style, text]) => {
                const time = document.createElement("time");
                Object.assign(time, { dateTime: datetime, textContent: text });
                time.dataset.style = style;
                return time;
            });
            document.querySelector("main").replaceChildren(...times);
            localiseTimes();
            return [...document.querySelectorAll("main time")].map((one) => one.textContent);
        }""",
        SITE_SCRIPT,
    )
    assert shown == ["2 March 2026 at 08:30", "2 March 2026", "5 minutes ago", "kept"]


def test_toasts_and_announcements(new_page: Any) -> None:
    page = new_page()
    page.goto("/accounts/login/")
    page.evaluate(
        """async (script) => {
            const { announce, toast } = await import(document.querySelector(script).src);
            toast("<b>Saved</b>", { kind: "success", seconds: 60 });
            toast("Soon gone", { seconds: 0.2 });
            announce("Your decision");
            announce("Your decision", { now: true });
            for (const square of ["A1", "A2", "A3"]) announce(square, { about: "board" });
            announce("Connected again.");
            for (const seconds of [30, 10]) announce(`${seconds} seconds left.`, { now: true });
        }""",
        SITE_SCRIPT,
    )
    toast = page.locator("#toasts .toast--success")
    assert toast.inner_text().startswith("<b>Saved</b>")
    page.get_by_text("Soon gone").wait_for(state="detached")
    toast.get_by_role("button", name="Dismiss").click()
    assert page.locator(".toast").count() == 0
    # What has not been read yet stays until it has been; of where a cursor is, only the last.
    lines = page.locator("#announcer p").all_inner_texts()
    assert lines == ["Your decision", "A3", "Connected again."]
    assert page.locator("#announcer-now").inner_text() == "10 seconds left."


def test_everything_works_without_scripts(new_page: Any) -> None:
    page = new_page(java_script_enabled=False, color_scheme="light")
    name = register(page)
    page.goto("/")
    page.get_by_role("link", name="Colours and sound").first.click()
    page.get_by_label("Dark").check()
    page.get_by_label("Muted").check()
    page.get_by_role("button", name="Save").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("html").get_attribute("data-sound") == "muted"
    page.locator("summary").click()
    page.get_by_role("link", name="Sign out").click()
    page.locator("main").get_by_role("button", name="Sign out").click()
    page.goto(f"/u/{name}/")
    assert page.get_by_role("heading", level=1).inner_text() == name.upper()
    assert page.get_by_role("link", name="Sign in").is_visible()


def test_a_forgotten_password_is_reset_with_the_mail(new_page: Any, site: Site) -> None:
    page = new_page()
    name = register(page)
    other = new_page()
    other.goto("/accounts/login/")
    other.get_by_role("link", name="Forgot your password?").click()
    other.get_by_label("Email").fill(f"{name}@example.org")
    other.get_by_role("button", name="Send the mail").click()
    other.get_by_role("heading", name="Look into your mail").wait_for()

    def letter_to_them() -> str | None:
        folder = site.folder / "mail"
        letters = [path.read_text() for path in folder.iterdir()] if folder.exists() else []
        found = (each for each in letters if "Choose a new password" in each and name in each)
        return next(found, None)

    letter = wait_for(letter_to_them, what="the letter")  # a worker sends it
    found = re.search(r"(/accounts/password/reset/key/\S+)", letter)
    assert found is not None
    other.goto(found[1])
    other.get_by_label("New password", exact=True).fill("new-swordfish-88")
    other.get_by_label("New password (again)").fill("new-swordfish-88")
    other.get_by_role("button", name="Set the password").click()
    other.get_by_role("link", name="Sign in with it").click()
    other.get_by_label("Username or email address").fill(name)
    other.get_by_label("Password", exact=True).fill("new-swordfish-88")
    other.locator("main").get_by_role("button", name="Sign in", exact=True).click()
    other.get_by_text(f"Welcome, {name.upper()}.").wait_for()
    assert new_page.errors == []
