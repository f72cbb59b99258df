"""How often what can be abused may be done: one table, and nothing of it is got around.

Each row is done as often as it may be, is then refused with 429, a code, a sentence and the seconds
to wait, and can still be done by whoever has nothing to do with it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
from allauth.core.internal import ratelimit
from django.test import Client

from accounts.models import User
from accounts.tokens.services import token_create
from config.settings import base
from core.api import limits
from core.refusals import TooOften
from games.models import Challenge
from games.services.challenges import challenge_accept, challenge_cancel, challenge_create
from games.sockets.limits import Bucket, chat_wait
from script.lib.console import ROOT
from tests.accounts.conftest import PASSWORD, made_person, with_confirmed_address
from tests.accounts.factors import STEP, app_code, with_app
from tests.support.caching import caches_of

pytestmark = pytest.mark.django_db

HERE, ELSEWHERE = "198.51.100.9", "192.0.2.1"
WRONG: Final = "guess-1234"
_numbers = itertools.count(1)


class Caller:
    """Somebody at an address, signed in or not."""

    def __init__(self, address: str = HERE, user: User | None = None, **more: str) -> None:
        self.client = Client(REMOTE_ADDR=address, **more)  # type: ignore[arg-type]
        if user is not None:
            self.client.force_login(user, backend="accounts.signin.backends.NameBackend")

    def post(self, path: str, data: Any = None, **more: Any) -> Any:
        return self.client.post(path, data, **more)


def signs_up(caller: Caller) -> Any:
    name = f"new{next(_numbers)}"
    form = {"username": name, "password1": WRONG, "email": "x", "password2": WRONG}
    return caller.post("/accounts/signup/", form)


def signs_in_as_many(caller: Caller) -> Any:
    login = {"login": f"nobody{next(_numbers)}", "password": WRONG}
    return caller.post("/accounts/login/", login)


def signs_in_as_ada(caller: Caller) -> Any:
    return caller.post("/accounts/login/", {"login": "ada", "password": WRONG})


def resets_many(caller: Caller) -> Any:
    address = f"nobody{next(_numbers)}@example.org"
    return caller.post("/accounts/password/reset/", {"email": address})


def resets_ada(caller: Caller) -> Any:
    return caller.post("/accounts/password/reset/", {"email": "ada@example.org"})


def tries_keys(caller: Caller) -> Any:
    return caller.post(f"/accounts/password/reset/key/1-{next(_numbers)}/", {})


def asks_for_tokens(caller: Caller) -> Any:
    body = {"grant_type": "refresh_token", "refresh_token": f"x{next(_numbers)}", "client_id": "x"}
    return caller.post("/oauth/token/", body)


def revokes_tokens(caller: Caller) -> Any:
    return caller.post("/oauth/revoke/", {"token": f"x{next(_numbers)}", "client_id": "x"})


def reads(caller: Caller) -> Any:
    return caller.client.get("/api/v1/")


def guesses_tokens(caller: Caller) -> Any:
    headers = {"authorization": f"Bearer gt_{next(_numbers)}"}
    return caller.client.get("/api/v1/me/", headers=headers)


def sends_preferences(caller: Caller) -> Any:
    return caller.post("/accounts/preferences/", {"theme": "dark"})


def tells_of_pages(caller: Caller) -> Any:
    report = {"csp-report": {"effective-directive": "img-src", "blocked-uri": "https://x.example"}}
    return caller.post("/csp-reports/", report, content_type="application/json")


def sends_confirmations(caller: Caller) -> Any:
    return caller.post("/accounts/email/", {"action_send": "", "email": "paul@example.org"})


def confirms(caller: Caller) -> Any:
    return caller.post("/accounts/reauthenticate/", {"password": WRONG})


def changes_password(caller: Caller) -> Any:
    new = {"password1": "octopus-88", "password2": "octopus-88"}
    return caller.post("/accounts/password/change/", {"oldpassword": WRONG, **new})


def reports(caller: Caller) -> Any:
    other = made_person()
    form = {"reason": "other", "words": "Look."}
    return caller.post(f"/accounts/report/accounts.user/{other.username}/", form)


def challenges_ben(caller: Caller) -> Any:
    for challenge in Challenge.objects.filter(status=Challenge.Status.OPEN):
        challenge_cancel(acting_user=challenge.challenger, challenge=challenge)
    body = {"ruleset": "tetronogo", "variant": "standard", "opponent": "ben"}
    return caller.post("/api/v1/challenges/", body, content_type="application/json")


def plays(caller: Caller) -> Any:
    return caller.post("/api/v1/challenges/", {}, content_type="application/json")


@dataclass(frozen=True)
class Rate:
    """What is done, how often it may be, and whether that counts for an account or an address."""

    done: Callable[[Caller], Any]
    most: int
    per: str
    of: str  # "address", "account", both, or "target": whoever it is done to
    code: str = "request.throttled"


SECONDS: Final = {"minute": 60, "5 minutes": 300, "10 minutes": 600, "hour": 3600}
RATES: Final = (
    Rate(signs_up, 20, "minute", "address"),
    Rate(signs_in_as_many, 10, "minute", "address", code="Please wait 60 seconds"),
    Rate(signs_in_as_ada, 5, "5 minutes", "target and address", code="Please wait 300 seconds"),
    Rate(resets_many, 20, "minute", "address"),
    Rate(resets_ada, 5, "10 minutes", "target"),
    Rate(tries_keys, 20, "minute", "address"),
    Rate(sends_confirmations, 10, "minute", "account"),
    Rate(confirms, 5, "5 minutes", "account and address", code="Please wait 300 seconds"),
    Rate(changes_password, 5, "minute", "account and address"),
    Rate(asks_for_tokens, 120, "minute", "address"),
    Rate(revokes_tokens, 120, "minute", "address"),
    Rate(reads, 120, "minute", "address"),
    Rate(guesses_tokens, 120, "minute", "address"),
    Rate(sends_preferences, 120, "minute", "address"),
    Rate(tells_of_pages, 120, "minute", "address"),
    Rate(reports, 5, "hour", "account", code="within the hour"),
    Rate(plays, 120, "minute", "account"),
    Rate(challenges_ben, 10, "hour", "target", code="challenge.too-often"),
)
BY_ADDRESS: Final = [rate for rate in RATES if "address" in rate.of]
OF_ACCOUNTS: Final = [rate for rate in RATES if rate.of == "account"]


@pytest.fixture(autouse=True)
def limited(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is outside of tests; and no minute ends in the middle of one."""
    settings.CACHES = caches_of(f"rates-{next(_numbers)}")
    settings.GAUNTLET_API_LIMITS = dict(base.GAUNTLET_API_LIMITS)
    monkeypatch.setattr(limits, "now_ms", lambda: 1_800_000_000_000)


@pytest.fixture
def people() -> dict[str, User]:
    return {name: with_confirmed_address(made_person(name)) for name in ("ada", "ben", "paul")}


def caller_of(rate: Rate, people: dict[str, User], address: str = HERE, **more: str) -> Caller:
    """Whoever does it: signed in where only such people can."""
    needs = rate.of.startswith("account") or rate.done is challenges_ben
    return Caller(address, people["paul"] if needs else None, **more)


def used_up(rate: Rate, people: dict[str, User]) -> Any:
    """Do it as often as it may be done; the answer to one more."""
    caller = caller_of(rate, people)
    for number in range(rate.most):
        answer = rate.done(caller)
        assert answer.status_code != 429, (number, answer.content[:200])
    return rate.done(caller)


def is_refused(answer: Any) -> bool:
    return int(answer.status_code) == 429


def named(rate: Any) -> str:
    return str(getattr(getattr(rate, "done", rate), "__name__", rate))


@pytest.mark.parametrize("rate", RATES, ids=named)
def test_one_more_than_the_table_says_is_refused(rate: Rate, people: dict[str, User]) -> None:
    answer = used_up(rate, people)
    assert is_refused(answer)
    assert 0 < int(answer["Retry-After"]) <= SECONDS[rate.per]
    said = answer.content.decode()
    assert rate.code in said
    if "json" in answer["Content-Type"]:
        document = answer.json()
        assert document["retry_after"] == int(answer["Retry-After"])
        assert (document.get("sentence") or document["error_description"]).endswith(".")
    else:
        assert "ait" in said  # "please wait"


# -- how long to wait ----------------------------------------------------------------------------

People = dict[str, User]
FROM: Final = itertools.count(1)


def wait_of(answer: Any) -> float:
    assert is_refused(answer), answer
    return float(answer["Retry-After"])


def elsewhere() -> Caller:
    number = next(FROM)
    return Caller(f"203.0.{number // 250}.{number % 250 + 1}")


def until_refused(done: Callable[[], Any], most: int) -> float:
    """How long to wait once something was done as often as it may be."""
    for number in range(most):
        answer = done()
        assert not is_refused(answer), number
    return wait_of(done())


def registers_for_an_hour(people: People, clock: Clock) -> float:
    for _minute in range(5):
        for _time in range(20):
            assert not is_refused(signs_up(Caller()))
        clock.passes(61)
    return wait_of(signs_up(Caller()))


def signs_in_rightly(people: People, clock: Clock) -> float:
    form = {"login": "ada", "password": PASSWORD}
    return until_refused(lambda: Caller().post("/accounts/login/", form), 30)


def is_guessed_at_from_everywhere(people: People, clock: Clock) -> float:
    return until_refused(lambda: signs_in_as_ada(elsewhere()), 50)


def gives_code(caller: Caller, code: str = "000000") -> Any:
    caller.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    return caller.post(STEP, {"code": code})


def guesses_codes(people: People, clock: Clock) -> float:
    with_app(people["ada"])
    return until_refused(lambda: gives_code(Caller()), 5)


def codes_are_guessed_from_everywhere(people: People, clock: Clock) -> float:
    with_app(people["ada"])
    return until_refused(lambda: gives_code(elsewhere()), 50)


def gives_a_code_after_guessing_at_many(people: People, clock: Clock) -> float:
    """The right one, of an account at which nobody has guessed."""
    secret = with_app(people["ada"])
    for _time in range(10):
        signs_in_as_many(Caller())
    caller = Caller()
    waits = [wait_of(caller.post("/accounts/login/", {"login": "ada", "password": PASSWORD}))]
    clock.passes(61)
    caller.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    for _time in range(10):
        signs_in_as_many(Caller())
    answer = caller.post(STEP, {"code": app_code(secret)})
    assert "wait 60 seconds" in answer.content.decode()
    return max(*waits, wait_of(answer))


def comes_after_guessing_at_many(people: People, clock: Clock) -> float:
    """With the right password of an account at which nobody has guessed."""
    for _time in range(10):
        signs_in_as_many(Caller())
    answer = Caller().post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert "wait 60 seconds" in answer.content.decode()
    return wait_of(answer)


def confirms_rightly(people: People, clock: Clock) -> float:
    caller = Caller(user=people["paul"])
    form = {"password": PASSWORD}
    return until_refused(lambda: caller.post("/accounts/reauthenticate/", form), 10)


def reads_by_an_account(people: People, clock: Clock) -> float:
    caller = Caller(user=people["paul"])
    return until_refused(lambda: reads(caller), base.GAUNTLET_API_LIMITS["read"])


def chats(people: People, clock: Clock) -> float:
    for _time in range(8):
        assert not chat_wait(people["paul"].pk)
    return chat_wait(people["paul"].pk)


def sends_frames(people: People, clock: Clock) -> float:
    bucket = Bucket(size=40, per_second=20)  # as a socket has it
    return max(bucket.take() for _time in range(60))


#: By row of the table, what is done too often besides `RATES`, and the seconds of that limit.
Wait = Callable[[People, "Clock"], float]
WAITS: Final[tuple[tuple[str, int, Wait], ...]] = (
    ("registration", 3600, registers_for_an_hour),
    ("signing in, right or wrong", 60, signs_in_rightly),
    ("wrong passwords and codes", 60, comes_after_guessing_at_many),
    ("wrong passwords and codes", 60, gives_a_code_after_guessing_at_many),
    ("wrong passwords of one account; wrong codes", 300, guesses_codes),
    (
        "wrong passwords of one account from wherever its owner has not been",
        3600,
        is_guessed_at_from_everywhere,
    ),
    (
        "wrong codes of one account from browsers that its owner has not signed in with",
        3600,
        codes_are_guessed_from_everywhere,
    ),
    ("confirming that it is you; changing the password", 60, confirms_rightly),
    ("the API with one", 60, reads_by_an_account),
    ("chat", 10, chats),
    ("frames of a socket", 2, sends_frames),
)
#: The rows that `RATES` has, each of which is asked for its wait by the test of it.
ROWS: Final = {
    signs_up: "registration",
    signs_in_as_many: "wrong passwords and codes",
    signs_in_as_ada: "wrong passwords of one account; wrong codes",
    resets_many: "mails to reset a password",
    resets_ada: "mails to reset a password",
    tries_keys: "keys out of such mails",
    sends_confirmations: "changing one's address, and mails that confirm it",
    confirms: "wrong passwords of one account; wrong codes",
    changes_password: "confirming that it is you; changing the password",
    asks_for_tokens: "OAuth's tokens, asked for or ended",
    revokes_tokens: "OAuth's tokens, asked for or ended",
    reads: "the API without an account, or with a token that is none",
    guesses_tokens: "the API without an account, or with a token that is none",
    sends_preferences: "whatever is sent by a page's form, the administration's included",
    tells_of_pages: "what browsers report of pages by themselves",
    reports: "reports",
    plays: "the API with one",
    challenges_ben: "challenges to one person who does not accept",
}
#: These are over when others have ended: no time passes for them.
OF_NO_TIME: Final = {
    "challenges that are open", "requests under way; sockets; connections that wait",
}  # fmt: skip


class Clock:
    """What the sign-in library takes for the time."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def time(self) -> float:
        return time.time() + self.ahead

    def passes(self, seconds: float) -> None:
        self.ahead += seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


@pytest.mark.parametrize(("row", "period", "hit"), WAITS, ids=[named(each[2]) for each in WAITS])
def test_nobody_is_told_to_wait_for_longer_than_the_limit_that_was_hit(
    row: str, period: int, hit: Wait, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(ratelimit, "time", clock)
    monkeypatch.setattr("games.sockets.limits.now_ms", lambda: 1_800_000_000_000)
    assert 0 < hit(people, clock) <= period


def test_every_limit_of_the_table_was_asked_how_long() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    lines = page.partition("### How often")[2].partition("Past each of them")[0].splitlines()
    rows = {line.split("|")[1].strip() for line in lines if line.startswith("|")}
    rows -= {"what", "---"}
    assert {rate.done for rate in RATES} == set(ROWS)
    assert rows == {*ROWS.values(), *(row for row, _period, _hit in WAITS), *OF_NO_TIME}


@pytest.mark.parametrize("rate", BY_ADDRESS, ids=named)
def test_saying_another_address_helps_nobody(rate: Rate, people: dict[str, User]) -> None:
    """Where no proxy is trusted, what a request says of itself is anybody's word."""
    used_up(rate, people)
    for header in ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED"):
        forged = caller_of(rate, people, **{header: ELSEWHERE})
        assert is_refused(rate.done(forged)), header


@pytest.mark.parametrize("rate", BY_ADDRESS, ids=named)
def test_another_address_is_not_held_to_account(rate: Rate, people: dict[str, User]) -> None:
    used_up(rate, people)
    assert not is_refused(rate.done(caller_of(rate, people, ELSEWHERE)))


@pytest.mark.parametrize("rate", BY_ADDRESS, ids=named)
def test_a_line_has_one_bound_whichever_of_its_addresses_asks(
    rate: Rate, people: dict[str, User]
) -> None:
    """Whoever has a line of IPv6 has 2**64 addresses."""
    for number in range(rate.most):
        caller = caller_of(rate, people, f"2001:db8:1:2::{number + 1:x}")
        assert not is_refused(rate.done(caller))
    assert is_refused(rate.done(caller_of(rate, people, "2001:db8:1:2:ffff::1")))
    assert not is_refused(rate.done(caller_of(rate, people, "2001:db8:1:3::1")))


@pytest.mark.parametrize("rate", OF_ACCOUNTS, ids=named)
def test_what_counts_for_an_account_is_no_matter_of_addresses(
    rate: Rate, people: dict[str, User]
) -> None:
    used_up(rate, people)
    assert is_refused(rate.done(caller_of(rate, people, ELSEWHERE)))
    assert not is_refused(rate.done(Caller(HERE, people["ben"])))


@pytest.mark.parametrize("name", [None, "paul"])
def test_what_browsers_tell_uses_up_nothing_of_what_people_send(
    people: dict[str, User], name: str | None
) -> None:
    """A page of which a browser has much to tell keeps nobody from sending a form."""
    caller = Caller(HERE, None if name is None else people[name])
    for _time in range(base.GAUNTLET_API_LIMITS["csp"]):
        assert tells_of_pages(caller).status_code == 204
    assert is_refused(tells_of_pages(caller))
    for _time in range(base.GAUNTLET_API_LIMITS["forms"]):
        assert not is_refused(sends_preferences(caller))
    assert is_refused(sends_preferences(caller))


def test_whoever_has_sent_too_many_forms_still_tells_of_pages(people: dict[str, User]) -> None:
    caller = Caller(HERE, people["paul"])
    for _time in range(base.GAUNTLET_API_LIMITS["forms"] + 1):
        answer = sends_preferences(caller)
    assert is_refused(answer)
    assert tells_of_pages(caller).status_code == 204


def test_the_owner_comes_in_while_a_stranger_guesses(people: dict[str, User]) -> None:
    for _time in range(12):
        signs_in_as_ada(Caller(HERE))
    form = {"login": "ada", "password": PASSWORD}
    assert Caller(ELSEWHERE).post("/accounts/login/", form).status_code == 302
    assert Caller(HERE).post("/accounts/login/", form).status_code == 429


def test_whose_mail_is_asked_for_by_a_stranger_has_that_mail(
    people: dict[str, User], mailoutbox: list[Any]
) -> None:
    """The bound on mails to one address keeps its owner from nothing: what came works."""
    for _time in range(6):
        answer = resets_ada(Caller(HERE))
    assert is_refused(answer)
    assert len(mailoutbox) == 5
    link = next(w for w in str(mailoutbox[-1].body).split() if "/password/reset/key/" in w)
    owner = Client(REMOTE_ADDR=ELSEWHERE)
    page = owner.get(link[link.index("/accounts/") :], follow=True)
    assert page.status_code == 200
    assert b"password1" in page.content


def test_a_stolen_session_does_not_keep_its_owner_from_forms(people: dict[str, User]) -> None:
    thief, owner = Caller(HERE, people["paul"]), Caller(ELSEWHERE, people["paul"])
    for _time in range(base.GAUNTLET_API_LIMITS["forms"]):
        sends_preferences(thief)
    assert is_refused(sends_preferences(thief))
    assert not is_refused(sends_preferences(owner))


def test_a_token_counts_for_its_account(people: dict[str, User]) -> None:
    headers = []
    for name in ("one", "two"):
        _, text = token_create(
            acting_user=people["paul"], name=name, scopes=("read",), lasts=timedelta(days=1)
        )
        headers.append({"authorization": f"Bearer {text}"})
    most = base.GAUNTLET_API_LIMITS["read"]
    for number in range(most):
        answer = Client().get("/api/v1/me/", headers=headers[number % 2])
        assert answer.status_code == 200, number
    answer = Client(REMOTE_ADDR=ELSEWHERE).get("/api/v1/me/", headers=headers[0])
    assert is_refused(answer)
    assert answer.json()["code"] == "request.throttled"
    # A stranger at the same address, and one who is signed in, have what is theirs.
    assert Client().get("/api/v1/").status_code == 200


def test_chat_counts_for_its_account_over_all_sockets(
    people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.sockets.limits.now_ms", lambda: 1_800_000_000_000)
    assert [chat_wait(people["paul"].pk) for _ in range(8)] == [0] * 8
    assert chat_wait(people["paul"].pk) > 0
    assert chat_wait(people["ben"].pk) == 0


def test_whoever_accepts_is_not_pestered(people: dict[str, User]) -> None:
    """Friends play on: what was accepted does not count, nor what goes to others."""
    paul, ben = people["paul"], people["ben"]
    offer: Any = {"acting_user": paul, "ruleset_id": "tetronogo", "variant": "standard"}
    challenge_accept(acting_user=ben, challenge=challenge_create(**offer, opponent=ben))
    for _time in range(10):
        challenge_cancel(acting_user=paul, challenge=challenge_create(**offer, opponent=ben))
    with pytest.raises(TooOften) as refused:
        challenge_create(**offer, opponent=ben)
    assert refused.value.code == "challenge.too-often"
    assert 0 < int(refused.value.retry_after or 0) <= 3600
    assert challenge_create(**offer, opponent=people["ada"]).pk
