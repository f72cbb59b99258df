"""Nothing that anybody sends is our fault: whatever it is, the answer is not a 5xx.

Every route of the URLconf is asked by nobody and by the administrator, who gets furthest: with
methods that there are and that there are not, with bodies that are half, misnamed or unreadable,
and at addresses that stand for nothing. What a fault leaves behind is taken back each time.

A route gets one or two of the faults of each kind, the next route the next ones; in a whole run
several times as many.
"""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Iterator, Sequence
from copy import copy
from http.cookies import SimpleCookie
from itertools import product
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import pytest
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.forms import BaseForm
from django.test import client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.regex_helper import normalize
from oauth2_provider.models import get_application_model

from accounts.models import (
    ApiToken,
    AuditEntry,
    PushSubscription,
    Report,
    Sanction,
    SecondFactorRule,
    UserSession,
)
from accounts.oauth.services import application_register
from accounts.signin.backends import NameBackend
from games.models import Match
from games.ratings.models import PairRuling
from tests.accounts.factors import with_passkey
from tests.permissions.rows import rows_make
from tests.permissions.test_completeness import _methods
from tests.permissions.world import Savepoint, Who, World
from tests.support import depth

T = TypeVar("T")

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

_KEEP_CONTEXTS: Any = vars(client)["store_rendered_templates"]

BACK = "https://boards.example/back"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
MULTIPART = "multipart/form-data"

# Those that HTTP knows, that it does not (RFC 10008 names QUERY, RFC 4918 PROPFIND), and names of
# what views have besides their handlers.
METHODS = ("OPTIONS", "QUERY", "SCOPES", "DELETE", "post")
KNOWN_TO_SOME = (
    "HEAD", "PUT", "PATCH", "TRACE", "PROPFIND", "CONNECT", "dispatch", "__CLASS__", "!",
)  # fmt: skip
BODIES = (
    (b"a=%00&b=%ff&c=%ED%A0%80&d", FORM),
    (b"\xff\xfe&==%", FORM),
    (b"a=1", f"{FORM}; charset=nonsense"),
    (b"x", MULTIPART),
    (b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx', f"{MULTIPART}; boundary=b"),
    (b"{", JSON),
    (b"[null]", JSON),
    (b'{"a": "\\u0000", "\\ud800": ' + b"9" * 5000 + b"}", JSON),
    (b"[" * 8000, JSON),
    (b"{}", f"{JSON}; charset=utf-16"),
    (b"{}", "a/b/c;;=;"),
)  # fmt: skip
STRANGE: tuple[Any, ...] = ("\0", "x" * 3000, "9" * 30, b"\xed\xa0\x80", "0001-01-01T00:00", "[]")
# For parts of an address, where they fit.
QUERIES = (
    "page=-1&cursor=x&ordering=__&limit=1e9&p=x&a=%", "q=%00&page=%ff&next=[&cursor=%zz",
)  # fmt: skip
NOWHERE = ("9" * 30, "%00", "_00", "%FF", "x" * 3000)


class Place(NamedTuple):
    """An address, by what is asked of it."""

    name: str
    path: str
    view: Any
    strange: tuple[str, ...]


class Fuzz:
    """Asks, and keeps what went wrong."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults: list[str] = []
        self.asked = 0
        self.clients = {
            who: (world.clients[who], world.clients[who].cookies.output(header="", sep=";"))
            for who in (Who.NOBODY, Who.SEAT_0, Who.ADMIN, Who.MODERATOR)
        }

    def ask(
        self, who: Who, method: str, path: str, body: bytes = b"", kind: str = FORM, **more: Any
    ) -> Any:
        """The answer; None for a fault."""
        browser, cookies = self.clients[who]
        browser.cookies = SimpleCookie(cookies)
        browser.raise_request_exception = True
        self.asked += 1
        answer: Any = None
        with Savepoint():
            try:
                answer = browser.generic(method, path, body, kind, **more)
                if answer.streaming and not answer.is_async:
                    b"".join(answer.streaming_content)
                # That no sweep runs here is told with a 503, which is no fault.
                fault = answer.status_code >= 500 and not path.startswith(("/readyz", "/healthz"))
                wrong = f"status {answer.status_code}" if fault else ""
            except Exception as error:  # noqa: BLE001  (that is what is looked for)
                wrong = repr(error)[:200]
        if wrong:
            self.faults.append(f"{who} {method} {path[:80]} {kind} {body[:60]!r}: {wrong}")
        return answer

    def post(self, path: str, fields: dict[str, Any], *, who: Who = Who.ADMIN) -> Any:
        """Send a form."""
        return self.ask(who, "POST", path, urlencode(fields).encode())


@pytest.fixture
def places(world: World) -> list[Place]:
    """Every address of the site, found inside of a test, as the table makes its scenes; once for
    each world, whose rows they are about."""
    if "places" not in world.besides:
        world.besides["places"] = _found(world)
    found: list[Place] = world.besides["places"]
    return found


@transaction.atomic  # what fails half-way leaves the world as it was
def _found(world: World) -> list[Place]:
    root = world.root
    names = ("talking", "gifted", "watched", "challenged", "choosing", "applied", "pictured")
    talk, gifted, watched, challenged, choosing, applied, pictured = map(world.scene, names)
    app, _ = application_register(
        acting_user=root, name="Boards", redirect_uris=[BACK], public=True
    )
    paul = world.users["paul"]
    sanction = Sanction.objects.create(user=paul, by=root, kind="warning", reason="Rude")
    Report.objects.create(
        reporter=world.users["eve"], about=paul, target_type="user", target_id=str(paul.pk),
        title="Paul", reason="abuse", words="Rude",
    )  # fmt: skip
    device = PushSubscription.objects.create(
        user=paul, endpoint="https://fcm.googleapis.com/send/paul", p256dh="x", auth="x",
        browser="Firefox",
    )  # fmt: skip
    session = UserSession.objects.create(user=paul, session_key="paul-elsewhere", device="Firefox")
    passkey, token = with_passkey(paul), ApiToken.objects.filter(user=paul).earliest("pk")
    PairRuling.objects.create(
        first=paul, second=world.users["eve"], matches=[talk.match.pk], why="Farmed", by=root
    )
    SecondFactorRule.objects.create(of_organisers=False, by=root)
    appeal = rows_make(world, talk.match, app)
    values = {
        "device_id": device.pk, "session_id": session.pk,
        "match_id": talk.match.pk, "slug": talk.season.slug, "ruleset": "tetronogo",
        "ruleset_id": "tetronogo", "variant_id": "standard", "ladder": "tetronogo",
        "username": "player1", "number": 1,
        "leg_id": talk.leg.pk, "death_match_id": talk.row.pk, "contestant_id": talk.id(1),
        "pk": talk.row.pk, "token_id": token.pk, "application_id": app.pk,
        "sanction_id": sanction.pk,
        "target_type": "user", "target_id": paul.pk, "key": "x", "uidb36": "1",
        "saved_move_id": challenged.saved.pk, "gift_id": gifted.gift.pk,
        "webhook_id": watched.hook.pk, "uid": watched.delivery.uid,
        "delivery_id": watched.delivery.pk, "challenge_id": challenged.challenge.pk,
        "message_id": talk.message.pk, "preparation_id": challenged.kept.pk, "name": "x",
        "hosted_id": challenged.hosted.pk, "token": challenged.more["link"].token,
        "id": paul.pk, "first": 1, "last": 2, "app_label": "games",
        "content_type_id": ContentType.objects.get_for_model(AuditEntry).pk,
        "url": "x", "puzzle_id": talk.puzzle.pk,
        "digest": pictured.picture.digest, "width": 80,
    }  # fmt: skip
    # Where one name stands for several things: by a part of the route's name.
    special: dict[tuple[str, str], Any] = {
        ("slug", "webhook"): watched.season.slug, ("slug", "item"): gifted.season.slug,
        ("slug", "episode_"): choosing.season.slug, ("slug", "placements"): choosing.season.slug,
        ("slug", "scores"): choosing.season.slug,
        ("slug", "tournaments:picture"): pictured.season.slug,
        ("slug", "main_match"): choosing.season.slug,
        ("slug", "choose"): choosing.season.slug, ("pk", "api:challenge"): challenged.challenge.pk,
        ("slug", "application_act"): applied.season.slug,
        ("sanction_id", "appeal_withdraw"): appeal.sanction_id,
        ("pk", "application_act"): applied.application.pk,
        ("name", "application_act"): "decline",
        ("pk", "contestant"): talk.id(1), ("pk", "ladder"): talk.id(1),
        ("pk", "item"): gifted.gift.pk, ("pk", "webauthn"): passkey.pk,
        ("ruleset_id", "prepared"): "peg-domain",
        ("key", "games:"): "pallets", ("name", "contestant_act"): "withdraw",
        ("name", "tournaments:step"): "cancel", ("name", "round_act"): "close",
        ("name", "match_act"): "declare", ("name", "leg_act"): "void",
    }  # fmt: skip
    models = {f"{m._meta.app_label}_{m._meta.model_name}": m for m in admin.site._registry}

    def value(name: str, route: str) -> Any:
        if name == "object_id":
            model = next((m for key, m in models.items() if f":{key}_" in route), AuditEntry)
            return model._default_manager.latest("pk").pk  # there is one of every model
        found = (v for (arg, part), v in special.items() if arg == name and part in route)
        return next(found, values[name])

    return list(_places(get_resolver(), "", "", value))


def _places(resolver: URLResolver, before: str, space: str, value: Any) -> Iterator[Place]:
    for each in resolver.url_patterns:
        template = resolved(each)
        if isinstance(each, URLResolver):
            inner = f"{space}{each.namespace}:" if each.namespace else space
            yield from _places(each, before + template, inner, value)
        elif isinstance(each, URLPattern):
            name = space + (each.name or str(each.pattern))
            path = "/" + before + template
            arguments = path.split("\x01")[1::2]
            known = {part: str(value(part, name)) for part in arguments}
            strange = tuple(
                filled(path, {**known, part: odd}) for part, odd in product(arguments, NOWHERE)
            )
            yield Place(name, filled(path, known), each.callback, strange)


def resolved(each: URLPattern | URLResolver) -> str:
    """A pattern's part of the address, its arguments between \\x01."""
    (text, arguments), *_ = normalize(each.pattern.regex.pattern)
    return str(text % {name: f"\x01{name}\x01" for name in arguments})


def filled(path: str, known: dict[str, str]) -> str:
    """An address with its arguments."""
    for name, text in known.items():
        path = path.replace(f"\x01{name}\x01", text)
    return path


@pytest.fixture
def fuzz(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fuzz]:
    settings.ACCOUNT_RATE_LIMITS = False  # it would hide what lies behind it
    # Whatever is asked is undone: the account stays as it is, and is looked up once. Each asking
    # gets an object of its own.
    look_up, known = NameBackend.get_user, dict[Any, Any]()

    def get_user(self: NameBackend, user_id: Any) -> Any:
        if user_id not in known:
            known[user_id] = look_up(self, user_id)
        return copy(known[user_id])

    monkeypatch.setattr(NameBackend, "get_user", get_user)
    # Nobody looks at the contexts of pages, but for one test.
    monkeypatch.setattr(client, "store_rendered_templates", lambda *_args, **_more: None)
    logging.disable(logging.CRITICAL)
    fuzz = Fuzz(world)
    yield fuzz
    logging.disable(logging.NOTSET)
    assert fuzz.asked > 40
    assert fuzz.faults == []


BOTH = (Who.NOBODY, Who.ADMIN)


def some(values: Sequence[T], number: int, count: int) -> list[T]:
    """One of the values, in a whole run ``count``, in turn: neighbours among the routes are of a
    kind, and among them they get all."""
    count = min(count if depth.whole else 1, len(values))
    return [values[(number * count + each) % len(values)] for each in range(count)]


def test_methods(fuzz: Fuzz, places: list[Place]) -> None:
    assert len(places) > 350
    for number, place in enumerate(places):
        # The administration is Django's own, in which all methods go the same way.
        its_own = not place.name.startswith("admin:")
        for method in some(METHODS, number, len(METHODS) if its_own else 1):
            fuzz.ask(Who.ADMIN, method, place.path)
        known = some(KNOWN_TO_SOME, number, 1)
        for method in ("QUERY", *known) if depth.whole else ["QUERY"] if its_own else known:
            fuzz.ask(Who.NOBODY, method, place.path)


def test_bodies(fuzz: Fuzz, places: list[Place]) -> None:
    writing = [(each, method) for each in places for method in sorted(_methods(each.view))]
    for number, (place, method) in enumerate(writing):
        for body, kind in some(BODIES, number, 2):
            fuzz.ask(Who.ADMIN, method, place.path, body, kind)
        # Whoever may not is mostly sent away before anybody looks at what they bring.
        for body, kind in some(BODIES, number, 1) if depth.whole or number % 3 == 0 else ():
            fuzz.ask(Who.NOBODY, method, place.path, body, kind)


def test_addresses(fuzz: Fuzz, places: list[Place]) -> None:
    for number, place in enumerate(places):
        for path in some(place.strange, number, 2) if place.strange else ():
            fuzz.ask(Who.ADMIN, "GET", path)
        for query in some(QUERIES, number, 2):
            fuzz.ask(Who.NOBODY, "GET", f"{place.path}?{query}")


def test_half_forms(fuzz: Fuzz, places: list[Place], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every form of every page: each field left out (one of them but in a whole run), and all of
    them filled with nonsense."""
    found = 0
    for number, place in enumerate(places):
        with monkeypatch.context() as patch:
            patch.setattr(client, "store_rendered_templates", _KEEP_CONTEXTS)
            page = fuzz.ask(Who.ADMIN, "GET", place.path)
        fields = fields_of(page)
        found += len(fields) > 1
        for name in some(list(fields), number, 8) if fields else ():
            fuzz.post(place.path, {each: fields[each] for each in fields if each != name})
        for odd in some(STRANGE, number, 3) if fields else ():
            fuzz.post(place.path, dict.fromkeys(fields, odd))
    assert found > 40


def fields_of(page: Any) -> dict[str, Any]:
    """What a browser would send of the forms of a page, by name."""
    if page is None or not page.context:
        return {}
    contexts = [getattr(each, "dicts", [each]) for each in page.context]
    held = [value for layers in contexts for layer in layers for value in layer.values()]
    held += [getattr(value, "form", None) for value in held]
    forms = [each for each in held if isinstance(each, BaseForm)]
    values = {field.html_name: field.value() for form in forms for field in form}
    return {name: value if isinstance(value, str | int) else "" for name, value in values.items()}


GRANTS = (
    "authorization_code", "refresh_token", "password", "client_credentials", "implicit",
    "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:jwt-bearer",
    "urn:openid:params:grant-type:ciba", "openid-hybrid", "none", "", "\0", "%", "x" * 3000,
)  # fmt: skip
PARTS = {
    "code": "x", "redirect_uri": BACK, "code_verifier": "v" * 43, "refresh_token": "x",
    "device_code": "x", "username": "paul", "password": "x", "assertion": "x", "scope": "read",
    "client_secret": "x", "token": "x", "token_type_hint": "x", "resource": "x", "state": "s",
    "response_type": "code", "code_challenge": "c" * 43, "code_challenge_method": "S256",
    "nonce": "n", "claims": "{", "prompt": "none", "display": "x", "ui_locales": "x", "allow": "1",
    "id_token_hint": "x", "response_mode": "fragment", "max_age": "x",
}  # fmt: skip


def test_grants(fuzz: Fuzz, places: list[Place]) -> None:
    """OAuth: every grant, and every part of a question left out, doubled, or nonsense."""
    client_id = get_application_model().objects.get(user=fuzz.world.root).client_id
    whole = {"client_id": client_id, **PARTS}
    for grant in GRANTS:
        for more in ({}, whole, {"client_id": client_id}, {**PARTS, "client_id": "nobody"}):
            fuzz.post("/oauth/token/", {"grant_type": grant, **more}, who=Who.NOBODY)
    token, revoke, ask = "/oauth/token/", "/oauth/revoke/", "/oauth/authorize/"
    for number, (name, value) in enumerate(whole.items()):
        pairs = [(key, other) for key, other in whole.items() if key != name]
        odd = [[], [(name, value)] * 2, *([(name, each)] for each in ("", "\0", "%zz", "{}"))]
        for each in (odd[0], *some(odd[1:], number, len(odd) - 1)):
            words = urlencode([*pairs, *each])
            for who in BOTH:
                fuzz.ask(who, "GET", f"{ask}?{words}")
            fuzz.ask(Who.ADMIN, "POST", ask, words.encode())
            for grant in ("authorization_code", "refresh_token"):
                fuzz.ask(Who.NOBODY, "POST", token, f"{words}&grant_type={grant}".encode())
            fuzz.ask(Who.NOBODY, "POST", revoke, words.encode())
    for query in ("?%zz", "?client_id=%zz", "?a b", "?=", "?client_id", "?scope[]=1", "?%ff=%ff"):
        for method, path in product(("GET", "POST"), (ask, token, revoke)):
            fuzz.ask(Who.ADMIN, method, f"{path}{query}", b"grant_type=refresh_token")
    for shown in HEADERS["Authorization"]:
        for path in (token, revoke):
            body = b"grant_type=refresh_token&token=x"
            fuzz.ask(Who.NOBODY, "POST", path, body, headers={"Authorization": shown})


HEADERS = {
    "Authorization": (
        "", "Bearer", "Bearer \xff", "Bearer a b", "Basic", "Basic !!", "Token x", "Digest a=b",
        *(
            f"Basic {b64encode(said).decode()}"
            for said in (b"\0:\0", b"%00:x", b"\xff:\xff", b"x", b"%zz:")
        ),
    ),
    "Cookie": (
        'sessionid="aaaaaaaa\\000"', "sessionid=x; csrftoken=\xff", "theme=\xff; sound=; =; ;;",
        "messages=x", f"sessionid={'x' * 3000}",
    ),
    "Accept": ("", "x", "*/*;q=x", "application/json;charset=x", "text/html;q=1e999, a/b/c"),
    "If-None-Match": ("x", '"', "W/"), "If-Modified-Since": ("x", "Mon, 99 Foo 0000"),
    "Range": ("bytes=x", "bytes=9-1"), "Idempotency-Key": ("\xff", "x" * 3000),
    "Last-Event-ID": ("x", "-1"), "Referer": ("http://[", "\xff"), "Origin": ("null", "http://["),
    "Host": ("[", "a b", "testserver:x", "\xff"), "Content-Length": ("x", "-1", ""),
    "X-Forwarded-For": ("x",), "Accept-Language": ("\xff;q=x",), "X-Requested-With": ("\xff",),
    "Accept-Encoding": ("x;q=x",), "X-HTTP-Method-Override": ("QUERY",),
}  # fmt: skip


def test_headers(fuzz: Fuzz, places: list[Place]) -> None:
    by_name = {place.name: place for place in places}
    asked = ("games:home", "games:match", "api:me", "api:challenges", "account_login")
    headers = [{name: value} for name, values in HEADERS.items() for value in values]
    for name, header in depth.covering(asked, headers):
        method = "POST" if name == "api:challenges" else "GET"
        fuzz.ask(Who.ADMIN, method, by_name[name].path, b"{}", JSON, headers=header)


def test_the_page_of_every_row(fuzz: Fuzz, places: list[Place]) -> None:
    """The administration leads from each row to the page that it has; there is none of most."""
    assert places  # that is, rows of most models
    shown = 0
    for number, kind in enumerate(ContentType.objects.all()):
        model = kind.model_class()
        rows = (
            [] if model is None else [row.pk for row in model._default_manager.order_by("-pk")[:2]]
        )
        for key in (*some(rows, 0, 2), *some((10**9, "x"), number, 2)):
            for who in some((Who.ADMIN, Who.MODERATOR), number // 2, 2):
                answer = fuzz.ask(who, "GET", reverse("admin:view_on_site", args=[kind.pk, key]))
                shown += answer is not None and answer.status_code == 302
    assert shown > 4
    assert fuzz.ask(Who.ADMIN, "GET", "/admin/r/999999/1/").status_code == 404


def test_a_match_that_cannot_be_read(fuzz: Fuzz, places: list[Place]) -> None:
    """It is in the way of nothing else, of its own players' lists least of all. Each page is asked
    for by whoever sees most of it, every third by nobody, and in a whole run by all three."""
    match = fuzz.world.scene("talking").match
    everybody = (Who.NOBODY, Who.SEAT_0, Who.ADMIN)
    with Savepoint():
        Match.objects.filter(pk=match.pk).update(snapshot=b"torn")
        for number, place in enumerate(places):
            most = Who.ADMIN if place.name.startswith("admin:") else Who.SEAT_0
            for who in everybody if depth.whole else {most, everybody[number % 3]}:
                fuzz.ask(who, "GET", place.path)
    own = [fault for fault in fuzz.faults if f"/matches/{match.pk}/" in fault]
    assert own
    fuzz.faults = [fault for fault in fuzz.faults if fault not in own]
