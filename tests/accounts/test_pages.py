"""Profiles, settings, preferences and error pages: works, anonymous, wrong method, bad input."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.templatetags.static import static
from django.test import Client, RequestFactory, override_settings
from django.urls import include, path

from accounts import profile
from accounts.models import AuditEntry, User
from accounts.profile import Section, register_section, unregister_section
from accounts.roles import Role

pytestmark = pytest.mark.django_db

People = Callable[..., User]


# --- Profiles --------------------------------------------------------------------------------


def test_a_profile_is_public(client: Client, person: People) -> None:
    joined = datetime(2026, 3, 1, 12, tzinfo=UTC)
    person("ada", Role.ORGANISER, display_name="Ada <b>", date_joined=joined)
    response = client.get("/u/ada/")
    assert response.status_code == 200
    page = response.content.decode()
    assert "Ada &lt;b&gt;" in page
    assert "Ada <b>" not in page
    assert "@ada" in page
    assert "1 March 2026" in page
    assert '<span class="tag tag--accent">organiser</span>' in page
    assert "ada@example.org" not in page
    assert "Settings" not in page


def test_ones_own_profile_leads_to_the_settings(client: Client, person: People) -> None:
    client.force_login(person("ada"))
    assert "/accounts/settings/" in client.get("/u/ada/").content.decode()


def test_names_in_other_letters_lead_to_the_same_page(client: Client, person: People) -> None:
    person("ada")
    response = client.get("/u/ADA/")
    assert (response.status_code, response["Location"]) == (301, "/u/ada/")


def test_a_closed_account_says_so(client: Client, person: People) -> None:
    person("ada", Role.MODERATOR, is_active=False)
    page = client.get("/u/ada/").content.decode()
    assert "account closed" in page
    assert "moderator" not in page


@pytest.mark.parametrize(
    ("name", "status"), [("nobody", 404), ("a" * 300, 404), ("%00", 400), ("..%2F", 404)]
)
def test_nobody_is_not_found(client: Client, name: str, status: int) -> None:
    assert client.get(f"/u/{name}/").status_code == status


def test_a_profile_is_only_read(client: Client, person: People) -> None:
    person("ada")
    assert client.head("/u/ada/").status_code == 200
    for method in (client.post, client.put, client.delete):
        assert method("/u/ada/").status_code == 405


# Any small template that shows a variable will do.
TEMPLATE = "account/messages/email_confirmed.txt"


@pytest.fixture
def makers() -> Iterator[list[Any]]:
    """Section makers to register, forgotten afterwards."""
    registered: list[Any] = []
    yield registered
    for maker in registered:
        unregister_section(maker)


def test_other_apps_fill_the_profile(makers: list[Any], person: People) -> None:
    def history(request: HttpRequest, owner: User) -> Section | None:
        return Section(f"Matches of {owner}", TEMPLATE)

    def nothing(request: HttpRequest, owner: User) -> Section | None:
        return None

    def ratings(request: HttpRequest, owner: User) -> Section | None:
        return Section("Ratings", TEMPLATE)

    makers += [history, nothing, ratings]
    register_section(history, order=90)
    register_section(nothing, order=91)
    register_section(ratings, order=95)
    register_section(ratings, order=89)  # moves it
    user = person("ada")
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    titles = [title for title, _body in profile.sections(request, user)]
    assert [title for title in titles if title in {"Ratings", "Matches of ada"}] == [
        "Ratings",
        "Matches of ada",
    ]


def test_a_section_is_shown(client: Client, makers: list[Any], person: People) -> None:
    def maker(request: HttpRequest, owner: User) -> Section:
        return Section("Trophies", TEMPLATE, {"email": "Three <cups>"})

    makers.append(maker)
    register_section(maker)
    person("ada")
    page = client.get("/u/ada/").content.decode()
    assert "Trophies" in page
    assert "Three &lt;cups&gt; is confirmed." in page
    assert "Nothing to show yet" not in page


# --- Settings --------------------------------------------------------------------------------

SETTINGS = {"display_name": "Ada L.", "time_zone": "Asia/Seoul", "theme": "dark"}


def test_settings_are_shown_and_saved(client: Client, person: People) -> None:
    client.force_login(person("ada", sound_muted=True))
    assert client.get("/accounts/settings/").status_code == 200
    response = client.post("/accounts/settings/", SETTINGS, follow=True)
    assert response.redirect_chain == [("/accounts/settings/", 302)]
    assert "Your settings are saved." in response.content.decode()
    user = User.objects.get()
    assert (user.display_name, user.time_zone, user.theme) == ("Ada L.", "Asia/Seoul", "dark")
    assert user.sound_muted is False  # an empty box is an answer
    assert '<html lang="en-GB" class="no-js" data-theme="dark"' in response.content.decode()
    assert 'data-time-zone="Asia/Seoul"' in response.content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("display_name", "a" * 31),
        ("display_name", "zero\u200bwidth"),
        ("display_name", "Bob"),
        ("display_name", "nul\x00"),
        ("time_zone", "Mars/Olympus"),
        ("theme", "pink"),
        ("theme", ""),
    ],
)
def test_refusals_of_settings(client: Client, person: People, field: str, value: str) -> None:
    person("bob")
    client.force_login(person("ada"))
    response = client.post("/accounts/settings/", {**SETTINGS, field: value})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {field}
    assert 'aria-invalid="true"' in response.content.decode()
    user = User.objects.get(username="ada")
    assert (user.display_name, user.time_zone, user.theme) == ("", "", "auto")
    assert not AuditEntry.objects.exists()


def test_settings_are_for_those_who_are_signed_in(client: Client) -> None:
    for method in (client.get, client.post):
        response = method("/accounts/settings/")
        assert response.status_code == 302
        assert response["Location"] == "/accounts/login/?next=/accounts/settings/"


def test_settings_answer_no_other_method(client: Client, person: People) -> None:
    client.force_login(person())
    assert client.put("/accounts/settings/").status_code == 405
    assert client.delete("/accounts/settings/").status_code == 405


# --- Preferences -----------------------------------------------------------------------------


def test_visitors_keep_their_preferences_in_cookies(client: Client) -> None:
    assert client.get("/accounts/preferences/").status_code == 200
    response = client.post(
        "/accounts/preferences/", {"theme": "light", "sound": "muted", "next": "/accounts/login/"}
    )
    assert response["Location"] == "/accounts/login/"
    assert (client.cookies["theme"].value, client.cookies["sound"].value) == ("light", "muted")
    page = client.get("/accounts/login/").content.decode()
    assert 'data-theme="light"' in page
    assert 'data-sound="muted"' in page


def test_members_keep_theirs_in_their_account(client: Client, person: People) -> None:
    user = person("ada", sound_muted=True)
    client.force_login(user)
    response = client.post(
        "/accounts/preferences/", {"theme": "dark"}, headers={"accept": "application/json"}
    )
    assert (response.status_code, response.content) == (204, b"")
    user.refresh_from_db()
    assert (user.theme, user.sound_muted) == ("dark", True)
    client.post("/accounts/preferences/", {"sound": "on"})
    user.refresh_from_db()
    assert (user.theme, user.sound_muted) == ("dark", False)
    assert "theme" not in client.cookies


def test_the_zone_of_the_device_is_noted_until_somebody_chooses_one(
    client: Client, person: People
) -> None:
    def tells(zone: str) -> int:
        return client.post(
            "/accounts/preferences/", {"device_zone": zone}, headers={"accept": "application/json"}
        ).status_code

    assert "data-device-zone" not in client.get("/accounts/preferences/").content.decode()
    assert tells("Asia/Tokyo") == 204  # a visitor's, whom nothing is sent
    user = person("ada", theme="dark")
    client.force_login(user)
    assert 'data-device-zone=""' in client.get("/accounts/preferences/").content.decode()
    assert (tells("Asia/Tokyo"), tells("Mars/Olympus"), tells("")) == (204, 422, 204)
    user.refresh_from_db()
    assert (user.device_zone, user.time_zone, user.theme) == ("Asia/Tokyo", "", "dark")
    assert user.zone == ZoneInfo("Asia/Tokyo")
    page = client.get("/accounts/settings/").content.decode()
    assert 'data-device-zone="Asia/Tokyo"' in page
    assert "Your device was last in Asia/Tokyo." in page
    client.post("/accounts/settings/", {**SETTINGS, "time_zone": "Asia/Seoul"})
    assert "data-device-zone" not in client.get("/accounts/settings/").content.decode()
    assert User.objects.get().zone == ZoneInfo("Asia/Seoul")


def test_how_much_moves_is_kept_by_the_device(client: Client, person: People) -> None:
    client.force_login(person("ada"))
    client.post("/accounts/preferences/", {"motion": "reduced", "results": "hidden"})
    assert client.cookies["motion"].value == "reduced"
    assert client.cookies["results"].value == "hidden"
    assert 'data-motion="reduced"' in client.get("/accounts/preferences/").content.decode()
    client.post("/accounts/preferences/", {"theme": "dark"})
    assert client.cookies["motion"].value == "reduced"
    client.post("/accounts/preferences/", {"motion": "wild"})
    assert client.cookies["motion"].value == "reduced"


def test_refusals_of_preferences(client: Client, person: People) -> None:
    response = client.post("/accounts/preferences/", {"theme": "pink"})
    assert response.status_code == 422
    assert "theme" not in client.cookies
    client.force_login(person("ada"))
    response = client.post(
        "/accounts/preferences/",
        {"theme": "dark", "sound": "loud"},
        headers={"accept": "application/json"},
    )
    assert response.status_code == 422
    assert list(response.json()["errors"]) == ["sound"]
    assert User.objects.get().theme == "auto"
    assert client.put("/accounts/preferences/").status_code == 405


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""]
)
def test_preferences_lead_nowhere_else(client: Client, address: str) -> None:
    response = client.post("/accounts/preferences/", {"theme": "dark", "next": address})
    assert response["Location"] == "/"


def test_a_nonsensical_cookie_is_ignored(client: Client) -> None:
    client.cookies["theme"] = '"><script>'
    client.cookies["sound"] = "loud"
    client.cookies["motion"] = "wild"
    page = client.get("/accounts/login/").content.decode()
    assert 'data-theme="auto" data-sound="on" data-motion="on"' in page


# --- Every page ------------------------------------------------------------------------------

ENTRANCES = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
ENTRANCES += ["/accounts/preferences/", "/accounts/password/reset/done/", "/accounts/inactive/"]
DESKS = ["/accounts/settings/", "/accounts/email/", "/accounts/password/change/"]
DESKS += ["/accounts/logout/", "/accounts/preferences/"]


@pytest.mark.parametrize("address", ENTRANCES)
def test_pages_for_visitors(client: Client, address: str) -> None:
    check_page(client.get(address), address)


@pytest.mark.parametrize("address", DESKS)
def test_pages_for_members(client: Client, person: People, address: str) -> None:
    client.force_login(person("ada"))
    check_page(client.get(address), address)


def check_page(response: Any, address: str) -> None:
    """Assert what every page has, and what the security policy forbids."""
    assert response.status_code == 200
    page = response.content.decode()
    assert page.count("<h1") == 1
    assert page.count("<main ") == 1
    assert 'href="#main"' in page
    assert 'id="main"' in page
    assert f'<meta property="og:url" content="http://testserver{address}">' in page
    assert f'content="http://testserver{static("img/og.png")}"' in page
    assert " style=" not in page
    assert "<script>" not in page
    assert " onclick=" not in page
    assert "{{" not in page
    assert "{%" not in page
    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy


def test_signed_in_visitors_are_not_asked_twice(client: Client, person: People) -> None:
    page = client.get("/accounts/login/").content.decode()
    assert "Register" in page
    client.force_login(person("ada"))
    page = client.get("/accounts/settings/").content.decode()
    assert "Sign out" in page
    assert "Your menu, ada" in page


@pytest.mark.parametrize(
    ("address", "back"),
    [
        ("/", ""),
        ("/u/ada/", "?next=/u/ada/"),
        ("/u/nobody/?page=2&of=3", "?next=/u/nobody/%3Fpage%3D2%26of%3D3"),
        ("/accounts/login/", ""),
        ("/accounts/login/?next=/u/ada/", "?next=/u/ada/"),
        ("/accounts/password/reset/?next=/u/ada/", "?next=/u/ada/"),
    ],
)
def test_the_header_brings_back_whoever_registers_or_signs_in(
    client: Client, person: People, address: str, back: str
) -> None:
    person("ada")
    header = client.get(address).content.decode().partition("</header>")[0]
    for way in ("login", "signup"):
        assert f'href="/accounts/{way}/{back}"' in header


def test_a_form_sent_back_brings_on_where_it_leads(client: Client) -> None:
    page = client.post("/accounts/login/", {"next": "/u/ada/"}).content.decode()
    assert page.partition("</header>")[0].count("?next=/u/ada/") == 2


def test_every_link_to_register_brings_back() -> None:
    folder = Path(settings.BASE_DIR) / "templates"
    link = re.compile(r"""href="\{% url 'account_signup' %\}([^"]*)""")
    found = [
        (each.name, behind)
        for each in sorted(folder.rglob("*.html"))
        for behind in link.findall(each.read_text(encoding="utf-8"))
    ]
    assert len(found) > 3
    assert not [each for each in found if each[1] != "{% and_back %}" and "?next=" not in each[1]]


# --- Error pages -----------------------------------------------------------------------------


def raiser(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    """Return a view that fails."""

    def view(request: HttpRequest) -> HttpResponse:
        raise error

    return view


urlpatterns = [
    path("e/400/", raiser(SuspiciousOperation("secret detail"))),
    path("e/403/", raiser(PermissionDenied("secret detail"))),
    path("e/404/", raiser(Http404("secret detail"))),
    path("e/500/", raiser(ZeroDivisionError("secret detail"))),
    path("", include("config.urls")),
]
handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (400, "That request made no sense"),
        (403, "You may not do this"),
        (404, "There is nothing here"),
        (500, "Something broke on our side"),
    ],
)
def test_errors_are_friendly_and_tell_nothing(status: int, sentence: str) -> None:
    client = Client(raise_request_exception=False)
    response = client.get(f"/e/{status}/")
    assert response.status_code == status
    page = response.content.decode()
    assert sentence in page
    assert "secret detail" not in page
    assert "Traceback" not in page
    assert 'href="/"' in page


def test_a_foreign_host_name_gets_a_page_too() -> None:
    response = Client(raise_request_exception=False).get("/", HTTP_HOST="evil.example")
    assert response.status_code == 400
    assert "evil.example" not in response.content.decode()


def test_the_last_resort_needs_no_database(client: Client, django_assert_num_queries: Any) -> None:
    from config.errors import server_error

    request = RequestFactory().get("/")
    with django_assert_num_queries(0):
        response = server_error(request)
    assert response.status_code == 500
