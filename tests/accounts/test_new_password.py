"""What a new password ends: whatever somebody else may hold of the account."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.core import mail
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts import hooks
from accounts.announcing.devices import device_remember
from accounts.discord.services import discord_link, linked_user
from accounts.models import AuditEntry, DiscordLink, PushSubscription, User
from accounts.signin.notices import owner_tell
from tests.accounts.conftest import PASSWORD, with_confirmed_address
from tests.accounts.factors import APP, INDEX, app_code, with_app, with_passkey
from tests.games.support import committing
from tests.security.support import later

People = Callable[..., User]
NEW = {"password1": "new-swordfish-88", "password2": "new-swordfish-88"}
DISCORD = "80351110224678912"


def devices_of(user: User) -> list[PushSubscription]:
    """Two of somebody's."""
    return [
        PushSubscription.objects.create(
            user=user, endpoint=f"https://push.example/{user.pk}/{name}",
            p256dh="k", auth="s", browser=name,
        )
        for name in ("here", "there")
    ]  # fmt: skip


def linked(user: User) -> DiscordLink:
    return discord_link(acting_user=user, discord_id=DISCORD, discord_name="nelly")


def at(client: Client, device: PushSubscription) -> None:
    """Have the browser know which device it is, as it does when it is switched on there."""
    response = HttpResponse()
    device_remember(RequestFactory().get("/"), response, device)
    client.cookies.update(response.cookies)


def by_mail(client: Client, user: User) -> Any:
    """The page that a mail's key leads to."""
    client.post(reverse("account_reset_password"), {"email": user.email})
    found = re.search(r"http://testserver(/accounts/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return client.get(found[1], follow=True)


def forgotten(client: Client, user: User, **more: str) -> Any:
    """Have the password replaced with a mail's key; returns the page at the end."""
    form = by_mail(client, user)
    return client.post(form.request["PATH_INFO"], {**NEW, **more}, follow=True)


def test_who_changes_it_keeps_the_device_that_they_sit_at(client: Client, person: People) -> None:
    bob = person("bob")
    here, _ = devices_of(bob)
    devices_of(person("eve"))
    linked(bob)
    client.force_login(bob)
    at(client, here)
    client.post(reverse("account_change_password"), {"oldpassword": PASSWORD, **NEW})
    bob.refresh_from_db()
    assert bob.check_password("new-swordfish-88")
    assert list(PushSubscription.objects.filter(user=bob)) == [here]
    assert PushSubscription.objects.exclude(user=bob).count() == 2
    assert linked_user(DISCORD) == bob  # whoever knows the old password could have taken it off


def test_who_changes_it_may_end_discord_as_a_way_in(client: Client, person: People) -> None:
    bob = person("bob")
    linked(bob)
    client.force_login(bob)
    form = client.get(reverse("account_change_password")).context["form"]
    assert form.fields["end_discord"].initial is False
    given = {"oldpassword": PASSWORD, **NEW, "end_discord": "on"}
    client.post(reverse("account_change_password"), given)
    bob.refresh_from_db()
    assert bob.check_password("new-swordfish-88")
    assert linked_user(DISCORD) is None
    again = client.get(reverse("account_change_password")).context["form"]
    assert "end_discord" not in again.fields, "nothing to end"


def test_by_mail_there_is_no_box_for_discord_which_ends_anyway(
    client: Client, person: People
) -> None:
    bob = person("bob")
    linked(bob)
    assert "end_discord" not in by_mail(client, bob).context["form"].fields


def test_who_sets_a_first_password_may_end_discord_with_it(client: Client, person: People) -> None:
    bob = person("bob")
    bob.set_unusable_password()
    bob.save()
    linked(bob)
    client.force_login(bob)
    client.post(reverse("account_set_password"), {**NEW, "end_discord": "on"})
    bob.refresh_from_db()
    assert bob.check_password("new-swordfish-88")
    assert linked_user(DISCORD) is None


def test_who_shows_by_mail_who_they_are_keeps_nothing_that_may_be_anothers(
    client: Client, person: People
) -> None:
    bob = person("bob")
    here, _ = devices_of(bob)
    linked(bob)
    at(client, here)
    heard: list[tuple[int, str]] = []

    def hear(*, user_id: int, discord_id: str, **_more: Any) -> None:
        heard.append((user_id, discord_id))

    hooks.discord_unlinked.connect(hear)
    try:
        with committing():
            page = forgotten(client, bob)
    finally:
        hooks.discord_unlinked.disconnect(hear)
    assert "linked to it is not any more" in page.content.decode()
    assert not PushSubscription.objects.exists()
    assert linked_user(DISCORD) is None
    assert heard == [(bob.pk, DISCORD)]
    entry = AuditEntry.objects.get(action="user.unlink_discord")
    assert (entry.who, entry.data) == (bob, {"discord_id": DISCORD, "name": "nelly"})


def test_who_sets_a_first_password_by_mail_keeps_their_way_in(
    client: Client, person: People
) -> None:
    bob = person("bob")
    bob.set_unusable_password()
    bob.save()
    linked(bob)
    devices_of(bob)
    forgotten(client, bob)
    bob.refresh_from_db()
    assert bob.check_password("new-swordfish-88")
    assert linked_user(DISCORD) == bob
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize("usable", ["true", "false"])
def test_an_administrator_ends_it_as_well(
    admin_client: Client, person: People, usable: str
) -> None:
    bob = person("bob")
    devices_of(bob)
    linked(bob)
    path = f"/admin/accounts/user/{bob.pk}/password/"
    given = {"usable_password": usable, **({"unset-password": "1"} if usable == "false" else NEW)}
    assert admin_client.post(path, given).status_code == 302
    assert not PushSubscription.objects.exists()
    assert linked_user(DISCORD) is None
    noted = AuditEntry.objects.get(action="user.unlink_discord")
    assert noted.who is not None
    assert noted.who != bob


# -- second factors --------------------------------------------------------------------------------


def factors(user: User) -> list[str]:
    """The kinds of what somebody has."""
    return sorted(Authenticator.objects.filter(user=user).values_list("type", flat=True))


def with_all(user: User) -> tuple[str, str]:
    """Give somebody an app, a passkey and recovery codes: the app's secret, and a code."""
    secret = with_app(user)
    with_passkey(user)
    return secret, RecoveryCodes.activate(user).get_unused_codes()[0]


def removals() -> list[str]:
    """What the audit log has of factors that were removed."""
    entries = AuditEntry.objects.filter(action="user.second_factor_remove").order_by("pk")
    return [str((entry.data or {}).get("kind")) for entry in entries]


@pytest.mark.parametrize(
    ("ticked", "left", "gone", "letters"),
    [
        ([], ["recovery_codes", "totp", "webauthn"], [], []),
        (["end_passkeys"], ["recovery_codes", "totp"], ["webauthn"], ["A passkey was removed"]),
        (["end_apps"], ["recovery_codes", "webauthn"], ["totp"],
         ["An authenticator app was removed"]),
        (["end_passkeys", "end_apps"], [], ["webauthn", "totp", "recovery_codes"],
         ["A passkey was removed", "An authenticator app was removed"]),
    ],
)  # fmt: skip
def test_who_changes_it_may_remove_second_factors(
    client: Client, person: People, ticked: list[str], left: list[str], gone: list[str],
    letters: list[str],
) -> None:  # fmt: skip
    bob = with_confirmed_address(person("bob"))
    with_all(bob)
    with_passkey(eve := person("eve"))
    client.force_login(bob)
    page = client.get(reverse("account_change_password"))
    form = page.context["form"]
    assert [form.fields[name].label for name in ("end_passkeys", "end_apps")] == [
        "Remove my passkeys (1)", "Remove my authenticator app (1)",
    ]  # fmt: skip
    assert not any(form.fields[name].initial for name in ("end_passkeys", "end_apps"))
    with committing():
        client.post(
            reverse("account_change_password"),
            {"oldpassword": PASSWORD, **NEW, **dict.fromkeys(ticked, "on")},
        )
    bob.refresh_from_db()
    assert bob.check_password("new-swordfish-88")
    assert factors(bob) == left
    assert factors(eve) == ["webauthn"]
    assert removals() == gone
    told = [str(each.subject).removeprefix("[Gauntlet] ") for each in mail.outbox]
    assert [each for each in told if "removed" in each] == letters
    # Whoever sits there stays, and what is left is asked for as before.
    assert client.get(reverse("mfa_index")).status_code == 200


def test_a_wrong_old_password_removes_nothing(client: Client, person: People) -> None:
    with_all(bob := person("bob"))
    client.force_login(bob)
    given = {"oldpassword": "wrong-fish-11", **NEW, "end_passkeys": "on", "end_apps": "on"}
    client.post(reverse("account_change_password"), given)
    assert factors(bob) == ["recovery_codes", "totp", "webauthn"]


def test_by_mail_none_goes_that_nobody_asked_for(client: Client, person: People) -> None:
    with_all(bob := person("bob"))
    form = by_mail(client, bob).context["form"]
    assert form.fields["end_passkeys"].initial is False
    assert form.fields["end_apps"].initial is False
    forgotten(client, bob)
    bob.refresh_from_db()
    assert bob.check_password("new-swordfish-88")
    assert factors(bob) == ["recovery_codes", "totp", "webauthn"]


@pytest.mark.parametrize("code", ["", "000000", "x" * 500])
@pytest.mark.parametrize("box", ["end_passkeys", "end_apps"])
def test_mail_alone_leads_past_no_factor(
    client: Client, person: People, code: str, box: str
) -> None:
    with_all(bob := person("bob"))
    page = forgotten(client, bob, code=code, **{box: "on"})
    assert "code" in page.context["form"].errors
    bob.refresh_from_db()
    assert bob.check_password(PASSWORD)
    assert factors(bob) == ["recovery_codes", "totp", "webauthn"]


def test_too_many_codes_by_mail_are_answered_so(client: Client, person: People) -> None:
    """With no advice to reset the password, which is what is being done."""
    with_all(bob := person("bob"))
    form = by_mail(client, bob)
    given = {**NEW, "code": "000000", "end_apps": "on"}
    for _ in range(5):
        page = client.post(form.request["PATH_INFO"], given)
        assert page.status_code == 200
        assert "not right" in page.content.decode()
    page = client.post(form.request["PATH_INFO"], given)
    assert (page.status_code, page.headers["Retry-After"]) == (429, "300")
    assert "Too many wrong codes." in page.content.decode()
    assert "reset your password" not in page.content.decode()
    assert factors(bob) == ["recovery_codes", "totp", "webauthn"]


@pytest.mark.parametrize("shown", ["app", "recovery code"])
def test_by_mail_and_a_code_they_go(client: Client, person: People, shown: str) -> None:
    secret, code = with_all(bob := person("bob"))
    given = app_code(secret) if shown == "app" else code
    forgotten(client, bob, code=given, end_passkeys="on")
    bob.refresh_from_db()
    assert bob.check_password("new-swordfish-88")
    assert factors(bob) == ["recovery_codes", "totp"]
    assert removals() == ["webauthn"]
    used = AuditEntry.objects.filter(action="user.recovery_code_use").exists()
    assert used is (shown == "recovery code")


def test_a_code_is_not_used_up_for_a_password_that_is_not_good(
    client: Client, person: People
) -> None:
    _secret, code = with_all(bob := person("bob"))
    forgotten(client, bob, code=code, end_apps="on", password1="short", password2="short")
    forgotten(client, bob, code=code, end_apps="on")
    assert factors(bob) == ["recovery_codes", "webauthn"]


def test_who_could_show_no_code_is_told_what_to_do(client: Client, person: People) -> None:
    with_passkey(bob := person("bob"))
    page = by_mail(client, bob)
    assert not {"end_passkeys", "code"} & set(page.context["form"].fields)
    assert "turn to an administrator" in page.content.decode()
    forgotten(client, bob, end_passkeys="on", code="000000")
    assert factors(bob) == ["webauthn"]


def test_who_must_have_one_is_led_to_set_up_another(
    client: Client, settings: Any, person: People
) -> None:
    settings.GAUNTLET_SECOND_FACTOR_REQUIRED = True
    root = with_confirmed_address(person("root", is_staff=True, is_superuser=True))
    with_all(root)
    client.force_login(root)
    assert client.get("/admin/").status_code == 200
    given = {"oldpassword": PASSWORD, **NEW, "end_passkeys": "on", "end_apps": "on"}
    led = client.post(reverse("account_change_password"), given, follow=True)
    assert led.redirect_chain[-1][0] == INDEX
    assert "What you may do beyond others rests" in led.content.decode()
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == INDEX
    # They are not locked out: the new password signs them in, and one is set up.
    later(client)
    asked = client.get(APP)["Location"]
    client.post(asked, {"password": "new-swordfish-88", "next": APP})
    assert client.get(APP).status_code == 200
    with_app(root)
    assert client.get("/admin/").status_code == 200


def test_who_keeps_one_is_led_nowhere(client: Client, settings: Any, person: People) -> None:
    settings.GAUNTLET_SECOND_FACTOR_REQUIRED = True
    root = person("root", is_staff=True, is_superuser=True)
    with_all(root)
    client.force_login(root)
    given = {"oldpassword": PASSWORD, **NEW, "end_passkeys": "on"}
    led = client.post(reverse("account_change_password"), given)
    assert led["Location"] == reverse("account_change_password")


@pytest.mark.parametrize("letter", ["totp_activated", "webauthn_added"])
def test_the_letter_about_a_new_factor_says_what_helps(person: People, letter: str) -> None:
    bob = with_confirmed_address(person("bob"))
    with committing():
        owner_tell(bob, letter, of="mfa")
    body = str(mail.outbox[-1].body)
    # A new password by itself does not.
    assert "A new password alone leaves it there" in body
    for page in ("mfa_index", "account_reset_password", "accounts:sessions"):
        assert reverse(page) in body
    assert "turn to an administrator" in body
