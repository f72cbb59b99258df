"""Second factors: what a stolen password is worth, what stands in the database, and who must have
one before they can use what they may do beyond others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts import roles
from accounts.factors.receivers import on_used
from accounts.models import AuditEntry, DiscordLink, User
from accounts.moderation.second_factors import second_factor_reset
from accounts.roles import Role
from accounts.site.second_factors import second_factor_rule_set
from core.refusals import Forbidden, NotFound, Refusal
from games.audience import may_organise, may_predict, organised_by, would_organise
from games.demo import demo_create
from games.models import Match, MatchReferee
from tests.accounts.conftest import (  # noqa: F401  (fixtures)
    PASSWORD,
    made_person,
    own_cache,
    with_confirmed_address,
)
from tests.accounts.factors import (
    APP,
    CODES,
    INDEX,
    STEP,
    app_code,
    codes_on,
    confirmed,
    has_factor,
    set_up_app,
    signed_in,
    with_app,
)
from tests.games.support import committing, started
from tests.security.support import later
from tournaments.audience import rights_of
from tournaments.discord.interactions import Asked, DiscordUser
from tournaments.models import Season, SeasonOrganiser

pytestmark = pytest.mark.django_db(transaction=False)


@pytest.fixture
def ada(db: None) -> User:
    return with_confirmed_address(made_person("ada"))


@pytest.fixture
def required(settings: Any) -> None:
    """As in production."""
    settings.GAUNTLET_SECOND_FACTOR_REQUIRED = True


def by_password(login: str = "ada") -> tuple[Client, Any]:
    """A browser in which a password was given, and where it was led."""
    client = Client()
    return client, client.post("/accounts/login/", {"login": login, "password": PASSWORD})


# -- signing in ----------------------------------------------------------------------------------


def test_whoever_has_the_password_alone_stays_outside(ada: User) -> None:
    secret = with_app(ada)
    client, led = by_password()
    assert led["Location"] == STEP
    assert not signed_in(client)
    for outside in ("/accounts/settings/", INDEX, APP, CODES):
        assert client.get(outside).status_code == 302
    assert "_auth_user_id" not in client.session
    wrong = client.post(STEP, {"code": "000000"})
    assert "That was not right" in wrong.content.decode()
    assert not signed_in(client)
    assert client.post(STEP, {"code": app_code(secret)}).status_code == 302
    assert signed_in(client)


def test_a_code_is_good_once(ada: User) -> None:
    secret = with_app(ada)
    code = app_code(secret)
    first, _led = by_password()
    first.post(STEP, {"code": code})
    assert signed_in(first)
    second, _led = by_password()
    second.post(STEP, {"code": code})
    assert not signed_in(second)


@pytest.mark.parametrize("later", [-3, 3])
def test_codes_of_other_times_are_worth_nothing(ada: User, later: int) -> None:
    secret = with_app(ada)
    client, _led = by_password()
    client.post(STEP, {"code": app_code(secret, later=later)})
    assert not signed_in(client)


def test_guesses_are_counted(ada: User) -> None:
    secret = with_app(ada)
    client, _led = by_password()
    for guess in range(5):
        client.post(STEP, {"code": f"00000{guess}"})
    said = client.post(STEP, {"code": app_code(secret)}).content.decode()
    assert "Too many failed attempts" in said
    assert not signed_in(client)


def test_the_step_is_there_for_nobody_else(client: Client, ada: User) -> None:
    assert client.get(STEP)["Location"] == "/accounts/login/"
    client.force_login(ada)
    assert client.get(STEP).status_code == 302


def test_a_new_password_by_mail_does_not_lead_around_it(client: Client, ada: User) -> None:
    with_app(ada)
    client.post("/accounts/password/reset/", {"email": ada.email})
    link = re.search(r"https?://testserver(/\S+)", str(mail.outbox[-1].body))
    assert link is not None
    page = client.get(link[1], follow=True)
    client.post(
        page.redirect_chain[-1][0], {"password1": "marigold-88", "password2": "marigold-88"}
    )
    assert not signed_in(client)
    ada.refresh_from_db()
    assert ada.check_password("marigold-88")
    client.post("/accounts/login/", {"login": "ada", "password": "marigold-88"})
    assert not signed_in(client)


# -- with an address that may be somebody else's ---------------------------------------------------

PASSKEY = f"{INDEX}passkeys/add/"


def registered(name: str, address: str) -> Client:
    """Somebody who has registered with an address, and nothing more."""
    client = Client()
    form = {"username": name, "email": address, "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/accounts/signup/", form).status_code == 302
    assert signed_in(client)
    return client


def by_mail(client: Client, address: str, password: str) -> None:
    """Choose a new password by the mail to an address."""
    client.post("/accounts/password/reset/", {"email": address})
    link = re.search(r"https?://testserver(/\S+)", str(mail.outbox[-1].body))
    assert link is not None
    page = client.get(link[1], follow=True)
    client.post(page.redirect_chain[-1][0], {"password1": password, "password2": password})


def is_offered(client: Client) -> bool:
    """Whether the page offers to set up a factor; else it says what comes first."""
    page = client.get(INDEX).content.decode()
    offered = f'href="{APP}"' in page
    assert (f'href="{PASSKEY}"' in page) is offered
    assert ("Confirm my address" in page) is not offered
    return offered


def test_nobody_keeps_an_address_from_its_owner(db: None) -> None:
    squatter = registered("sam", "olga@example.org")
    assert not is_offered(squatter)
    for address in (APP, PASSKEY):
        for answer in (squatter.get(address), squatter.post(address, {"code": "000000"})):
            assert answer["Location"] == INDEX, address
        assert "Please confirm your email address first" in squatter.get(INDEX).content.decode()
    # She comes in by her mail, and so it is hers.
    owner = Client()
    by_mail(owner, "olga@example.org", "marigold-88")
    owner.post("/accounts/login/", {"login": "olga@example.org", "password": "marigold-88"})
    assert signed_in(owner)


def test_whoever_confirms_their_address_sets_up_a_factor(
    client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        nelly = registered("nelly", "nelly@example.org")
    link = re.search(r"/accounts/confirm-email/\S+", str(mail.outbox[-1].body))
    assert link is not None
    nelly.post(link[0])
    assert is_offered(nelly)
    set_up_app(nelly)
    # A new address that waits to be confirmed is in nobody's way: the old one is theirs.
    later(nelly, timedelta())
    nelly.post("/accounts/email/", {"email": "new@example.org", "action_add": ""})
    assert EmailAddress.objects.filter(email="new@example.org", verified=False).exists()
    assert is_offered_a_passkey(nelly)


def is_offered_a_passkey(client: Client) -> bool:
    return client.get(PASSKEY).status_code == 200


@pytest.mark.parametrize("email", ["root@example.org", ""])
@pytest.mark.usefixtures("required")
def test_an_administrator_from_the_command_line_comes_in(
    client: Client, email: str, db: None
) -> None:
    """Also where no mail goes out, and whatever the library has noted of the address meanwhile."""
    root = User.objects.create_superuser("root", email=email, password=PASSWORD)
    client.post("/accounts/login/", {"login": "root", "password": PASSWORD})
    client.get("/accounts/email/")
    assert EmailAddress.objects.filter(user=root, verified=False).count() == bool(email)
    assert not roles.is_administrator(User.objects.get(pk=root.pk))
    assert is_offered(client)
    set_up_app(client)
    assert roles.is_administrator(User.objects.get(pk=root.pk))


def test_the_demo_accounts_come_in(db: None, settings: Any) -> None:
    demo_create(password=PASSWORD)
    settings.GAUNTLET_SECOND_FACTOR_REQUIRED = True
    for name in ("keeper", "max", "olga"):
        own = Client()
        own.post("/accounts/login/", {"login": name, "password": PASSWORD})
        own.get("/accounts/email/")
        assert is_offered(own), name
        set_up_app(own)
        assert has_factor(User.objects.get(username=name))


def test_a_moderator_confirms_first(client: Client, db: None, required: None) -> None:
    mona = made_person("mona", Role.MODERATOR)
    row = EmailAddress.objects.create(user=mona, email=mona.email, primary=True, verified=False)
    client.force_login(mona)
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == INDEX
    assert not is_offered(client)
    EmailAddress.objects.filter(pk=row.pk).update(verified=True)
    assert is_offered(client)


# -- setting up, codes, removing -----------------------------------------------------------------


def test_an_app_is_set_up_and_its_owner_told(
    client: Client, ada: User, django_capture_on_commit_callbacks: Any
) -> None:
    client.force_login(ada)
    with django_capture_on_commit_callbacks(execute=True):
        secret, after = set_up_app(client)
    codes = codes_on(after)
    assert len(set(codes)) == 10
    assert has_factor(ada)
    assert [each.subject for each in mail.outbox] == ["[Gauntlet] An authenticator app was set up"]
    noted = AuditEntry.objects.filter(action="user.second_factor_add")
    assert sorted(each.data["kind"] for each in noted) == ["recovery_codes", "totp"]
    assert client.get(INDEX).status_code == 200
    assert secret not in client.get(INDEX).content.decode()


def test_a_wrong_code_sets_nothing_up(client: Client, ada: User) -> None:
    client.force_login(ada)
    confirmed(client, APP)
    assert "That was not right" in client.post(APP, {"code": "000000"}).content.decode()
    assert not has_factor(ada)


def test_nothing_stands_in_the_database_by_which_a_code_could_be_made(
    client: Client, ada: User
) -> None:
    client.force_login(ada)
    secret, after = set_up_app(client)
    with connection.cursor() as cursor:
        cursor.execute("SELECT data::text FROM mfa_authenticator")
        stored = " ".join(row[0] for row in cursor.fetchall())
    assert secret not in stored
    seed = Authenticator.objects.get(user=ada, type="recovery_codes").data["seed"]
    assert not re.fullmatch(r"[0-9a-f]+", seed)
    assert not any(code in stored for code in codes_on(after))


def test_what_cannot_be_read_any_more_lets_nobody_in(ada: User, settings: Any) -> None:
    secret = with_app(ada)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", []
    empty = app_code("")
    for code in (app_code(secret), empty):
        client, _led = by_password()
        said = client.post(STEP, {"code": code})
        assert (said.status_code, signed_in(client)) == (200, False)
        assert "cannot be read any more" in said.content.decode()
    inside = Client()
    inside.force_login(ada)
    assert inside.get(INDEX).status_code == 200


def test_an_old_key_still_opens_what_it_sealed(ada: User, settings: Any) -> None:
    secret = with_app(ada)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the next one"
    client, _led = by_password()
    client.post(STEP, {"code": app_code(secret)})
    assert signed_in(client)


def test_a_recovery_code_signs_in_once_and_is_noted(client: Client, ada: User) -> None:
    client.force_login(ada)
    _secret, after = set_up_app(client)
    code = codes_on(after)[0]
    for expected in (True, False):
        other, _led = by_password()
        other.post(STEP, {"code": code})
        assert signed_in(other) is expected
    assert AuditEntry.objects.filter(action="user.recovery_code_use", who=ada).count() == 1
    assert code not in codes_on(client.get(CODES))


def test_the_owner_hears_that_a_recovery_code_was_used(
    client: Client, ada: User, django_capture_on_commit_callbacks: Any
) -> None:
    client.force_login(ada)
    _secret, after = set_up_app(client)
    codes = codes_on(after)
    for number, left in ((0, "9 are left"), (1, "8 are left")):
        other, _led = by_password()
        mail.outbox.clear()
        with django_capture_on_commit_callbacks(execute=True):
            other.post(STEP, {"code": codes[number]})
        assert signed_in(other)
        (said,) = [each for each in mail.outbox if "recovery code" in each.subject]
        assert said.subject == "[Gauntlet] A recovery code was used"
        assert left in str(said.body)
        assert INDEX in str(said.body)


def test_the_owner_hears_that_the_last_is_gone(ada: User) -> None:
    codes = RecoveryCodes.activate(ada)
    for code in codes.get_unused_codes():
        codes.validate_code(code)
    with committing():
        on_used(user=ada, authenticator=codes.instance)
    assert "None is left." in str(mail.outbox[-1].body)


def test_new_recovery_codes_end_the_old_ones(
    client: Client, ada: User, django_capture_on_commit_callbacks: Any
) -> None:
    client.force_login(ada)
    _secret, after = set_up_app(client)
    old = codes_on(after)
    with django_capture_on_commit_callbacks(execute=True):
        new = codes_on(client.post(f"{CODES}new/", follow=True))
    assert len(new) == 10
    assert not set(old) & set(new)
    assert mail.outbox[-1].subject == "[Gauntlet] New recovery codes"
    other, _led = by_password()
    other.post(STEP, {"code": old[0]})
    assert not signed_in(other)


def test_the_download_has_what_the_page_shows(client: Client, ada: User) -> None:
    client.force_login(ada)
    _secret, after = set_up_app(client)
    file = client.get(f"{CODES}download/")
    assert all(code in file.content.decode() for code in codes_on(after))
    assert "no-store" in file["Cache-Control"]


WANT_PROOF = (
    APP, f"{INDEX}app/remove/", CODES, f"{CODES}new/", f"{CODES}download/",
    f"{INDEX}passkeys/add/",
)  # fmt: skip


@pytest.mark.parametrize("address", WANT_PROOF)
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stolen_session_changes_no_factor(ada: User, address: str, method: str) -> None:
    """Whoever has only the session is asked for the password or a factor first."""
    if address != APP:
        with_app(ada)
        Authenticator.objects.create(
            user=ada, type="recovery_codes", data={"seed": "x", "used_mask": 0}
        )
    before = list(Authenticator.objects.order_by("pk").values_list("pk", flat=True))
    thief = Client()
    thief.force_login(ada)
    later(thief)
    answer = getattr(thief, method)(address)
    if answer.status_code == 405:
        return
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    assert list(Authenticator.objects.order_by("pk").values_list("pk", flat=True)) == before


def test_whoever_has_a_factor_can_show_it_instead_of_the_password(ada: User) -> None:
    secret = with_app(ada)
    client = Client()
    client.force_login(ada)
    later(client)
    page = client.get(client.get(f"{INDEX}app/remove/")["Location"])
    assert "Give a code" in page.content.decode()
    proof = {"code": app_code(secret), "next": f"{INDEX}app/remove/"}
    shown = client.post(f"{INDEX}is-it-you/", proof, follow=True)
    assert "Remove the app" in shown.content.decode()


def test_removing_the_app_takes_the_codes_along_and_is_told(client: Client, ada: User) -> None:
    client.force_login(ada)
    set_up_app(client)
    client.post(f"{INDEX}app/remove/")
    assert not Authenticator.objects.filter(user=ada).exists()
    assert mail.outbox[-1].subject == "[Gauntlet] An authenticator app was removed"
    noted = AuditEntry.objects.filter(action="user.second_factor_remove")
    assert sorted(each.data["kind"] for each in noted) == ["recovery_codes", "totp"]


def test_nobody_reaches_anothers_passkey(client: Client, ada: User) -> None:
    made_person("ben")
    theirs = Authenticator.objects.create(
        user=User.objects.get(username="ben"), type="webauthn", data={"name": "Phone"}
    )
    client.force_login(ada)
    confirmed(client, APP)
    for address in (f"{INDEX}passkeys/{theirs.pk}/", f"{INDEX}passkeys/{theirs.pk}/remove/"):
        for answer in (client.get(address), client.post(address, {"name": "Mine"})):
            assert answer.status_code == 404
    theirs.refresh_from_db()
    assert theirs.data == {"name": "Phone"}


JUNK: tuple[Any, ...] = (
    None, "x" * 70_000, json.dumps({"id": "a", "rawId": "\0", "response": {}}),
    "", "x", "[]", "1", "null", "{}", '{"id": 1}', json.dumps({"response": []}),
    json.dumps({"id": "a", "rawId": "a", "type": "public-key", "response": {}}),
    json.dumps({"id": "YQ", "rawId": "YQ", "type": "public-key", "clientExtensionResults": {},
                "response": {"clientDataJSON": "e30", "authenticatorData": "YQ",
                             "signature": "YQ", "userHandle": "\u2603"}}),
    json.dumps({"id": "YQ", "rawId": "YQ", "type": "public-key", "clientExtensionResults": {},
                "response": {"clientDataJSON": "e30", "attestationObject": "YQ"}}),
    json.dumps({"id": "YQ", "rawId": "YQ", "type": "public-key", "clientExtensionResults": {},
                "response": {"clientDataJSON": "e30", "authenticatorData": "YQ",
                             "signature": "YQ"}}),
    json.dumps({"id": "YQ", "rawId": "YQ", "type": "public-key", "response": {
        "clientDataJSON": "!!", "authenticatorData": "!!", "signature": 3, "userHandle": 9}}),
)  # fmt: skip


@pytest.mark.parametrize("junk", JUNK)
def test_what_is_no_passkey_is_refused_in_peace(ada: User, junk: Any) -> None:
    given = {} if junk is None else {"credential": junk}
    outside = Client(headers={"accept": "application/json"})
    assert "request_options" in outside.get(f"{INDEX}passkeys/sign-in/").json()
    answer = outside.post(f"{INDEX}passkeys/sign-in/", given)
    assert (answer.status_code, signed_in(outside)) == (302, False)
    with_app(ada)
    half, _led = by_password()
    half.get(STEP)
    assert half.post(STEP, given).status_code == 200
    assert not signed_in(half)
    inside = Client()
    inside.force_login(ada)
    confirmed(inside, f"{INDEX}passkeys/add/")
    added = inside.post(f"{INDEX}passkeys/add/", {**given, "name": "x" * 900})
    assert added.status_code == 200
    inside.get(f"{INDEX}passkeys/is-it-you/")
    assert inside.post(f"{INDEX}passkeys/is-it-you/", given).status_code == 302
    assert not Authenticator.objects.filter(type="webauthn").exists()


# -- who must have one ---------------------------------------------------------------------------


def _people() -> dict[str, User]:
    return {
        "moderator": made_person("mona", Role.MODERATOR),
        "administrator": made_person("ruth", is_staff=True, is_superuser=True),
        "staff": made_person("stan", is_staff=True),
        "organiser": made_person("orla", Role.ORGANISER),
        "player": made_person("pia"),
    }


def _powers(user: User) -> set[str]:
    """What somebody may do, read anew."""
    fresh = User.objects.get(pk=user.pk)
    asked: dict[str, Callable[[Any], bool]] = {
        "organise": roles.is_organiser,
        "moderate": roles.is_moderator,
        "administer": roles.is_administrator,
    }
    return {name for name, check in asked.items() if check(fresh)}


FULL = {
    "moderator": {"moderate"},
    "administrator": {"organise", "moderate", "administer"},
    "staff": set(),
    "organiser": {"organise"},
    "player": set(),
}


@pytest.mark.parametrize("of_organisers", [False, True])
@pytest.mark.parametrize("factor", [False, True])
@pytest.mark.parametrize("on", [False, True])
def test_a_power_rests_until_its_holder_has_a_factor(
    db: None, settings: Any, on: bool, factor: bool, of_organisers: bool
) -> None:
    people = _people()
    if of_organisers:
        second_factor_rule_set(acting_user=people["administrator"], of_organisers=True)
    settings.GAUNTLET_SECOND_FACTOR_REQUIRED = on
    for user in people.values():
        if factor:
            with_app(user)
    held_back = set() if factor or not on else {"moderator", "administrator"}
    if held_back and of_organisers:
        held_back |= {"organiser"}
    for name, user in people.items():
        assert _powers(user) == (set() if name in held_back else FULL[name]), name
        fresh = User.objects.get(pk=user.pk)
        told = held_back | ({"staff"} if held_back else set())
        assert roles.lacks_factor(fresh) is (name in told), name
        # Nobody loses a role by it.
        assert roles.holds_role(fresh, Role.MODERATOR) is ("moderate" in FULL[name])


def test_recovery_codes_alone_are_no_factor(required: None, db: None) -> None:
    mona = made_person("mona", Role.MODERATOR)
    Authenticator.objects.create(user=mona, type="recovery_codes", data={})
    assert _powers(mona) == set()


def test_the_query_of_every_request_knows_it(required: None, db: None) -> None:
    mona = made_person("mona", Role.MODERATOR)
    found = User.objects.of_number(mona.pk)
    assert found is not None
    assert found.has_second_factor is False
    with_app(mona)
    found = User.objects.of_number(mona.pk)
    assert found is not None
    assert found.has_second_factor is True


@pytest.mark.parametrize("who", ["moderator", "administrator", "staff"])
def test_the_admin_site_leads_to_setting_one_up(required: None, db: None, who: str) -> None:
    user = _people()[who]
    client = Client()
    client.force_login(user)
    for address in ("/admin/", "/admin/accounts/user/", "/admin/accounts/auditentry/"):
        led = client.get(address, follow=True)
        assert led.redirect_chain[-1][0] == INDEX
        assert "second factor" in led.content.decode()
    set_up_app(client)
    assert client.get("/admin/").status_code == 200


def test_what_a_moderator_posts_is_not_done(required: None, ada: User) -> None:
    client = Client()
    client.force_login(made_person("mona", Role.MODERATOR))
    address = f"/admin/accounts/user/{ada.pk}/mute/"
    client.post(address, {"reason": "Rude", "lasts": "day"}, follow=True)
    assert not AuditEntry.objects.filter(action__startswith="user.mute").exists()
    assert not ada.sanctions.exists()


def test_others_are_told_what_they_were_told(required: None, ada: User) -> None:
    client = Client()
    client.force_login(ada)
    assert client.get("/admin/", follow=True).status_code == 403
    assert client.get("/nothing/here/").status_code == 404
    client.force_login(made_person("mona", Role.MODERATOR))
    assert client.get("/u/nobody-here/").status_code == 404
    assert client.get("/nothing/here/").status_code == 404


def test_pages_say_that_a_role_rests(required: None, db: None) -> None:
    client = Client()
    for name, user in _people().items():
        client.force_login(user)
        page = client.get("/accounts/settings/").content.decode()
        says = "Your role needs a second factor" in page
        assert says is (name in {"moderator", "administrator", "staff"}), name


@pytest.fixture
def asked(required: None, db: None) -> User:
    """An organiser without a factor, where the administrator asks for one."""
    ruth = made_person("ruth", is_superuser=True, is_staff=True)
    with_app(ruth)
    second_factor_rule_set(acting_user=ruth, of_organisers=True)
    return made_person("orla", Role.ORGANISER)


def test_an_organiser_who_is_asked_opens_no_season(asked: User) -> None:
    client = Client()
    client.force_login(asked)
    new = reverse("tournaments:season_new")
    assert client.get(new)["Location"] == INDEX
    assert client.post(new, {"name": "Autumn"})["Location"] == INDEX
    refused = client.post("/api/v1/seasons/", {"name": "Autumn"}, content_type="application/json")
    assert refused.status_code == 403
    assert refused["Content-Type"] == "application/problem+json"
    problem = refused.json()
    assert problem["code"] == "account.second-factor-missing"
    assert problem["sentence"] == roles.HELD_BACK_SENTENCE
    with_app(asked)
    assert client.get(new).status_code == 200


# -- the rule, and taking factors away -----------------------------------------------------------


def test_only_an_administrator_sets_the_rule(db: None, django_user_model: Any) -> None:
    people = _people()
    for name in ("moderator", "organiser", "player", "staff"):
        with pytest.raises(Refusal) as refused:
            second_factor_rule_set(acting_user=people[name], of_organisers=True)
        assert refused.value.code == "account.not-administrator"
    client = Client()
    client.force_login(people["administrator"])
    add = "/admin/accounts/secondfactorrule/add/"
    assert client.get(add).status_code == 200
    assert client.post(add, {"of_organisers": "yes"}).status_code == 302
    assert roles.organisers_need_factor()
    assert AuditEntry.objects.filter(action="site.second_factor_require").count() == 1
    with pytest.raises(Refusal) as refused:
        second_factor_rule_set(acting_user=people["administrator"], of_organisers=True)
    assert refused.value.code == "second-factor.unchanged"
    client.post(add, {"of_organisers": "no"})
    assert not roles.organisers_need_factor()
    client.force_login(people["moderator"])
    assert client.get(add).status_code == 403


def test_an_administrator_takes_away_what_was_lost(
    ada: User, django_capture_on_commit_callbacks: Any
) -> None:
    people = _people()
    with_app(ada)
    client = Client()
    client.force_login(people["administrator"])
    address = f"/admin/accounts/user/{ada.pk}/reset_second_factor/"
    assert "Make sure first" in client.get(address).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(address, {"reason": "Met her; lost her phone", "typed": "ada"})
    assert not has_factor(ada)
    entry = AuditEntry.objects.get(action="user.second_factor_reset")
    assert entry.data == {"reason": "Met her; lost her phone", "kinds": ["totp"]}
    assert [(each.to, each.subject) for each in mail.outbox] == [
        (["ada@example.org"], "[Gauntlet] Your second factor was removed")
    ]
    inside, _led = by_password()
    assert signed_in(inside)


def test_nobody_else_takes_a_factor_away(ada: User) -> None:
    people = _people()
    with_app(ada)
    with_app(people["administrator"])
    tries: list[tuple[User, User, str, str]] = [
        (people["moderator"], ada, "Lost", "account.not-administrator"),
        (people["organiser"], ada, "Lost", "account.not-administrator"),
        (ada, ada, "Lost", "account.not-administrator"),
        (people["administrator"], people["administrator"], "Lost", "account.own-account"),
        (people["administrator"], ada, " ", "account.reason-missing"),
        (people["administrator"], people["player"], "Lost", "second-factor.none"),
    ]
    for acting_user, user, reason, code in tries:
        with pytest.raises(Refusal) as refused:
            second_factor_reset(acting_user=acting_user, user=user, reason=reason)
        assert refused.value.code == code
    assert has_factor(ada)
    assert not AuditEntry.objects.filter(action="user.second_factor_reset").exists()


def test_the_server_helps_the_last_administrator(db: None) -> None:
    ruth = made_person("ruth", is_superuser=True)
    with_app(ruth)
    call_command("second_factor", "reset", "Ruth", reason="Lost the phone")
    assert not has_factor(ruth)
    assert AuditEntry.objects.get(action="user.second_factor_reset").who is None
    for name in ("ruth", "nobody"):
        with pytest.raises(CommandError):
            call_command("second_factor", "reset", name, reason="Lost the phone")


# -- every surface -------------------------------------------------------------------------------


def test_only_what_was_held_back_is_explained_by_it(asked: User) -> None:
    other, stranger = Refusal("seat.none", "Not now."), made_person("sam")
    forbidden = Forbidden("organiser.not-allowed", "Only an organiser may do this.")
    assert roles.explained(forbidden, asked) is forbidden  # nothing was asked yet
    assert not roles.is_organiser(asked)
    assert roles.explained(forbidden, asked).code == "account.second-factor-missing"
    assert roles.explained(other, asked) is other
    assert not roles.is_organiser(stranger)
    assert roles.explained(forbidden, stranger) is forbidden
    assert roles.explained(forbidden, None) is forbidden


@pytest.mark.parametrize("who", ["player", "guest", "moderator", "organiser"])
def test_who_holds_no_such_power_was_not_held_back_from_it(asked: User, who: str) -> None:
    """Who organises is asked of everybody; a season that is not there is none that they run."""
    ben = {
        "player": lambda: made_person("ben"),
        "guest": lambda: made_person("guest-ben", is_guest=True, password=None, email=""),
        "moderator": lambda: made_person("ben", Role.MODERATOR),
        "organiser": lambda: asked,
    }[who]()
    match = started((made_person("left"), made_person("right"))).match
    assert not organised_by(Match.objects.filter(pk=match.pk), made_person("quiet")).exists()
    client = Client()
    client.force_login(ben)
    for nothing in ("/seasons/nothing/", "/api/v1/seasons/nothing/", "/matches/999999/"):
        answer = client.get(nothing)
        assert answer.status_code == 404, nothing
        assert b"second-factor-missing" not in answer.content
    fresh = User.objects.get(pk=ben.pk)
    assert not Season.objects.visible_to(fresh).exists()
    if who != "organiser":
        assert not organised_by(Match.objects.all(), fresh).exists()
    assert not fresh.was_held_back


#: What is not there, in every way in which something can be missing: no such address, no such row,
#: a row of another kind, nothing within something that everybody sees.
NOTHING = (
    "/nothing/", "/u/nobody-here/", "/seasons/nothing/", "/seasons/nothing/desk/",
    "/seasons/nothing/rounds/1/", "/seasons/spring/contestants/999999/calendar.ics",
    "/seasons/spring/rounds/99/", "/seasons/spring/nothing/",
    "/seasons/spring/matches/999999/",
    f"/seasons/spring/pictures/{'0' * 64}/320.webp", "/matches/999999/",
    "/matches/999999/organise/", "/challenges/999999/", "/api/v1/nothing/",
    "/api/v1/seasons/nothing/", "/api/v1/seasons/spring/nothing/",
    "/api/v1/seasons/spring/rounds/99/", "/api/v1/matches/999999/", "/api/v1/users/nobody-here/",
)  # fmt: skip


@pytest.mark.parametrize("who", ["administrator", "moderator", "organiser", "owner"])
def test_what_is_not_there_leads_nobody_to_setting_one_up(asked: User, who: str) -> None:
    user = {
        "administrator": lambda: made_person("adam", is_staff=True, is_superuser=True),
        "moderator": lambda: made_person("mona", Role.MODERATOR),
        "organiser": lambda: asked,
        "owner": lambda: asked,
    }[who]()
    spring = _season("spring", "listed")
    if who == "owner":
        SeasonOrganiser.objects.create(season=spring, user=user, role="owner")
        SeasonOrganiser.objects.create(season=_season("own", "draft"), user=user, role="owner")
    client = Client()
    client.force_login(user)
    found = {address: client.get(address) for address in NOTHING}
    assert {address: answer.status_code for address, answer in found.items()} == dict.fromkeys(
        NOTHING, 404
    )
    for address, answer in found.items():
        assert b"second-factor-missing" not in answer.content, address


@pytest.mark.parametrize("who", ["administrator", "owner", "helper"])
def test_a_draft_that_is_kept_from_somebody_by_it_leads_there(asked: User, who: str) -> None:
    user = asked
    autumn, others = _season("autumn", "draft"), _season("others", "draft")
    if who == "administrator":
        user = made_person("adam", is_staff=True, is_superuser=True)
    else:
        rights = ["matches"] if who == "helper" else []
        SeasonOrganiser.objects.create(season=autumn, user=user, role=who, rights=rights)
    client = Client()
    client.force_login(user)
    for address in ("/seasons/autumn/", "/seasons/autumn/rounds/1/", "/seasons/autumn/desk/"):
        assert client.get(address)["Location"] == INDEX, address
    answer = client.get("/api/v1/seasons/autumn/")
    assert (answer.status_code, answer.json()["code"]) == (403, "account.second-factor-missing")
    # An administrator would see others' drafts; nobody else would.
    led = client.get(f"/seasons/{others.slug}/").status_code == 302
    assert led is (who == "administrator")
    with_app(user)
    assert client.get("/seasons/autumn/").status_code == 200


@pytest.mark.parametrize("address", ["/admin/", "/seasons/+new/", "/seasons/spring/desk/"])
def test_where_the_power_is_used_an_administrator_is_led_there(asked: User, address: str) -> None:
    _season("spring", "listed")
    client = Client()
    client.force_login(made_person("adam", is_staff=True, is_superuser=True))
    assert client.get(address, follow=True).redirect_chain[-1][0] == INDEX


def _season(slug: str, visibility: str) -> Season:
    ruth = User.objects.get(username="ruth")
    return Season.objects.create(
        name=slug.title(), slug=slug, format="elimination", visibility=visibility, created_by=ruth
    )


@pytest.mark.parametrize("power", ["organiser", "referee"])
def test_who_holds_it_was_held_back_from_lists_too(asked: User, power: str) -> None:
    match = started((made_person("left"), made_person("right"))).match
    user = asked
    if power == "referee":
        user = made_person("rita")
        MatchReferee.objects.create(match=match, user=user)
    assert not organised_by(Match.objects.all(), user).exists()
    assert user.was_held_back


def test_discord_says_so_as_well(asked: User) -> None:
    DiscordLink.objects.create(user=asked, discord_id="123456789012345678", name="orla")
    who = DiscordUser(id="123456789012345678", username="orla")
    by = Asked(id="1", person=who, at=0)
    forbidden = Forbidden("organiser.not-allowed", "Only an organiser may do this.")
    assert by.explained(forbidden) is forbidden
    assert not roles.is_organiser(by.user)
    assert by.explained(forbidden).code == "account.second-factor-missing"
    nothing = NotFound("season.none", "There is no such season.")
    SeasonOrganiser.objects.create(season=_season("own", "draft"), user=asked, role="owner")
    for named, code in (("nothing", "season.none"), ("own", "account.second-factor-missing")):
        by = Asked(id="1", person=who, at=0, options={"season": named})
        assert not roles.is_organiser(by.user)
        assert by.explained(nothing).code == code


@pytest.mark.parametrize("role", ["owner", "organiser", "helper"])
def test_whoever_runs_a_season_or_helps_is_asked(asked: User, role: str) -> None:
    ruth = User.objects.get(username="ruth")
    season = Season.objects.create(
        name="Autumn", slug="autumn", format="elimination", visibility="draft", created_by=ruth
    )
    rights = ["matches"] if role == "helper" else []
    SeasonOrganiser.objects.create(season=season, user=asked, role=role, rights=rights)

    def may() -> tuple[bool, bool]:
        fresh = User.objects.get(pk=asked.pk)
        return bool(rights_of(season, fresh)), Season.objects.visible_to(fresh).exists()

    assert may() == (False, False)
    with_app(asked)
    assert may() == (True, True)


def test_whoever_could_organise_a_match_still_does_not_predict_it(asked: User) -> None:
    match = started((made_person("left"), made_person("right"))).match
    assert not may_organise(match, asked)
    assert would_organise(match, asked)
    assert not may_predict(match, asked)
    with_app(asked)
    assert may_organise(match, User.objects.get(pk=asked.pk))


def test_the_rule_asks_nothing_where_nobody_must(asked: User, settings: Any) -> None:
    settings.GAUNTLET_SECOND_FACTOR_REQUIRED = False
    assert roles.is_organiser(asked)
