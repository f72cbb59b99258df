"""Every service does what it says, and every refusal changes nothing."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection

from accounts.models import AuditEntry, User
from accounts.roles import Role, has_role, is_moderator, is_organiser
from accounts.services import (
    role_grant,
    role_revoke,
    user_close,
    user_register,
    user_reopen,
    user_update_profile,
)
from core.refusals import Refusal

People = Callable[..., User]
Actions = Callable[[], list[str]]


def refused(code: str, service: Callable[..., Any], **arguments: Any) -> Refusal:
    """Call a service that must refuse with this code and a sentence."""
    with pytest.raises(Refusal) as caught:
        service(**arguments)
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")
    return caught.value


# --- Roles -----------------------------------------------------------------------------------


def test_roles(person: People) -> None:
    organiser = person("olga", Role.ORGANISER)
    moderator = person("mona", Role.MODERATOR)
    root = User.objects.create_superuser("ruth")
    assert (is_organiser(organiser), is_moderator(organiser)) == (True, False)
    assert (is_organiser(moderator), is_moderator(moderator)) == (False, True)
    assert (is_organiser(root), is_moderator(root)) == (True, True)
    assert not is_organiser(person("ada"))
    assert not is_organiser(AnonymousUser())
    assert not is_moderator(None)


def test_a_closed_account_has_no_role(person: People) -> None:
    organiser = person("olga", Role.ORGANISER, is_active=False)
    root = User.objects.create_superuser("ruth", is_active=False)
    assert not is_organiser(organiser)
    assert not is_moderator(root)


def test_asking_for_roles_again_costs_no_query(
    person: People, django_assert_num_queries: Any
) -> None:
    user = User.objects.get(pk=person("olga", Role.ORGANISER).pk)
    with django_assert_num_queries(1):
        assert [has_role(user, role) for role in Role] == [True, False]
        assert is_organiser(user)


@pytest.mark.django_db
def test_the_groups_exist_from_the_first_migration_on() -> None:
    from django.contrib.auth.models import Group

    assert set(Group.objects.values_list("name", flat=True)) >= {"organisers", "moderators"}


def test_administrators_give_and_take_roles(person: People, actions: Actions) -> None:
    root, user = User.objects.create_superuser("ruth"), person("ada")
    assert not is_organiser(user)
    role_grant(acting_user=root, user=user, role=Role.ORGANISER)
    assert is_organiser(user)
    role_revoke(acting_user=root, user=user, role=Role.ORGANISER)
    assert not is_organiser(user)
    assert actions() == ["user.grant_role", "user.revoke_role"]
    assert AuditEntry.objects.first().data == {"role": "organisers"}  # type: ignore[union-attr]


def test_refusals_of_roles(person: People, actions: Actions) -> None:
    root = User.objects.create_superuser("ruth")
    ada, olga = person("ada"), person("olga", Role.ORGANISER)
    closed = person("carl", is_active=False)
    for who in (ada, olga):
        for service in (role_grant, role_revoke):
            arguments = {"acting_user": who, "user": ada, "role": Role.ORGANISER}
            refused("account.not-administrator", service, **arguments)
    refused("account.role-held", role_grant, acting_user=root, user=olga, role=Role.ORGANISER)
    refused("account.role-not-held", role_revoke, acting_user=root, user=ada, role=Role.ORGANISER)
    refused("account.closed", role_grant, acting_user=root, user=closed, role=Role.ORGANISER)
    # Programs do not rule over people, and of a guest nobody knows who it is.
    for powerless in (person("robby", is_bot=True), person("gus", is_guest=True, email="")):
        for role in Role:
            refused("account.powerless", role_grant, acting_user=root, user=powerless, role=role)
    assert not is_organiser(ada)
    assert is_organiser(olga)
    assert actions() == []


# --- Registering -----------------------------------------------------------------------------


@pytest.mark.django_db
def test_registering(actions: Actions) -> None:
    user = user_register(
        username=" Ada ", email="Ada@Example.org", password="swordfish-77", display_name="Ada  L."
    )
    stored = User.objects.get()
    assert (stored.username, stored.email, stored.display_name) == (
        "ada",
        "ada@example.org",
        "Ada L.",
    )
    assert stored.check_password("swordfish-77")
    assert stored == user
    assert actions() == ["user.register"]


@pytest.mark.parametrize(
    ("code", "field", "given"),
    [
        ("username.taken", "username", {"username": "BOB"}),
        ("username.reserved", "username", {"username": "admin"}),
        ("username.characters", "username", {"username": "a da"}),
        ("min_length", "username", {"username": "a"}),
        ("max_length", "username", {"username": "a" * 21}),
        ("email.taken", "email", {"email": "Bob@example.org"}),
        ("invalid", "email", {"email": "nowhere"}),
        ("display-name.characters", "display_name", {"display_name": "a\u202eb"}),
        ("display-name.impersonates", "display_name", {"display_name": "Bob"}),
    ],
)
def test_refusals_of_registering(
    person: People, actions: Actions, code: str, field: str, given: dict[str, str]
) -> None:
    person("bob")
    wanted = {"username": "ada", "email": "ada@example.org", "password": "swordfish-77", **given}
    assert refused(code, user_register, **wanted).field == field
    assert User.objects.count() == 1
    assert actions() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("names", "addresses", "code"),
    [
        (("ada", "ada"), ("a@example.org", "b@example.org"), "username.taken"),
        (("ada", "eve"), ("a@example.org", "a@example.org"), "email.taken"),
    ],
)
def test_of_two_who_register_at_once_one_is_refused(
    names: tuple[str, str], addresses: tuple[str, str], code: str
) -> None:
    barrier, outcomes = Barrier(2), []

    def register(name: str, address: str) -> None:
        barrier.wait(timeout=60)
        try:
            user_register(username=name, email=address, password="swordfish-77")
            outcomes.append("registered")
        except Refusal as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    threads = [Thread(target=register, args=pair) for pair in zip(names, addresses, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(outcomes) == sorted(["registered", code])
    assert User.objects.count() == 1
    assert AuditEntry.objects.count() == 1


# --- Profiles --------------------------------------------------------------------------------


def test_updating_ones_profile(person: People, actions: Actions) -> None:
    user = person("ada")
    changed = user_update_profile(
        acting_user=user,
        user=user,
        display_name="  Ada   Lovelace ",
        time_zone="Europe/Zurich",
        sound_muted=True,
        theme="dark",
    )
    stored = User.objects.get()
    for one in (changed, stored):
        assert one.display_name == "Ada Lovelace"
        assert (one.time_zone, one.sound_muted, one.theme) == ("Europe/Zurich", True, "dark")
    assert actions() == ["user.update_profile"]
    data = AuditEntry.objects.get().data
    assert data["theme"] == {"from": "auto", "to": "dark"}
    assert set(data) == {"display_name", "time_zone", "sound_muted", "theme"}


def test_what_is_not_given_stays_and_no_change_leaves_no_trace(
    person: People, actions: Actions
) -> None:
    user = person("ada", theme="dark", display_name="Ada L.")
    user_update_profile(acting_user=user, user=user, theme="dark")
    assert actions() == []
    user_update_profile(acting_user=user, user=user, sound_muted=True)
    stored = User.objects.get()
    assert (stored.theme, stored.display_name, stored.sound_muted) == ("dark", "Ada L.", True)


def test_moderators_may_correct_a_profile(person: People) -> None:
    user = person("ada", display_name="Something rude")
    moderator = person("mona", Role.MODERATOR)
    user_update_profile(acting_user=moderator, user=user, display_name="")
    assert User.objects.get(pk=user.pk).display_name == ""
    assert AuditEntry.objects.get().who == moderator


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("display-name.characters", {"display_name": "zero\u200bwidth"}),
        ("display-name.characters", {"display_name": "bell\x07"}),
        ("display-name.characters", {"display_name": "z\u0300\u0301\u0302algo"}),
        ("display-name.empty", {"display_name": "!?"}),
        ("max_length", {"display_name": "a" * 31}),
        ("display-name.impersonates", {"display_name": "BOB"}),
        ("time-zone.unknown", {"time_zone": "Mars/Olympus"}),
        ("invalid_choice", {"theme": "pink"}),
    ],
)
def test_refusals_of_a_profile(
    person: People, actions: Actions, code: str, given: dict[str, str]
) -> None:
    person("bob")
    user = person("ada", display_name="Ada", time_zone="UTC", theme="light")
    good = {"sound_muted": True}
    refusal = refused(code, user_update_profile, acting_user=user, user=user, **good, **given)
    assert refusal.field == next(iter(given))
    stored = User.objects.get(username="ada")
    assert (stored.display_name, stored.time_zone, stored.theme) == ("Ada", "UTC", "light")
    assert not stored.sound_muted
    assert actions() == []


def test_nobody_else_changes_a_profile(person: People, actions: Actions) -> None:
    user = person("ada")
    for other in (person("eve"), person("olga", Role.ORGANISER)):
        refused(
            "account.not-yours", user_update_profile, acting_user=other, user=user, theme="dark"
        )
    assert User.objects.get(username="ada").theme == "auto"
    assert actions() == []


def test_one_may_show_ones_own_username_in_other_letters(person: People) -> None:
    user = person("ada")
    user_update_profile(acting_user=user, user=user, display_name="ADA")
    assert User.objects.get().display_name == "ADA"


# --- Closing accounts ------------------------------------------------------------------------


def test_moderators_close_and_reopen_accounts(person: People, actions: Actions) -> None:
    moderator, user = person("mona", Role.MODERATOR), person("ada")
    user_close(acting_user=moderator, user=user, reason=" abuse ")
    assert not User.objects.get(username="ada").is_active
    assert AuditEntry.objects.get().data == {"reason": "abuse"}
    user_reopen(acting_user=moderator, user=user, reason="appeal")
    assert User.objects.get(username="ada").is_active
    assert actions() == ["user.close", "user.reopen"]


def test_refusals_of_closing(person: People, actions: Actions) -> None:
    moderator, other = person("mona", Role.MODERATOR), person("moss", Role.MODERATOR)
    ada, closed = person("ada"), person("carl", is_active=False)
    root = User.objects.create_superuser("ruth")
    why = {"reason": "abuse"}
    for service in (user_close, user_reopen):
        refused("account.not-moderator", service, acting_user=ada, user=moderator, **why)
        refused("account.own-account", service, acting_user=moderator, user=moderator, **why)
        refused("account.protected", service, acting_user=moderator, user=other, **why)
        refused("account.protected", service, acting_user=moderator, user=root, **why)
        missing = refused(
            "account.reason-missing", service, acting_user=moderator, user=ada, reason=" "
        )
        assert missing.field == "reason"
    refused("account.closed", user_close, acting_user=moderator, user=closed, **why)
    refused("account.open", user_reopen, acting_user=moderator, user=ada, **why)
    assert set(User.objects.filter(is_active=False)) == {closed}
    assert actions() == []
    # An administrator may do to a moderator what moderators may not do to each other.
    user_close(acting_user=root, user=other, reason="abuse")
    assert actions() == ["user.close"]
