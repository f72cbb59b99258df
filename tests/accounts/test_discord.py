"""Signing in by Discord, linking and unlinking, through the pages and a Discord that is played."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client, TestCase
from django.urls import reverse

from accounts import hooks
from accounts.discord import services, wire
from accounts.discord.library import proposed_username
from accounts.models import AuditEntry, DiscordLink, DiscordLinkRequest, User
from accounts.moderation.merging import user_merge
from accounts.moderation.sanctions import user_suspend
from accounts.services import guest_create, user_close
from core.clock import now_utc
from core.refusals import Refusal
from tests.accounts.conftest import PASSWORD, with_confirmed_address
from tests.accounts.factors import with_app
from tests.games.support import committing
from tests.security.support import later
from tests.support.discord_oauth import FakeDiscord, fake_discord

pytestmark = pytest.mark.django_db

People = Callable[..., User]
Actions = Callable[[], list[str]]
LOGIN = "/accounts/discord/login/"
SIGNUP = "/accounts/discord/signup/"
SETTINGS = "/accounts/settings/discord/"
LINK = "/accounts/settings/discord/link/"
UNLINK = "/accounts/settings/discord/unlink/"
ABOUT = "/accounts/discord/"
NELLY = "80351110224678912"


@pytest.fixture
def discord(settings: Any) -> Iterator[FakeDiscord]:
    """Discord, at which the site has an application."""
    with fake_discord("http://testserver") as discord:
        for name, value in discord.environment.items():
            setattr(settings, name, value)
        yield discord


def sent(client: Client, path: str = LOGIN, **form: str) -> str:
    """Where at Discord a form leads."""
    answer = client.post(path, form)
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def answered(address: str, *, allow: bool = True) -> str:
    """Where Discord sends its reader back to, as a path."""
    page = httpx.get(address)
    if page.status_code != 302:
        assert page.status_code == 200, page.text
        query = unescape(re.findall(r'name="query" value="([^"]*)"', page.text)[0])
        form = {"query": query, "answer": "yes" if allow else "no"}
        page = httpx.post(urlsplit(address)._replace(query="").geturl(), data=form)
    parts = urlsplit(page.headers["Location"])
    return f"{parts.path}?{parts.query}"


def danced(client: Client, path: str = LOGIN, *, allow: bool = True, **form: str) -> Any:
    """The answer to somebody who has been to Discord and comes back."""
    return client.get(answered(sent(client, path, **form), allow=allow))


def signed_in_as(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id") or 0).first()


def linked(user: User, discord_id: str = NELLY, name: str = "nelly_b") -> DiscordLink:
    return services.discord_link(acting_user=user, discord_id=discord_id, discord_name=name)


def everything() -> list[Any]:
    models: tuple[Any, ...] = (
        User, EmailAddress, DiscordLink, DiscordLinkRequest, AuditEntry, SocialAccount,
    )  # fmt: skip
    rows = [list(model.objects.order_by("pk").values()) for model in models]
    for row in rows[0]:
        row.pop("last_login")
    return rows


def refused(code: str, call: Callable[[], object]) -> None:
    before = everything()
    with pytest.raises(Refusal) as caught, transaction.atomic():
        call()
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")
    assert everything() == before


def said(answer: Any) -> str:
    """The words of a page, or of the one that it leads to."""
    return unescape(re.sub(r"\s+", " ", answer.content.decode()))


# -- registering -----------------------------------------------------------------------------------


def test_registering_wholly(discord: FakeDiscord, client: Client, actions: Actions) -> None:
    back = danced(client, next="/u/nelly_b/")
    assert back["Location"] == SIGNUP
    form = client.get(SIGNUP)
    assert form.context["form"].initial == {"username": "nelly_b", "email": "nelly@example.org"}
    assert "nelly_b</strong> at Discord" in said(form)
    done = client.post(SIGNUP, {"username": "Nelly_B", "email": "nelly@example.org"}, follow=True)
    assert done.redirect_chain == [("/u/nelly_b/", 302)]
    assert "Welcome, Nelly_B." in said(done)
    user = User.objects.get()
    assert (user.username, user.display_name, user.email) == (
        "nelly_b", "Nelly_B", "nelly@example.org",
    )  # fmt: skip
    assert not user.has_usable_password()
    assert signed_in_as(client) == user
    address = EmailAddress.objects.get()
    assert (address.user, address.verified, address.primary) == (user, True, True)
    link = DiscordLink.objects.get()
    assert (link.user, link.discord_id, link.name) == (user, NELLY, "nelly_b")
    assert actions() == ["user.register", "user.confirm_email", "user.link_discord"]
    assert mail.outbox == []  # nothing is left to confirm
    assert discord.faults == []


def test_only_what_is_needed_is_asked_for_whatever_an_address_says(
    discord: FakeDiscord, client: Client
) -> None:
    danced(client, f"{LOGIN}?scope=guilds&auth_params=prompt%3Dconsent&process=connect")
    (asked,) = discord.asked
    assert set(asked["scope"].split()) == {"identify", "email"}
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == "http://testserver/accounts/discord/login/callback/"
    assert asked["prompt"] == "none"
    assert len(asked["state"]) >= 16
    assert discord.calls == ["/api/v10/oauth2/token", "/api/v10/users/@me"]


def test_nothing_else_of_discord_is_kept(discord: FakeDiscord, client: Client) -> None:
    danced(client)
    (token,) = discord.tokens
    pending = client.session["socialaccount_sociallogin"]
    kept = json.dumps(pending)
    for secret in (token, "a" * 32, "mfa", "locale", 'Nelly"'):
        assert secret not in kept
    client.post(SIGNUP, {"username": "nelly", "email": "nelly@example.org"})
    assert "socialaccount_sociallogin" not in client.session
    assert not SocialAccount.objects.exists()
    assert not SocialToken.objects.exists()
    for row in Session.objects.all():
        assert token not in json.dumps(row.get_decoded())


def test_an_address_that_discord_has_not_confirmed_is_confirmed_here(
    discord: FakeDiscord, client: Client
) -> None:
    guest_create()  # who has no address either
    discord.person.verified = False
    danced(client)
    client.post(SIGNUP, {"username": "nelly", "email": "nelly@example.org"})
    assert not EmailAddress.objects.get().verified
    (message,) = mail.outbox
    assert message.subject == "[Gauntlet] Please confirm your address"


def test_another_address_than_discords_is_confirmed_here(
    discord: FakeDiscord, client: Client
) -> None:
    danced(client)
    client.post(SIGNUP, {"username": "nelly", "email": "other@example.org"})
    address = EmailAddress.objects.get()
    assert (address.email, address.verified) == ("other@example.org", False)
    assert mail.outbox[0].to == ["other@example.org"]


def test_somebody_without_an_address_gives_one(discord: FakeDiscord, client: Client) -> None:
    guest = guest_create()  # who has none either
    discord.person.email = None
    danced(client)
    answer = client.post(SIGNUP, {"username": "nelly", "email": ""})
    assert set(answer.context["form"].errors) == {"email"}
    assert list(User.objects.all()) == [guest]


def test_anothers_address_that_is_typed_in_is_not_told_to_be_one(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    bob = with_confirmed_address(person("bob"))
    danced(client)
    answer = client.post(SIGNUP, {"username": "nelly", "email": "bob@example.org"})
    assert answer.status_code == 302
    nelly = User.objects.get(username="nelly")
    assert nelly.email == ""
    assert not EmailAddress.objects.get(user=nelly).verified
    (message,) = mail.outbox
    assert message.to == ["bob@example.org"]
    assert "already" in message.subject.lower() or "already" in message.body
    bob.refresh_from_db()
    assert bob.email == "bob@example.org"


@pytest.mark.parametrize("confirmed", [True, False])
def test_an_address_alone_signs_nobody_in_and_links_nothing(
    discord: FakeDiscord, client: Client, person: People, confirmed: bool
) -> None:
    nelly = person("nelly")
    if confirmed:
        with_confirmed_address(nelly)
    before = everything()
    answer = danced(client)
    assert answer.status_code == 409
    assert "Sign in to it with its password, and link Discord" in said(answer)
    assert f"/accounts/login/?next={SETTINGS}" in said(answer)
    assert signed_in_as(client) is None
    assert "socialaccount_sociallogin" not in client.session
    assert everything() == before


def test_an_address_that_is_taken_meanwhile_is_refused(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    danced(client)
    person("nelly")
    before = everything()
    answer = client.post(SIGNUP, {"username": "nelly2", "email": "nelly@example.org"})
    assert "An account here has this address already" in str(answer.context["form"].errors)
    assert everything() == before
    call = partial(
        services.discord_register, discord_id=NELLY, discord_name="nelly_b", username="nelly2",
        email="nelly@example.org", confirmed=True,
    )  # fmt: skip
    refused("discord.address-taken", call)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ADMIN", "This username is reserved"),
        ("Bob", "This username is taken"),
        ("a.b", "letters a to z, digits, hyphens"),
        ("ab", "at least 3 characters"),
        ("", "This field is required"),
    ],
)
def test_names_are_judged_as_everywhere(
    discord: FakeDiscord, client: Client, person: People, name: str, sentence: str
) -> None:
    person("bob")
    danced(client)
    before = everything()
    answer = client.post(SIGNUP, {"username": name, "email": "nelly@example.org"})
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == {"username"}
    assert sentence in str(answer.context["form"].errors)
    assert everything() == before
    again = client.post(SIGNUP, {"username": "nelly", "email": "nelly@example.org"})
    assert again.status_code == 302  # what Discord said is still known


def test_losing_a_race_for_a_name_or_for_the_discord_account_is_an_error_of_the_form(
    discord: FakeDiscord, client: Client, person: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    danced(client)
    linked(person("first"))
    before = everything()
    answer = client.post(SIGNUP, {"username": "nelly", "email": "nelly@example.org"})
    assert "linked to another account" in str(answer.context["form"].errors)
    assert everything() == before

    def taken(**_fields: str) -> User:
        raise Refusal("username.taken", "This username is taken.", field="username")

    monkeypatch.setattr(services, "user_register", taken)
    answer = client.post(SIGNUP, {"username": "nelly", "email": "nelly@example.org"})
    assert answer.context["form"].errors == {"username": ["This username is taken."]}


@pytest.mark.parametrize(
    ("name", "proposal"),
    [
        ("nelly_b", "nelly_b"),
        ("Nelly B", "nelly_b"),
        ("nelly.b", "nelly_b"),
        ("bob", "bob2"),
        ("a" * 32, "a" * 20),
        ("__x__", ""),
        ("øøø", ""),
        ("admin", ""),
        ("moderat0r", ""),
    ],
)
def test_the_name_that_is_proposed_can_be_registered(
    person: People, name: str, proposal: str
) -> None:
    person("bob")
    assert proposed_username(name) == proposal


def test_the_form_is_nobodys_who_has_not_been_to_discord(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    assert client.get(SIGNUP)["Location"] == "/accounts/login/"
    assert client.post(SIGNUP, {"username": "nelly", "email": "n@x.example"}).status_code == 302
    assert not User.objects.exists()
    danced(client)
    client.force_login(person("bob"))
    assert client.get(SIGNUP).status_code == 302


def test_what_a_guest_has_played_comes_along(discord: FakeDiscord, client: Client) -> None:
    heard: list[tuple[int, int]] = []

    def hear(*, guest_id: int, user_id: int, **_more: Any) -> None:
        heard.append((guest_id, user_id))

    guest = guest_create()
    client.force_login(guest, backend="accounts.signin.backends.NameBackend")
    hooks.guest_joined.connect(hear)
    try:
        with TestCase.captureOnCommitCallbacks(execute=True):
            danced(client)
            client.post(SIGNUP, {"username": "nelly", "email": "nelly@example.org"})
    finally:
        hooks.guest_joined.disconnect(hear)
    assert heard == [(guest.pk, User.objects.get(username="nelly").pk)]


def test_a_flood_of_registrations_is_answered_with_429(
    discord: FakeDiscord, client: Client
) -> None:
    danced(client)
    statuses = [client.post(SIGNUP, {}).status_code for _ in range(21)]
    assert statuses == [200] * 20 + [429]
    assert "20 tries in 60 s" in said(client.post(SIGNUP))


# -- signing in ------------------------------------------------------------------------------------


def test_signing_in(discord: FakeDiscord, client: Client, person: People) -> None:
    nelly = person("nelly")
    linked(nelly, name="old_name")
    answer = danced(client, next="/u/nelly/")
    assert answer["Location"] == "/u/nelly/"
    assert signed_in_as(client) == nelly
    assert DiscordLink.objects.get().name == "nelly_b"  # what they are called there now
    # Once they have let us in, Discord need not ask again.
    other = Client()
    assert httpx.get(sent(other)).status_code == 302
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    "back", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"]
)
def test_nobody_is_led_elsewhere(
    discord: FakeDiscord, client: Client, person: People, back: str
) -> None:
    linked(person("nelly"))
    assert danced(client, next=back)["Location"] == "/"
    assert client.post(LOGIN, {"next": back})["Location"] == "/"  # signed in already


def test_somebody_suspended_is_told_why(
    discord: FakeDiscord, client: Client, person: People, mona: User
) -> None:
    nelly = person("nelly")
    linked(nelly)
    user_suspend(acting_user=mona, user=nelly, reason="Rude.", until=None)
    answer = danced(client)
    assert answer["Location"] == "/accounts/suspended/"
    assert "Rude." in said(client.get("/accounts/suspended/"))
    assert signed_in_as(client) is None
    assert services.linked_user(NELLY) is None


def test_a_closed_account_stays_closed_and_its_discord_account_registers_no_other(
    discord: FakeDiscord, client: Client, person: People, mona: User
) -> None:
    nelly = person("nelly")
    linked(nelly)
    user_close(acting_user=mona, user=nelly, reason="abuse")
    before = everything()
    answer = danced(client)
    assert answer["Location"] == "/accounts/inactive/"
    assert "This account is closed" in said(client.get("/accounts/inactive/"))
    assert signed_in_as(client) is None
    assert services.linked_user(NELLY) is None
    assert everything() == before


def test_who_has_signed_in_meanwhile_stays_who_they_are(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    linked(person("nelly"))
    back = answered(sent(client, next="/u/nelly/"))
    bob = person("bob")
    session = client.session  # as by another window of the same browser
    states = dict(session["socialaccount_states"])
    client.force_login(bob)
    session = client.session
    session["socialaccount_states"] = states
    session.save()
    assert client.get(back)["Location"] == "/u/nelly/"
    assert signed_in_as(client) == bob


# -- what can go wrong on the way ------------------------------------------------------------------


def test_who_says_no_is_led_back(discord: FakeDiscord, client: Client) -> None:
    answer = danced(client, allow=False, next="/u/bob/")
    assert answer["Location"] == "/accounts/login/?next=%2Fu%2Fbob%2F"
    assert "You have not let us in at Discord" in said(client.get(answer["Location"]))
    assert not User.objects.exists()


@pytest.mark.parametrize("state", ["", "somebody-elses0", None])
def test_an_answer_that_nobody_asked_for_is_none(
    discord: FakeDiscord, client: Client, person: People, state: str | None
) -> None:
    """Another's code, or one's own in somebody else's browser: the state is not this session's."""
    linked(person("nelly"))
    back = answered(sent(Client()))
    if state is not None:
        back = re.sub(r"state=[^&]*", f"state={state}", back)
    answer = client.get(back)
    assert answer.status_code == 401
    assert "We could not find out from Discord who you are" in said(answer)
    assert signed_in_as(client) is None
    assert discord.calls == []


def test_an_answer_is_good_once(discord: FakeDiscord, client: Client, person: People) -> None:
    linked(person("nelly"))
    back = answered(sent(client))
    assert client.get(back).status_code == 302
    client.post("/accounts/logout/")
    assert client.get(back).status_code == 401
    assert signed_in_as(client) is None


@pytest.mark.parametrize(
    "fault",
    [
        500, 401, 429, b"not JSON", b"[]", b"{}", b'"text"', b"x" * 100_000,
        b'{"access_token": "t"}', b'{"access_token": 5}',
        b'{"access_token": "t", "id": "nobody", "username": "x"}',
        b'{"access_token": "t", "id": "5"}',
    ],
)  # fmt: skip
def test_what_discord_gets_wrong_signs_nobody_in(
    discord: FakeDiscord, client: Client, person: People, fault: int | bytes
) -> None:
    linked(person("nelly"))
    discord.fault = fault
    before = everything()
    answer = danced(client)
    assert answer.status_code == 401
    assert "Nothing has changed" in said(answer)
    assert signed_in_as(client) is None
    assert everything() == before


def test_a_wrong_secret_signs_nobody_in(
    discord: FakeDiscord, client: Client, settings: Any
) -> None:
    settings.GAUNTLET_DISCORD_CLIENT_SECRET = "another"
    assert danced(client).status_code == 401
    assert discord.faults == ["invalid_client"]


def test_a_code_is_traded_in_by_whoever_has_asked(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    """A code of one's own in one's own dance, but of another challenge (RFC 7636)."""
    linked(person("nelly"))
    theirs = re.findall(r"code=([^&]*)", answered(sent(Client())))[0]
    back = re.sub(r"code=[^&]*", f"code={theirs}", answered(sent(client)))
    assert client.get(back).status_code == 401
    assert discord.faults == ["invalid_grant"]
    assert signed_in_as(client) is None


def test_a_discord_that_is_away_or_drips_is_not_waited_for(
    discord: FakeDiscord, client: Client, settings: Any
) -> None:
    settings.GAUNTLET_DISCORD_STAGE_SECONDS = settings.GAUNTLET_DISCORD_TOTAL_SECONDS = 0.4
    discord.dripping.set()
    assert danced(client).status_code == 401
    discord.dripping.clear()
    back = answered(sent(client))
    settings.GAUNTLET_DISCORD_API = "http://127.0.0.1:9/api/v10"
    assert client.get(back).status_code == 401
    with pytest.raises(wire.DiscordSilent):
        wire.ask("GET", "/users/@me")


def test_a_flood_is_answered_with_429(discord: FakeDiscord, client: Client) -> None:
    statuses = [client.post(LOGIN).status_code for _ in range(21)]
    assert statuses == [302] * 20 + [429]
    answer = client.post(LOGIN)
    assert answer["Retry-After"] == "60"
    assert "20 tries in 60 s" in said(answer)


def test_forms_need_their_key(discord: FakeDiscord, person: People) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post(LOGIN).status_code == 403
    client.force_login(person("nelly"))
    assert client.post(LINK).status_code == 403
    assert client.post(UNLINK).status_code == 403


# -- linking and unlinking -------------------------------------------------------------------------


def test_linking_and_unlinking(
    discord: FakeDiscord, client: Client, person: People, actions: Actions
) -> None:
    ada = with_confirmed_address(person("ada"))
    client.force_login(ada)
    assert "Link Discord" in said(client.get(SETTINGS))
    with committing():
        answer = danced(client, LINK)
    assert answer["Location"] == SETTINGS
    assert set(discord.asked[-1]["scope"].split()) == {"identify"}
    assert discord.asked[-1]["prompt"] == "consent"
    page = said(client.get(SETTINGS))
    assert "nelly_b at Discord is linked." in page
    assert "You are <strong>nelly_b</strong> at Discord" in page
    assert services.linked_user(NELLY) == ada
    assert mail.outbox[-1].subject == "[Gauntlet] Discord has been linked"
    assert "nelly_b" in mail.outbox[-1].body
    # From now on it signs in.
    other = Client()
    danced(other)
    assert signed_in_as(other) == ada
    with committing():
        answer = client.post(UNLINK, follow=True)
    assert "Discord is not linked to your account any more." in said(answer)
    assert services.linked_user(NELLY) is None
    assert mail.outbox[-1].subject == "[Gauntlet] Discord has been unlinked"
    assert actions() == ["user.link_discord", "user.unlink_discord"]
    entry = AuditEntry.objects.latest("pk")
    assert (entry.who, entry.target_id) == (ada, str(ada.pk))
    assert entry.data == {"discord_id": NELLY, "name": "nelly_b"}


def test_links_are_told_after_commit(person: People) -> None:
    heard: list[Any] = []

    def hear(*, signal: Any, user_id: int, discord_id: str, **_more: Any) -> None:
        heard.append((signal is hooks.discord_linked, user_id, discord_id))

    ada = person("ada")
    for signal in (hooks.discord_linked, hooks.discord_unlinked):
        signal.connect(hear)
    try:
        with TestCase.captureOnCommitCallbacks(execute=True):
            linked(ada)
            assert heard == []
        with TestCase.captureOnCommitCallbacks(execute=True):
            services.discord_unlink(acting_user=ada)
    finally:
        for signal in (hooks.discord_linked, hooks.discord_unlinked):
            signal.disconnect(hear)
    assert heard == [(True, ada.pk, NELLY), (False, ada.pk, NELLY)]


def test_refusals_of_linking(person: People, mona: User) -> None:
    ada, bob = person("ada"), person("bob")
    linked(ada)
    refused("discord.linked-already", partial(linked, ada))
    refused("discord.of-another", partial(linked, bob))
    refused("discord.other", partial(linked, ada, "5"))
    user_close(acting_user=mona, user=bob, reason="abuse")
    refused("account.closed", partial(linked, bob, "5"))


def test_who_loses_a_race_is_refused(person: People, monkeypatch: pytest.MonkeyPatch) -> None:
    linked(person("ada"))
    monkeypatch.setattr(services, "must_be_linkable", lambda *_: None)
    refused("discord.of-another", partial(linked, person("bob")))


def test_the_database_keeps_links_one_to_one(person: People) -> None:
    ada, bob = person("ada"), person("bob")
    linked(ada)
    for user, discord_id in ((ada, "5"), (bob, NELLY), (bob, "x"), (bob, "0")):
        with pytest.raises(IntegrityError), transaction.atomic():
            DiscordLink.objects.create(user=user, discord_id=discord_id, name="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        DiscordLink.objects.create(user=bob, discord_id="5", name="")


def test_being_mentioned_is_ones_own_choice(
    discord: FakeDiscord, client: Client, person: People, actions: Actions
) -> None:
    ada = person("ada")
    client.force_login(ada)
    answer = client.post(SETTINGS, {"mentions": "on"}, follow=True)
    assert "No Discord account is linked to your account." in said(answer)
    refused(
        "discord.not-linked", partial(services.discord_mentions_set, acting_user=ada, mentions=True)
    )
    linked(ada)
    assert not DiscordLink.objects.get().mentions
    assert " checked" not in said(client.get(SETTINGS))
    answer = client.post(SETTINGS, {"mentions": "on"}, follow=True)
    assert "Your choice is kept." in said(answer)
    assert " checked" in said(answer)
    client.post(SETTINGS, {"mentions": "on"})
    client.post(SETTINGS)
    assert not DiscordLink.objects.get().mentions
    change = "user.change_discord_mentions"
    assert actions() == ["user.link_discord", change, change]
    entries = AuditEntry.objects.filter(action=change).order_by("pk")
    assert [each.data for each in entries] == [{"mentions": True}, {"mentions": False}]
    # It is the link's: whoever links again chooses again.
    services.discord_mentions_set(acting_user=ada, mentions=True)
    services.discord_unlink(acting_user=ada)
    linked(ada)
    assert not DiscordLink.objects.get().mentions
    assert Client().post(SETTINGS, {"mentions": "on"}).status_code == 302


def test_being_found_by_the_name_there_is_ones_own_choice(
    discord: FakeDiscord, client: Client, person: People, actions: Actions
) -> None:
    ada, bob = person("ada"), person("bob")
    unlinked = partial(services.discord_found_set, acting_user=bob, found_by_name=True)
    refused("discord.not-linked", unlinked)
    linked(ada)
    name = DiscordLink.objects.get().name
    assert services.users_named_at_discord([name]) == {}
    client.force_login(ada)
    answer = client.post(SETTINGS, {"found_by_name": "on"}, follow=True)
    assert said(answer).count(" checked") == 1
    assert not DiscordLink.objects.get().mentions
    assert services.users_named_at_discord([name.upper(), "", "x"]) == {name.lower(): ada}
    assert services.users_named_at_discord([name[:-1]]) == {}
    # Of two who had the name when they last came, one has it no more: nobody says which.
    other = DiscordLink.objects.create(
        user=bob, discord_id="77", name=name.upper(), found_by_name=True
    )
    assert services.users_named_at_discord([name]) == {}
    other.delete()
    client.post(SETTINGS)
    assert services.users_named_at_discord([name]) == {}
    assert actions().count("user.change_discord_found") == 2


def test_refusals_of_unlinking(discord: FakeDiscord, client: Client, person: People) -> None:
    ada = person("ada")
    refused("discord.not-linked", partial(services.discord_unlink, acting_user=ada))
    ada.set_unusable_password()
    ada.save()
    linked(ada)
    refused("discord.no-password", partial(services.discord_unlink, acting_user=ada))
    client.force_login(ada)
    assert "Your account has no password." in said(client.get(SETTINGS))
    answer = client.post(UNLINK, follow=True)
    assert answer.redirect_chain == [("/accounts/password/set/", 302)]
    assert "you could not sign in any more. Set one first." in said(answer)
    assert DiscordLink.objects.exists()
    new = {"password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/accounts/password/set/", new).status_code == 302
    client.post(UNLINK)
    assert not DiscordLink.objects.exists()


def test_a_page_says_what_was_refused(discord: FakeDiscord, client: Client, person: People) -> None:
    linked(person("ada"))
    client.force_login(person("bob"))
    before = everything()
    danced(client, LINK)
    assert "linked to another account here" in said(client.get(SETTINGS))
    answer = client.post(UNLINK, follow=True)
    assert "No Discord account is linked to your account." in said(answer)
    assert everything() == before
    assert mail.outbox == []


def test_who_signs_out_on_the_way_links_nothing(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    ada, bob = person("ada"), person("bob")
    for now in (None, bob):
        client.force_login(ada)
        back = answered(sent(client, LINK))
        states = dict(client.session["socialaccount_states"])
        client.logout()
        if now is not None:
            client.force_login(now)
        session = client.session
        session["socialaccount_states"] = states
        session.save()
        answer = client.get(back)
        assert answer["Location"] == f"/accounts/login/?next={SETTINGS.replace('/', '%2F')}"
        assert not DiscordLink.objects.exists()


def test_who_thinks_better_of_linking_is_led_back(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    client.force_login(person("ada"))
    assert danced(client, LINK, allow=False)["Location"] == SETTINGS
    assert not DiscordLink.objects.exists()


def test_a_merge_lets_the_duplicates_discord_account_go(
    person: People, mona: User, actions: Actions
) -> None:
    """It would sign its owner in to the kept account, as an address would."""
    ada, twin = person("ada"), person("ada2")
    linked(twin)
    user_merge(acting_user=mona, keep=ada, duplicate=twin, reason="Same address")
    assert not DiscordLink.objects.exists()
    assert actions() == [
        "user.link_discord", "user.unlink_discord", "user.merge", "user.close_merged",
    ]  # fmt: skip
    linked(ada)  # as any other


def test_a_merge_leaves_the_kept_accounts_link(person: People, mona: User) -> None:
    ada, twin = person("ada"), person("ada2")
    linked(ada)
    linked(twin, "5")
    user_merge(acting_user=mona, keep=ada, duplicate=twin, reason="Same address")
    assert DiscordLink.objects.get().user == ada


def test_moderators_see_the_link(client: Client, person: People, mona: User) -> None:
    ada = person("ada")
    client.force_login(mona)
    address = reverse("admin:accounts_user_change", args=[ada.pk])
    assert "Discord" in said(client.get(address))
    linked(ada)
    assert f"nelly_b ({NELLY}), since" in said(client.get(address))


# -- from Discord's side ---------------------------------------------------------------------------


def begun(discord_id: str = NELLY, name: str = "nelly_b") -> str:
    """The path of the address that somebody is given in Discord."""
    address = services.discord_link_begin(discord_id=discord_id, discord_name=name)
    return urlsplit(address).path


def key_of(path: str) -> str:
    return path.removesuffix("/").rpartition("/")[2]


def test_linking_from_discords_side(
    discord: FakeDiscord, client: Client, person: People, settings: Any
) -> None:
    settings.GAUNTLET_ORIGIN = "https://gauntlet.example"
    address = services.discord_link_begin(discord_id=NELLY, discord_name="nelly_b")
    assert address.startswith("https://gauntlet.example/accounts/discord/link/")
    path = urlsplit(address).path
    assert key_of(path) not in str(everything())  # only a digest is kept
    answer = client.get(path)
    assert answer["Location"] == f"/accounts/login/?next={path}"
    ada = person("ada")
    form = {"login": "ada", "password": PASSWORD, "next": path}
    assert client.post("/accounts/login/", form)["Location"] == path
    page = client.get(path)
    assert "nelly_b</strong> to <strong>@ada</strong>?" in said(page)
    assert page["Cache-Control"].count("no-store") == 1
    assert not DiscordLink.objects.exists()
    assert danced(client, path)["Location"] == SETTINGS
    assert services.linked_user(NELLY) == ada
    again = client.get(path)
    assert again.status_code == 409
    assert "This address was used already" in said(again)


def test_an_address_that_somebody_else_sends_links_nothing(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    """Or whoever talks somebody into following theirs could sign in as them."""
    path = begun("5", "mallory")
    client.force_login(person("ada"))
    before = everything()
    danced(client, path)
    assert "made for the Discord account mallory" in said(client.get(SETTINGS))
    assert everything() == before
    ada = User.objects.get(username="ada")
    finish = partial(
        services.discord_link_finish,
        acting_user=ada, key=key_of(path), discord_id=NELLY, discord_name="nelly_b",
    )  # fmt: skip
    refused("discord.not-yours", finish)


def test_refusals_of_addresses(discord: FakeDiscord, client: Client, person: People) -> None:
    ada, bob = person("ada"), person("bob")
    client.force_login(ada)

    def is_refused(path: str, code: str, status: int, sentence: str) -> None:
        ask = partial(services.link_asked, acting_user=ada, key=key_of(path))
        refused(code, ask)
        finish = partial(
            services.discord_link_finish,
            acting_user=ada, key=key_of(path), discord_id=NELLY, discord_name="nelly_b",
        )  # fmt: skip
        refused(code, finish)
        before = everything()
        for answer in (client.get(path), client.post(path)):
            assert answer.status_code == status
            assert sentence in said(answer)
        assert everything() == before

    earlier = begun()
    path = begun()
    is_refused(earlier, "discord.link-unknown", 404, "you were given a newer one")
    is_refused("/accounts/discord/link/x/", "discord.link-unknown", 404, "is not complete")
    DiscordLinkRequest.objects.update(used_at=now_utc())
    is_refused(path, "discord.link-used", 409, "was used already")
    path = begun()
    past = now_utc() - timedelta(minutes=16)
    DiscordLinkRequest.objects.update(made_at=past, expires_at=past + services.REQUEST_LASTS)
    is_refused(path, "discord.link-expired", 409, "has expired")
    path = begun()
    link = linked(bob)
    is_refused(path, "discord.of-another", 409, "linked to another account")
    link.delete()
    link = linked(ada, "5")
    is_refused(path, "discord.other", 409, "Another Discord account is linked to your account")
    link.delete()
    linked(ada)
    is_refused(path, "discord.linked-already", 409, "linked to your account already")
    refused("discord.linked-already", begun)


def test_requests_that_have_run_out_go(person: People) -> None:
    begun("5")
    past = now_utc() - timedelta(hours=1)
    DiscordLinkRequest.objects.update(made_at=past, expires_at=past + services.REQUEST_LASTS)
    begun("6")
    assert [each.discord_id for each in DiscordLinkRequest.objects.all()] == ["6"]


@pytest.mark.parametrize("name", ["", " \n", "x" * 50, "a\u202eb"])
def test_whatever_somebody_is_called_fits(person: People, name: str) -> None:
    assert 1 <= len(linked(person("ada"), name=name).name) <= 32


# -- whether it is offered -------------------------------------------------------------------------

GET = [ABOUT, SETTINGS, f"{LOGIN}callback/", SIGNUP, "/accounts/discord/link/x/"]
POST = [LOGIN, LINK, UNLINK, SIGNUP, "/accounts/discord/link/x/"]
OFF = [
    {"GAUNTLET_DISCORD_CLIENT_ID": ""},
    {"GAUNTLET_DISCORD_CLIENT_SECRET": ""},
    {"GAUNTLET_DISCORD_CLIENT_ID": "", "GAUNTLET_DISCORD_CLIENT_SECRET": ""},
]


@pytest.mark.parametrize("off", OFF)
def test_without_an_application_there_is_no_trace_of_it(
    discord: FakeDiscord, client: Client, person: People, settings: Any, off: dict[str, str]
) -> None:
    for name, value in off.items():
        setattr(settings, name, value)
    ada = person("ada")
    for _ in range(2):
        assert [client.get(path).status_code for path in GET] == [404] * len(GET)
        assert [client.post(path).status_code for path in POST] == [404] * len(POST)
        client.force_login(ada)
    client.logout()
    for path in ("/accounts/login/", "/accounts/signup/"):
        answer = client.get(path)
        assert "discord" not in said(answer).lower()
        assert "form-action 'self';" in f"{answer['Content-Security-Policy']};"
    client.force_login(ada)
    assert "discord" not in said(client.get("/accounts/settings/")).lower()


def test_it_is_offered_where_people_sign_in_and_register(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    # Whichever way they come in by: also by a passkey, where they sign in.
    ways = {"/accounts/login/?next=/u/ada/": 3, "/accounts/signup/?next=/u/ada/": 2}
    for path, forms in ways.items():
        answer = client.get(path)
        assert "Continue with Discord" in said(answer)
        assert f'href="{ABOUT}"' in said(answer)
        assert said(answer).count('name="next" value="/u/ada/"') == forms
        policy = answer["Content-Security-Policy"]
        assert f"form-action 'self' {discord.origin};" in f"{policy};"
    assert "form-action 'self';" in f"{client.get('/')['Content-Security-Policy']};"
    client.force_login(person("ada"))
    assert f'href="{SETTINGS}"' in said(client.get("/accounts/settings/"))
    assert discord.origin in client.get(SETTINGS)["Content-Security-Policy"]


def test_what_is_read_is_explained(discord: FakeDiscord, client: Client) -> None:
    page = said(client.get(ABOUT))
    for words in ("What we read", "What we never do", "What others see", "Undoing it"):
        assert words in page


def test_the_library_offers_nothing_else(client: Client, person: People) -> None:
    client.force_login(person("ada"))
    for path in ("/accounts/3rdparty/", "/accounts/social/connections/",
                 "/accounts/3rdparty/signup/", "/accounts/3rdparty/login/error/"):  # fmt: skip
        assert client.get(path).status_code == 404


# -- confirming ------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_hers", [True, False])
def test_who_has_no_password_confirms_at_discord(
    discord: FakeDiscord, client: Client, person: People, is_hers: bool
) -> None:
    nelly = person("nelly", password=None)
    linked(nelly, NELLY if is_hers else "80351110224678999")
    client.force_login(nelly)
    later(client)
    tokens = reverse("accounts:tokens")
    asked = client.get(tokens)["Location"]
    before = client.session.session_key
    answer = danced(client, asked, next=tokens)
    assert discord.asked[-1]["prompt"] == "consent"
    there = client.get(tokens)
    if is_hers:
        assert answer["Location"] == tokens
        assert there.status_code == 200
        assert client.session.session_key != before
    else:
        assert answer["Location"].startswith(reverse("accounts:discord_confirm"))
        assert there["Location"] == asked
    assert DiscordLink.objects.count() == 1


@pytest.mark.parametrize("said_in", ["form", "address"])
def test_confirming_leads_on_to_where_it_began(
    discord: FakeDiscord, client: Client, person: People, said_in: str
) -> None:
    nelly = person("nelly", password=None)
    linked(nelly)
    client.force_login(nelly)
    later(client)
    tokens = reverse("accounts:tokens")
    asked = client.get(tokens)["Location"]
    # A form without the field is what a program or an old page sends.
    given: Any = {"next": tokens} if said_in == "form" else {}
    page = reverse("accounts:discord_confirm") if said_in == "form" else asked
    assert danced(client, page, **given)["Location"] == tokens
    assert client.get(tokens).status_code == 200


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:1"])
@pytest.mark.parametrize("said_in", ["form", "address"])
def test_confirming_leads_to_no_other_site(
    discord: FakeDiscord, client: Client, person: People, elsewhere: str, said_in: str
) -> None:
    nelly = person("nelly", password=None)
    linked(nelly)
    client.force_login(nelly)
    page = reverse("accounts:discord_confirm")
    given: Any = {"next": elsewhere} if said_in == "form" else {}
    around = page if said_in == "form" else f"{page}?{urlencode({'next': elsewhere})}"
    assert danced(client, around, **given)["Location"] == reverse("accounts:discord_settings")


def test_who_says_no_or_is_signed_out_meanwhile_finds_back_too(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    nelly = person("nelly", password=None)
    linked(nelly)
    client.force_login(nelly)
    later(client)
    tokens = reverse("accounts:tokens")
    asked = client.get(tokens)["Location"]
    assert danced(client, asked, allow=False, next=tokens)["Location"] == asked
    back = answered(sent(client, asked, next=tokens))
    session = client.session
    for key in ("_auth_user_id", "_auth_user_backend", "_auth_user_hash"):
        del session[key]
    session.save()
    assert client.get(back)["Location"] == f"/accounts/login/?{urlencode({'next': tokens})}"


def test_discord_confirms_nobody_who_has_a_second_factor_by_then(
    discord: FakeDiscord, client: Client, person: People
) -> None:
    nelly = person("nelly", password=None)
    linked(nelly)
    client.force_login(nelly)
    later(client)
    tokens = reverse("accounts:tokens")
    back = answered(sent(client, client.get(tokens)["Location"], next=tokens))
    with_app(nelly)
    asked = f"{reverse('mfa_reauthenticate')}?{urlencode({'next': tokens})}"
    assert client.get(back)["Location"] == asked
    assert client.get(tokens)["Location"] == asked
