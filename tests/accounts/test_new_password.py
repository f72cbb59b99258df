"""What a new password ends: whatever somebody else may hold of the account."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts import hooks
from accounts.announcing.devices import device_remember
from accounts.discord.services import discord_link, linked_user
from accounts.models import AuditEntry, DiscordLink, PushSubscription, User
from tests.accounts.conftest import PASSWORD
from tests.games.support import committing

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


def forgotten(client: Client, user: User) -> Any:
    """Have the password replaced with a mail's key; returns the page at the end."""
    client.post(reverse("account_reset_password"), {"email": user.email})
    found = re.search(r"http://testserver(/accounts/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    form = client.get(found[1], follow=True)
    return client.post(form.request["PATH_INFO"], NEW, follow=True)


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
