"""OAuth 2: the whole dance through the real addresses, and everything that breaks it off."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from accounts.models import AuditEntry, Sanction, User
from accounts.oauth import library, services
from accounts.tokens.bearers import bearer_of
from core.api.scopes import Scope
from core.clock import now_utc
from core.refusals import Refusal

pytestmark = pytest.mark.django_db

People = Callable[..., User]
BACK = "https://boards.example/back"
VERIFIER = "v" * 64
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
)
PAGE = "/accounts/settings/applications/"


class Dance:
    """An application, a person in a browser, and the steps between them."""

    def __init__(self, owner: User, person: User, *, public: bool = True) -> None:
        self.app, self.secret = services.application_register(
            acting_user=owner, name="Boards", redirect_uris=[BACK], public=public
        )
        self.person = person
        self.browser = Client(enforce_csrf_checks=True)
        self.browser.force_login(person)
        self.server = Client(enforce_csrf_checks=True)

    def ask(self, **more: str | None) -> Any:
        """The person is sent to us."""
        query = {
            "response_type": "code", "client_id": self.app.client_id, "redirect_uri": BACK,
            "scope": "read play", "state": "s-1", "code_challenge": CHALLENGE,
            "code_challenge_method": "S256", **more,
        }  # fmt: skip
        given = {key: value for key, value in query.items() if value is not None}
        return self.browser.get("/oauth/authorize/", given)

    def answer(self, page: Any, *, allow: bool = True) -> dict[str, str]:
        """The person presses a button; returns what the application is told."""
        fields = dict(re.findall(r'name="([a-z_]+)"[^>]*?value="([^"]*)"', page.content.decode()))
        fields.pop("allow", None)
        body = {name: unescape(value) for name, value in fields.items()}
        if allow:
            body["allow"] = "true"
        answer = self.browser.post("/oauth/authorize/", body)
        assert answer.status_code == 302, answer.content
        assert answer["Location"].startswith(BACK + "?")
        told = parse_qs(urlsplit(answer["Location"]).query)
        return {name: values[0] for name, values in told.items()}

    def code(self, **more: str | None) -> str:
        return self.answer(self.ask(**more))["code"]

    def trade(self, received: str, /, **more: str | None) -> Any:
        """The application trades the code in."""
        body = {
            "grant_type": "authorization_code", "code": received, "redirect_uri": BACK,
            "client_id": self.app.client_id, "code_verifier": VERIFIER, **more,
        }  # fmt: skip
        return self.server.post(
            "/oauth/token/", {key: value for key, value in body.items() if value is not None}
        )

    def refresh(self, token: str) -> Any:
        return self.server.post(
            "/oauth/token/",
            {
                "grant_type": "refresh_token",
                "refresh_token": token,
                "client_id": self.app.client_id,
            },
        )

    def tokens(self, **more: str | None) -> dict[str, Any]:
        answer = self.trade(self.code(**more))
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture
def dance(person: People) -> Dance:
    return Dance(person("maker"), person("ada"))


def me(token: str) -> Any:
    return Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {token}"})


# -- how it goes ---------------------------------------------------------------------------------


def test_the_whole_dance(dance: Dance) -> None:
    page = dance.ask()
    words = page.content.decode()
    assert page.status_code == 200
    for said in ("Boards", "@ada", "boards.example", "submit moves", "maker"):
        assert said in words
    assert "Run seasons" not in words  # a scope that was not asked for
    assert "no-store" in page["Cache-Control"]
    assert "form-action 'self' https://boards.example" in page["Content-Security-Policy"]
    told = dance.answer(page)
    assert (told["state"], told["iss"]) == ("s-1", "http://testserver")
    answer = dance.trade(told["code"])
    assert answer.status_code == 200
    tokens = answer.json()
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 3600)
    assert set(tokens["scope"].split()) == {"read", "play"}
    caller = me(tokens["access_token"]).json()
    assert (caller["username"], caller["scopes"]) == ("ada", ["read", "play"])
    assert AuditEntry.objects.get(action="authorisation.grant").who == dance.person


def test_what_is_given_ends_by_the_services_clock(
    dance: Dance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the clock of the host shows that gives it."""
    now = now_utc() + timedelta(minutes=30)
    monkeypatch.setattr(library, "now_utc", lambda: now)
    dance.tokens()
    assert AccessToken.objects.get().expires == now + timedelta(hours=1)


def test_nothing_usable_is_kept(dance: Dance) -> None:
    tokens = dance.tokens()
    stored = str([*AccessToken.objects.values(), *RefreshToken.objects.values()])
    assert tokens["access_token"] not in stored
    assert tokens["refresh_token"] not in stored


def test_refresh_tokens_rotate(dance: Dance) -> None:
    first = dance.tokens()
    second = dance.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert me(second["access_token"]).status_code == 200
    assert me(first["access_token"]).status_code == 401
    # Who uses one twice may have stolen it: the whole family ends.
    assert dance.refresh(first["refresh_token"]).status_code == 400
    assert dance.refresh(second["refresh_token"]).status_code == 400
    assert me(second["access_token"]).status_code == 401


def test_an_application_with_a_secret(person: People) -> None:
    dance = Dance(person("maker"), person("ada"), public=False)
    assert len(dance.secret) > 40
    assert dance.secret not in str(Application.objects.values())
    code = dance.code()
    assert dance.trade(code).json()["error"] == "invalid_client"
    assert dance.trade(code, client_secret="wrong").json()["error"] == "invalid_client"
    assert dance.trade(code, client_secret=dance.secret).status_code == 200


def test_a_person_says_no(dance: Dance) -> None:
    told = dance.answer(dance.ask(), allow=False)
    assert told["error"] == "access_denied"
    assert not Grant.objects.exists()
    assert not AuditEntry.objects.filter(action="authorisation.grant").exists()


def test_nobody_is_asked_to_sign_in_first(dance: Dance) -> None:
    dance.browser.logout()
    answer = dance.ask()
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/?next=/oauth/authorize/")


def test_who_asks_for_nothing_may_read(dance: Dance) -> None:
    assert dance.tokens(scope=None)["scope"] == "read"


# -- what breaks it off --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain", "code_challenge": VERIFIER}, "invalid_request"),
        ({"code_challenge_method": None, "code_challenge": VERIFIER}, "invalid_request"),
        ({"response_type": "token"}, "unauthorized_client unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"scope": "read everything"}, "invalid_scope"),
    ],
)
def test_questions_that_the_application_is_told_to_mend(
    more: dict[str, str | None], error: str, dance: Dance
) -> None:
    answer = dance.ask(**more)
    assert answer.status_code == 302
    assert answer["Location"].startswith(BACK)
    parts = urlsplit(answer["Location"])
    told = parse_qs(parts.query or parts.fragment)
    assert told["error"][0] in error.split()
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    "more",
    [
        {"redirect_uri": "https://evil.example/back"}, {"redirect_uri": BACK + "/more"},
        {"redirect_uri": "javascript:alert(1)"}, {"client_id": "nobody"}, {"client_id": None},
    ],
)  # fmt: skip
def test_nobody_is_sent_where_they_should_not_be(more: dict[str, Any], dance: Dance) -> None:
    answer = dance.ask(**more)
    assert answer.status_code == 400
    assert "Location" not in answer
    assert b"This does not work" in answer.content


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"code_verifier": "w" * 64}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"redirect_uri": "https://evil.example/back"}, "invalid_request"),
        ({"client_id": "nobody"}, "invalid_client"), ({"code": "guess"}, "invalid_grant"),
        ({"grant_type": "password", "username": "ada", "password": "x"}, "invalid_grant"),
        ({"grant_type": "client_credentials"}, "unauthorized_client"),
    ],
)  # fmt: skip
def test_trades_that_fail(more: dict[str, str | None], error: str, dance: Dance) -> None:
    answer = dance.trade(dance.code(), **more)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"] in (error, "unauthorized_client")
    assert not AccessToken.objects.exists()


def test_a_code_is_good_once_and_for_a_minute(dance: Dance) -> None:
    code = dance.code()
    assert dance.trade(code).status_code == 200
    assert dance.trade(code).json()["error"] == "invalid_grant"
    code = dance.code()
    Grant.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert dance.trade(code).json()["error"] == "invalid_grant"


def test_a_scope_that_was_not_granted(dance: Dance) -> None:
    token = dance.tokens(scope="read")["access_token"]
    answer = Client().post(
        "/api/v1/challenges/", "{}", "application/json",
        headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip
    assert answer.status_code == 403
    assert answer.json()["scope"] == "play"


def test_a_form_that_was_tampered_with_gets_no_more(dance: Dance) -> None:
    """What the person has read is what is allowed: another scope has to be a known one, too."""
    page = dance.ask(scope="read")
    body = page.content.decode().replace('name="scope" value="read"', 'name="scope" value="root"')

    class Changed:
        content = body.encode()

    told = dance.answer(Changed)
    assert told["error"] == "invalid_scope"


@pytest.mark.parametrize("why", ["expired", "closed", "suspended", "deleted", "revoked", "by app"])
def test_tokens_that_are_no_longer_good(why: str, dance: Dance, person: People) -> None:
    tokens = dance.tokens()
    match why:
        case "expired":
            AccessToken.objects.update(expires=timezone.now())
        case "closed":
            User.objects.filter(pk=dance.person.pk).update(is_active=False)
        case "suspended":
            Sanction.objects.create(
                user=dance.person, by=person(), kind=Sanction.Kind.SUSPENSION, reason="Because."
            )
        case "deleted":
            services.application_delete(acting_user=dance.app.user, application=dance.app)
        case "revoked":
            services.authorisation_revoke(acting_user=dance.person, application=dance.app)
        case "by app":
            body = {"token": tokens["access_token"], "client_id": dance.app.client_id}
            assert dance.server.post("/oauth/revoke/", body).status_code == 200
    assert me(tokens["access_token"]).status_code == 401
    refreshed = dance.refresh(tokens["refresh_token"])
    if why == "expired":
        assert refreshed.status_code == 200
    else:
        assert refreshed.status_code in (400, 401)


def test_metadata(dance: Dance) -> None:
    found = Client().get("/.well-known/oauth-authorization-server").json()
    assert found["issuer"] == "http://testserver"
    assert found["authorization_endpoint"] == "http://testserver/oauth/authorize/"
    assert found["token_endpoint"] == "http://testserver/oauth/token/"
    assert found["revocation_endpoint"] == "http://testserver/oauth/revoke/"
    assert found["response_types_supported"] == ["code"]
    assert found["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["scopes_supported"] == sorted(scope.value for scope in Scope)


@pytest.mark.parametrize("path", ["/oauth/token/", "/oauth/revoke/"])
def test_an_application_in_a_browser_may_ask(path: str, dance: Dance) -> None:
    """From a page of another site, which is asked first whether it may."""
    origin = {"Origin": "https://boards.example"}
    before = Client().options(path, headers={**origin, "Access-Control-Request-Method": "POST"})
    assert before["Access-Control-Allow-Origin"] == "*"
    assert "POST" in before["Access-Control-Allow-Methods"]
    assert "Content-Type" in before["Access-Control-Allow-Headers"]
    body = {"client_id": dance.app.client_id, "token": "x", "grant_type": "refresh_token"}
    answer = Client(enforce_csrf_checks=True).post(path, body, headers=origin)
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer
    assert "Access-Control-Allow-Origin" not in dance.ask()


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"code_challenge": "", "code_challenge_method": ""}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "", "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "c" * 44}, "invalid_request"),
        ({"code_challenge": "c" * 42 + "="}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"response_type": "token"}, "unauthorized_client unsupported_response_type"),
        ({"resource": "x"}, "invalid_target"),
    ],
)
def test_every_error_says_who_answers(
    more: dict[str, str | None], error: str, dance: Dance
) -> None:
    """At the question, before anybody is asked, and with `iss` once (RFC 9207), also where the
    form, rather than the address, says so."""
    page = dance.ask()
    fields = dict(re.findall(r'name="([a-z_]+)"[^>]*?value="([^"]*)"', page.content.decode()))
    form = {**{name: unescape(value) for name, value in fields.items()}, **more}
    posted = {name: value or "" for name, value in form.items()}
    for answer in (dance.ask(**more), dance.browser.post("/oauth/authorize/", posted)):
        assert answer.status_code == 302
        parts = urlsplit(answer["Location"])
        assert f"{parts.scheme}://{parts.netloc}{parts.path}" == BACK
        told = parse_qs(parts.query or parts.fragment)
        assert told["error"][0] in error.split()
        assert told["iss"] == ["http://testserver"]
        assert told["state"] == ["s-1"]
    assert not Grant.objects.exists()


def test_no_says_who_answers_and_an_address_has_its_say(dance: Dance) -> None:
    assert dance.answer(dance.ask(), allow=False)["iss"] == "http://testserver"
    Application.objects.update(redirect_uris=BACK + "?iss=https://evil.example&a=1")
    asked = dance.ask(redirect_uri=BACK + "?iss=https://evil.example&a=1", scope="everything")
    told = parse_qs(urlsplit(asked["Location"]).query)
    assert (told["iss"], told["a"]) == (["http://testserver"], ["1"])


@pytest.mark.parametrize(
    "left_out", ["client_id", "redirect_uri", "scope", "response_type", "everything"]
)
def test_half_a_form(left_out: str, dance: Dance) -> None:
    page = dance.ask()
    fields = dict(re.findall(r'name="([a-z_]+)"[^>]*?value="([^"]*)"', page.content.decode()))
    body = {name: unescape(value) for name, value in fields.items() if name != left_out}
    if left_out == "everything":
        body = {"csrfmiddlewaretoken": body["csrfmiddlewaretoken"]}
    answer = dance.browser.post("/oauth/authorize/", body)
    assert answer.status_code == 400
    assert b"This does not work" in answer.content
    assert not Grant.objects.exists()


def test_a_form_leads_nowhere_else(dance: Dance) -> None:
    """Neither a yes nor a no sends anybody where the application has not said."""
    page = dance.ask()
    fields = dict(re.findall(r'name="([a-z_]+)"[^>]*?value="([^"]*)"', page.content.decode()))
    body = {name: unescape(value) for name, value in fields.items()}
    del body["allow"]
    for allow in ({}, {"allow": "true"}):
        answer = dance.browser.post(
            "/oauth/authorize/", {**body, **allow, "redirect_uri": "https://evil.example/"}
        )
        assert answer.status_code == 400
        assert "Location" not in answer


@pytest.mark.parametrize("refreshed", [False, True])
def test_a_code_that_comes_twice_ends_what_it_has_brought(
    refreshed: bool, dance: Dance, person: People
) -> None:
    other = dance.tokens()
    code = dance.code()
    tokens = dance.trade(code).json()
    if refreshed:
        tokens = dance.refresh(tokens["refresh_token"]).json()
    stranger = Dance(person("stranger"), person("eve"))
    assert dance.trade(code, client_id=stranger.app.client_id).status_code == 400
    assert me(tokens["access_token"]).status_code == 200  # not that application's code
    again = dance.trade(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert me(tokens["access_token"]).status_code == 401
    assert dance.refresh(tokens["refresh_token"]).status_code == 400
    assert AuditEntry.objects.filter(action="authorisation.code-reused").count() == 1
    # What another code has brought stays, and guesses end nothing.
    assert dance.trade("guess").status_code == 400
    assert me(other["access_token"]).status_code == 200


def test_two_trades_at_once_end_both(dance: Dance, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one has looked before the first one was done."""
    code = dance.code()
    grant = Grant.objects.get()
    tokens = dance.trade(code).json()
    monkeypatch.setattr(library.Validator, "validate_code", _as_if_there(grant))
    monkeypatch.setattr(library.Validator, "get_code_challenge", lambda *_: grant.code_challenge)
    monkeypatch.setattr(library.Validator, "get_code_challenge_method", lambda *_: "S256")
    monkeypatch.setattr(library.Validator, "confirm_redirect_uri", lambda *_, **__: True)
    again = dance.trade(code)
    assert again.json()["error"] == "invalid_grant"
    assert me(tokens["access_token"]).status_code == 401
    assert not AccessToken.objects.exists()


def _as_if_there(grant: Any) -> Any:
    def validate_code(_self: Any, _id: str, _code: str, _client: Any, request: Any) -> bool:
        request.scopes, request.user = ["read"], grant.user
        return True

    return validate_code


NASTY = (
    "https://x.example;script-src *", "https://x.example;script-src", "https://x.example,y/",
    "https://x.example;@y.example/", "https://a;b.example/", "https://x.example\nSet-Cookie:a",
    "https://x.example'unsafe-inline'/", "https://x.example:80;x/", "https://*/", "https://x_y/",
)  # fmt: skip


def test_an_address_does_not_write_the_policy(dance: Dance) -> None:
    """Nor where such an address was registered before."""
    for address in NASTY:
        with pytest.raises(Refusal) as caught:
            services.application_register(
                acting_user=dance.person, name="x", redirect_uris=[address], public=True
            )
        assert caught.value.code == "application.addresses", address
        assert services.origin_of(address) == ""
    address = NASTY[1] + "/back"
    Application.objects.update(redirect_uris=address)
    page = dance.ask(redirect_uri=address)
    policy = page["Content-Security-Policy"]
    assert (page.status_code, policy.count("script-src")) == (200, 1)
    assert "x.example" not in policy
    for address in ("https://X.example:8443/a;b,c", "http://127.0.0.1:80/;", "http://[::1]:9/x"):
        services.application_register(
            acting_user=dance.person, name="x", redirect_uris=[address], public=True
        )
        assert services.origin_of(address) == address[: address.index("/", 9)]


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    ["http://boards.example/", "ftp://x.example/", "https://", "javascript:alert(1)", "/back",
     "https://x.example/#part", "https://user@x.example/", "http://localhost.evil.example/",
     "https://[::1", "https://*.example.org/"],
)  # fmt: skip
def test_addresses_that_nobody_may_be_sent_to(address: str, person: People) -> None:
    with pytest.raises(Refusal) as caught:
        services.application_register(
            acting_user=person(), name="x", redirect_uris=[address], public=True
        )
    assert caught.value.code == "application.addresses"
    assert not Application.objects.exists()


def test_registering(person: People) -> None:
    user = person()
    good: dict[str, Any] = {
        "acting_user": user, "name": "x", "redirect_uris": ["http://127.0.0.1:8080/x"],
        "public": True,
    }  # fmt: skip
    for more, code in (
        ({"name": " "}, "application.name"), ({"name": "x" * 61}, "application.name"),
        ({"redirect_uris": []}, "application.addresses"),
        ({"redirect_uris": [f"https://x.example/{n}" for n in range(11)]}, "application.addresses"),
    ):  # fmt: skip
        with pytest.raises(Refusal) as caught:
            services.application_register(**{**good, **more})
        assert caught.value.code == code
    for _ in range(10):
        services.application_register(**good)
    with pytest.raises(Refusal) as caught:
        services.application_register(**good)
    assert caught.value.code == "application.too-many"


def test_the_page_of_applications(dance: Dance) -> None:
    browser = Client()
    browser.force_login(dance.person)
    assert b"No application may do anything" in browser.get(PAGE).content
    tokens = dance.tokens()
    shown = browser.get(PAGE).content.decode()
    assert "Boards" in shown
    assert '<span class="tag">play</span>' in shown
    assert browser.post(f"{PAGE}{dance.app.pk}/delete/").status_code == 404  # not one's own
    assert browser.post(f"{PAGE}{dance.app.pk}/revoke/").status_code == 302
    assert bearer_of(tokens["access_token"]) is None
    assert b"is shut out" in browser.get(PAGE).content
    browser.post(f"{PAGE}{dance.app.pk}/revoke/")
    assert b"is not let in" in browser.get(PAGE).content
    answer = browser.post(PAGE, {"name": "Mine", "redirect_uris": f"{BACK}\n{BACK}2"})
    assert answer.status_code == 201
    own = Application.objects.get(name="Mine")
    assert own.redirect_uris == f"{BACK} {BACK}2"
    assert own.client_id in answer.content.decode()
    assert "Client secret" in answer.content.decode()
    assert "Client secret" not in browser.get(PAGE).content.decode()
    assert browser.post(PAGE, {"name": "x", "redirect_uris": "nowhere"}).status_code == 422
    assert browser.post(f"{PAGE}{own.pk}/delete/").status_code == 302
    assert not Application.objects.filter(pk=own.pk).exists()
    for path in (PAGE, f"{PAGE}1/delete/", f"{PAGE}1/revoke/"):
        assert Client().post(path).status_code == 302
