"""Names that would pass for somebody else's."""
# ruff: noqa: RUF001  (that is what this is about)

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts import names
from accounts.models import User
from accounts.roles import Role
from accounts.services import Refusal, role_grant, user_register, user_update_profile

People = Callable[..., User]

OFFICIAL = (
    "Moderator", "moderator", "MODERATOR", "Admin", "admin", "Administrator", "Organiser",
    "Organizer", "Staff", "Mod", "Referee", "Support", "Gauntlet Staff", "The Moderator",
    "Moderator Bob", "Bob (Admin)", "Bob_Mod", "Site-Admin", "Admin1", "1Admin", "Moderator 2",
    "M o d e r a t o r", "A.d.m.i.n", "ModeratorBob", "xXModeratorXx", "M0derator", "Adm1n",
    "Admln", "AdmIn", "@dmin", "Mod3r4tor", "rnoderator", "Rnod", "$taff",
    # Cyrillic, Greek, mathematical, full-width and accented letters, small capitals.
    "\u041c\u043ederator", "Аdmin", "Аdmіn", "Ѕtaff", "\u039coderator", "𝐌𝐨𝐝𝐞𝐫𝐚𝐭𝐨𝐫", "𝓐𝓭𝓶𝓲𝓷",
    "Ａｄｍｉｎ", "Ádmin", "Modérator", "Mo\u0308derator", "ᴀdmin", "Ⓐⓓⓜⓘⓝ", "Moԁerator", "аԁmіn",
)  # fmt: skip
HARMLESS = (
    "Ada", "Ben", "Badminton Fan", "Modesty", "Maud", "Madmin", "Bernard", "Olga", "Mo", "Modem",
    "Supporter", "Stafford", "Анна", "Δημήτρης", "ひろゆき", "김민수", "محمد", "O'Neil", "Player 1",
    "Ada 2", "Joe Root", "Ana ❤️", "Señor Ñandú", "Anders Ødegård", "Ada & Ben", "Roman",
)  # fmt: skip
INVISIBLE = (
    "A\u200bda", "A\u00adda", "\u202eada", "A\u2060da", "\u3164", "A\u3164da", "Ada\uffa0",
    "A\u034fda", "A\u115fda", "A\u180bda", "Ada\ufe0f", "Ada\u2800", "A\U000e0101da", "A\ufeffda",
    "A\u17b4da", "\u2066Ada", "A\U000e0041da",
)  # fmt: skip


def test_what_looks_official() -> None:
    assert [each for each in OFFICIAL if not names.looks_official(each)] == []
    assert [each for each in HARMLESS if names.looks_official(each)] == []


def test_what_cannot_be_seen() -> None:
    assert not any(map(names.hides_something, HARMLESS))


@pytest.mark.django_db
def test_display_names_are_judged_when_they_change(person: People) -> None:
    user = person("ada", display_name="Moderator")  # from before
    assert user_update_profile(acting_user=user, user=user, theme="dark").display_name
    assert user_update_profile(acting_user=user, user=user, display_name="Moderator").display_name
    for given, code in (
        *((each, "display-name.impersonates") for each in OFFICIAL),
        *((each, "display-name.characters") for each in INVISIBLE),
        ("Gauntlet", "display-name.impersonates"),
        ("G4untlet", "display-name.impersonates"),
    ):
        if given in ("Moderator", "Ⓐⓓⓜⓘⓝ"):  # what it is; and signs, which no name is made of
            continue
        with pytest.raises(Refusal) as caught:
            user_update_profile(acting_user=user, user=user, display_name=given)
        assert (caught.value.code, caught.value.field) == (code, "display_name"), given
        assert caught.value.sentence
    user.refresh_from_db()
    assert user.display_name == "Moderator"
    for given in HARMLESS:
        changed = user_update_profile(acting_user=user, user=user, display_name=given)
        assert changed.display_name
    root = person("root", is_superuser=True)
    user_update_profile(acting_user=root, user=root, display_name="Administrator")


@pytest.mark.django_db
def test_nobody_looks_like_those_who_run_the_site(person: People) -> None:
    root = person("keeper", is_superuser=True)
    olga, max_ = person("olga", display_name="Olga Orlova"), person("maximilian")
    role_grant(acting_user=root, user=olga, role=Role.ORGANISER)
    role_grant(acting_user=root, user=max_, role=Role.MODERATOR)
    user = person("ada")
    for given in (
        "OIga", "0lga", "Оlga", "olga orlova", "OlgaOrlova", "Olga 0rlova", "Maximi1ian",
        "Ｍaximilian", "Keeρer", "K e e p e r",
    ):  # fmt: skip
        with pytest.raises(Refusal) as caught:
            user_update_profile(acting_user=user, user=user, display_name=given)
        assert caught.value.code == "display-name.impersonates", given
    for given in ("Olga Petrova", "Max", "Keepers"):
        user_update_profile(acting_user=user, user=user, display_name=given)
    # One's own name is one's own.
    user_update_profile(acting_user=olga, user=olga, display_name="OLGA")


@pytest.mark.django_db
def test_usernames_too() -> None:
    for given in (
        "m0derator",
        "rnoderator",
        "adm1n",
        "the-admin",
        "mod_bob",
        "admin2",
        "0rganiser",
    ):
        with pytest.raises(Refusal) as caught:
            user_register(username=given, email=f"{given}@example.org", password="x" * 12)
        assert caught.value.code == "username.reserved", given
    assert not User.objects.exists()
    for given in ("badminton", "modest", "stafford"):
        user_register(username=given, email=f"{given}@example.org", password="x" * 12)
