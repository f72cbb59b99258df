"""Names that would pass for somebody else's. A usual run has each word in one disguise or two, and
some words in each; only a whole one has each word in each."""
# ruff: noqa: RUF001  (that is what this is about)

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from accounts.names import confusables, letters, words
from accounts.names.impostors import users_looking_like
from accounts.names.validators import RESERVED_USERNAMES
from accounts.roles import Role
from accounts.services import role_grant, user_register, user_update_profile
from core.refusals import Refusal
from tests.accounts.disguises import DIGITS, accepted, disguised, written

People = Callable[..., User]

OFFICIAL = (
    "Moderator", "moderator", "MODERATOR", "Admin", "admin", "Administrator", "Organiser",
    "Organizer", "Staff", "Mod", "Referee", "Support", "Gauntlet Staff", "The Moderator",
    "Moderator Bob", "Bob (Admin)", "Bob_Mod", "Site-Admin", "Admin1", "1Admin", "Moderator 2",
    "M o d e r a t o r", "A.d.m.i.n", "ModeratorBob", "xXModeratorXx", "M0derator", "Adm1n",
    "Admln", "AdmIn", "@dmin", "Mod3r4tor", "rnoderator", "Rnod", "$taff",
    # Cyrillic, Greek, mathematical, full-width and accented letters, small capitals.
    "\u041c\u043ederator", "Аdmin", "Аdmіn", "Ѕtaff", "\u039coderator", "𝐌𝐨𝐝𝐞𝐫𝐚𝐭𝐨𝐫", "𝓐𝓭𝓶𝓲𝓷",
    # With letters that only say how others are spoken, and marks that look like letters.
    "Ad\u02bcmin", "Mod\u0640erator", "Moder\u1e9ator", "Moder\u02d1ator", "Moderator\u02bc",
    "M\u0d02derator", "Adm\u037an", "Adm\u02dbn", "M\u0366derator",
    # With hooks, strokes and tails, turned, open, and in boxes.
    "Aɗmin", "Ađmin", "Adɱin", "Admɨn", "🅰dmin", "Møderator", "Mođerator", "Modeɾator", "Moɖerator",
    "ⱮOD", "Stɐff", "Rɛfɛrɛɛ",
    # Several words in one, and in other alphabets.
    "ModTeam", "AdminTeam", "TheMod", "Superadmin", "xXAdminXx", "XxModxX", "管理员", "アドミン",
    "Ａｄｍｉｎ", "Ádmin", "Modérator", "Mo\u0308derator", "ᴀdmin", "Ⓐⓓⓜⓘⓝ", "Moԁerator", "аԁmіn",
    # Numbers beside digits that are meant for letters.
    "4dmin1", "4dmin5", "4dmin2024", "5taff1", "0wner2", "5upport5", "Refere3", "1mod1",
    "m0d3rat0r5",
    # Signs and letters that nobody would list: the others tell what they are meant for.
    "Ad₥in", "₥oderator", "Mo₫", "Aðmin", "Admiŋ", "Adʍin", "Adm¡n", "§taff", "M⊙d", "M◯d", "M⭕d",
    "M°d", "∀dmin", "TheM⊙d", "mod⊙rators", "bob₳dmin", "M ⊙ d", "Mod€rator", "M口d", "Site ⊙wner",
    # A "d" in two, and fancy letters from other scripts.
    "Aclmin", "aclmin", "rnocl", "ᗩᗪᗰIᑎ", "ᔕTᗩᖴᖴ", "ᗰOᗪEᖇᗩTOᖇ",
    # Roles that a word begins or ends with, and claims around one.
    "bobadmin", "headadmin", "siteadmin", "siteadm1n", "adminbob", "xxadminxx", "officialbob",
    "chiefmoderator", "techsupport", "Madmin", "headmod", "themod", "gamestaff", "MODBob", "GMBob",
    "Bob2Mod", "админвова",
    "Адмін", "管理", "運営", "運営太郎", "システム", "Yönetici", "Ylläpito", "GM", "Gamemaster",
    "game master", "The Game Master", "GM Bob", "xxgmxx",
    # Signs that are letters, and words upside down.
    "🅼🅾🅳 Bob", "⒨⒪⒟ Bob", "🇲🇴🇩 Bob", "[🅼🅾🅳] Bob", "🅶🅼 Bob", "🄼🄾🄳 7", "M🅾D", "🅜🅞🅓 2",
    "🅰️🅳🅼🅸🅽 7", "uᴉɯpɐ", "poɯ", "qoᗺ ɹoʇɐɹǝpoɯ",
    # In other languages, and titles of those who run tournaments.
    "Модерация", "Мод Боб", "אדמין", "어드민", "アドミニストレーター", "あどみん", "Арбитр", "مشرف",
    "מודרטור", "एडमिन", "แอดมิน", "ადმინისტრატორი", "Head Judge", "Umpire", "Chief Ref",
    "Tournament Director", "HeadJudge", "tournament_director 2",
)  # fmt: skip
HARMLESS = (
    "Ada", "Ben", "Badminton Fan", "Modesty", "Maud", "Bernard", "Olga", "Mo", "Modem",
    "Supporter", "Stafford", "Анна", "Δημήτρης", "ひろゆき", "김민수", "محمد", "O'Neil", "Player 1",
    "Ada 2", "Joe Root", "Ana ❤️", "Señor Ñandú", "Anders Ødegård", "Ada & Ben", "Roman",
    "Ali", "Neil", "Mali", "Søren", "Đorđe", "Łukasz", "McDonald", "ModernArt", "xXAdaXx", "Max",
    "José", "Иван", "李小龍", "Guðrún", "Ke$ha", "A$AP Rocky", "Anna ★", "Team Ada", "Clara",
    "Jörg", "Þór", "Mahmod", "Modern", "Модест", "Модерн", "Моя Игра", "Wagstaff", "Downer",
    "Supermodel", "Mo★", "Mo!", "~Mo~", "M&M", "R&D", "Gmail", "Dagmar", "김민수Kim", "田中Taro",
    "Kaʻiulani", "Straße", "Ada+Ben", "¡Hola!", "The One", "Head First", "EGMont", "Wıktor",
    "4ever", "2024",
    "Hugh Gauntlett", "Oficialdegui", "管理华", "심판호", "Aaron Judge", "Ana 🇩🇪", "Bob 🇬🇲",
    "Ana 🇩🇪🇫🇷", "Kofi Ɔwusu", "Refik", "मीना", "Bob 🅱️", "김심판", "Модена",
)  # fmt: skip
INVISIBLE = (
    "A\u200bda", "A\u00adda", "\u202eada", "A\u2060da", "\u3164", "A\u3164da", "Ada\uffa0",
    "A\u034fda", "A\u115fda", "A\u180bda", "Ada\ufe0f", "Ada\u2800", "A\U000e0101da", "A\ufeffda",
    "A\u17b4da", "\u2066Ada", "A\U000e0041da",
)  # fmt: skip


def test_what_looks_official() -> None:
    assert [each for each in OFFICIAL if not confusables.looks_official(each)] == []
    assert [each for each in HARMLESS if confusables.looks_official(each)] == []


def test_what_cannot_be_seen() -> None:
    assert not any(map(letters.hides_something, HARMLESS))


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
        "Ｍaximilian", "Keeρer", "K e e p e r", "ĸeeper", "K⊙eper", "keeper1", "K33per 2",
        "Real Keeper", "theKeeper", "thekeeper", "The Keeper", "The real Keeper 2", "xXKeeperXx",
        "Kee₱er★", "olga1", "Real Olga", "The Olga Orlova",
    ):  # fmt: skip
        with pytest.raises(Refusal) as caught:
            user_update_profile(acting_user=user, user=user, display_name=given)
        assert caught.value.code == "display-name.impersonates", given
    # Others may have the same first name.
    others = ("Olga Petrova", "Max", "Keepers", "Goalkeeper", "The Game", "Maximilian Power")
    for given in (*others, "Keeper of Games"):
        user_update_profile(acting_user=user, user=user, display_name=given)
    # One's own name is one's own.
    user_update_profile(acting_user=olga, user=olga, display_name="OLGA")


@pytest.mark.django_db
def test_names_of_staff_in_signs_upside_down_and_in_the_other_kana(person: People) -> None:
    root = person("root", is_superuser=True)
    for username, shown in (
        ("max", "Max"),
        ("olga", "Olga"),
        ("taiki", "たいき"),
        ("meena", "मीना"),
    ):
        bearer = person(username, display_name=shown)
        role_grant(acting_user=root, user=bearer, role=Role.ORGANISER)
    user = person("zuzana")
    person("ada")
    assert (
        accepted(user, ["🅼🅰🆇 1", "🅰🅳🅰 1", "🇦🇩🇦 7", "ɐƃlo", "タイキ", "ﾀｲｷ", "मीना", "मीना 2"]) == []
    )
    # Marks that make another syllable make another name.
    others = ["だいき", "ダイキ", "मोना", "मनु", "मान", "🅱 Bob"]
    assert accepted(user, others) == others


@pytest.mark.django_db
def test_a_small_i_is_no_l(person: People) -> None:
    root = person("root", is_superuser=True)
    role_grant(acting_user=root, user=person("ella", display_name="Ella"), role=Role.ORGANISER)
    person("nell"), person("irina"), person("lan")
    user = person("zuzana")
    others = ["Neil", "Elia", "Eila", "NEIL", "neil", "The Eila", "Lrina Z"]
    assert accepted(user, others) == others
    passing = [
        "NeIl", "EIla", "E1la", "El|a", "elIa", "The EIla", "lrina", "lRlNA", "Ir1na", "Ian", "1an",
    ]  # fmt: skip
    assert accepted(user, passing) == []


@pytest.mark.django_db
def test_a_short_name_of_staff_is_theirs_as_a_whole_only(person: People) -> None:
    max_ = person("max", display_name="Max")
    role_grant(acting_user=person("root", is_superuser=True), user=max_, role=Role.MODERATOR)
    user = person("ada")
    assert accepted(user, ["Max", "Мах", "мах", "M⊙x", "Mаx"]) == []
    for given in ("Max Power", "Maxi", "The Max", "Mad Max 2"):
        assert user_update_profile(acting_user=user, user=user, display_name=given).display_name


@pytest.mark.django_db
def test_one_s_own_username_may_have_a_name_of_staff_in_it(person: People) -> None:
    """It stands there without a display name as well; the page to register has judged it."""
    person("keeper", is_superuser=True)
    user = person("keeper-2")
    assert accepted(user, ["Keeper-2", "Real Keeper"]) == ["Keeper-2"]


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
        *("4dmin1", "5taff1", "0wner2", "5upport5", "aclmin", "siteadm1n", "bobadmin"),
        *("adminbob", "xxadminxx", "officialbob", "chiefmoderator", "game-master", "gm-bob"),
    ):
        with pytest.raises(Refusal) as caught:
            user_register(username=given, email=f"{given}@example.org", password="x" * 12)
        assert caught.value.code == "username.reserved", given
    assert not User.objects.exists()
    for given in (
        "anna-54351730",
        "bert-5173",
        "badminton",
        "modest",
        "stafford",
        "ali",
        "mahmod",
        "supporter",
        "wagstaff",
    ):
        user_register(username=given, email=f"{given}@example.org", password="x" * 12)


@pytest.mark.django_db
def test_a_username_is_not_that_of_staff_in_disguise(person: People, client: Client) -> None:
    root = User.objects.create_superuser("root")
    role_grant(acting_user=root, user=person("keeper"), role=Role.MODERATOR)
    person("max")  # who has no role, and whose name others may be near
    for given in (
        *("k33per", "kee-per", "keeper_", "keeper-", "keeper1", "thekeeper"),
        *("realkeeper2", "the_real_keeper"),
    ):
        twice = {"password1": "swordfish-77", "password2": "swordfish-77"}
        form = {"username": given, "email": f"{given}@example.org", **twice}
        answer = client.post("/accounts/signup/", form)
        assert "would pass for somebody else" in answer.content.decode(), given
        assert not User.objects.filter(username=given).exists()
    for given in ("superadmin", "modteam", "adminteam"):
        with pytest.raises(Refusal) as caught:
            user_register(username=given, email=f"{given}@example.org", password="x" * 12)
        assert caught.value.code == "username.reserved", given
    with pytest.raises(Refusal) as caught:
        user_register(username="keeper", email="other@example.org", password="x" * 12)
    assert caught.value.code == "username.taken"
    user_register(username="keepers2", email="keepers@example.org", password="x" * 12)


@pytest.mark.django_db
def test_a_new_username_does_not_look_like_another_s(person: People, client: Client) -> None:
    """Whatever disguise of it can be registered; one that merely has another's in it can be."""
    names = ["sarah", "neil", "maximilian", "a-team", "bob7"]
    for name in names:
        person(name, display_name="Somebody")
    made = {
        "sarah_", "n3il", "-neil-", "s4r4h", "5arah", "ne1l", "max1m1l1an", "rnaximilian", "ateam",
        "a_t3am", "b0b7", "bob-7", "s-a-r-a-h",
        *(each for each in disguised(names) if re.fullmatch(r"[a-z0-9_-]{3,20}", each)),
    } - set(names)  # fmt: skip
    for given in sorted(made):
        assert sign_up(client, given) == [
            "This username would pass for somebody else's. Please choose another."
        ], given
    assert User.objects.count() == len(names)
    for given in ("sarah2", "sarah-k", "neill", "nell", "theneil", "bob", "bob77", "tea"):
        assert sign_up(client, given) == [], given
    # Who has such a name keeps it.
    twin = person("neil-")
    user_update_profile(acting_user=twin, user=twin, theme="dark")


def sign_up(client: Client, username: str) -> list[str]:
    """What the form says of a username; nothing where there is an account with it now."""
    cache.clear()  # tries are counted
    twice = {"password1": "swordfish-77", "password2": "swordfish-77"}
    answer = client.post(
        "/accounts/signup/", {"username": username, "email": f"{username}@example.org", **twice}
    )
    client.logout()
    if answer.status_code == 302:
        assert User.objects.filter(username=username).exists()
        return []
    return list(answer.context["form"].errors["username"])


# -- every name, in every disguise ---------------------------------------------------------------


@pytest.mark.django_db
def test_no_disguise_of_a_reserved_word_passes(person: People) -> None:
    user = person("zuzana")
    reserved = sorted(RESERVED_USERNAMES | words.ROLES)
    # Taken apart, short words that are no roles are names: Horne is not "home".
    given = set(disguised(reserved)) - {
        each.replace(one, two)
        for each in RESERVED_USERNAMES - words.ROLES
        for one, two in (("m", "rn"), ("w", "vv"))
        if len(each) < words.LONG and one in each
    }
    assert accepted(user, sorted(given)) == []
    user.refresh_from_db()
    assert user.display_name == ""


@pytest.mark.django_db
def test_no_disguise_of_a_role_passes_as_a_word_among_others(person: People) -> None:
    roles = sorted(words.ROLES)
    given = [f"{word} Bob" for word in roles] + [f"The {word}" for word in disguised(roles)
                                                 if not {" ", ".", "_"} & set(word)]  # fmt: skip
    given += [f"{written(DIGITS, word)}{number}" for word in roles for number in ("", 1, 2024)]
    ends = [word for word in roles if len(word) > words.LONG and word not in words.NOT_AFTER]
    given += [f"bob{word}" for word in ends]
    assert accepted(person("zuzana"), [each for each in given if len(each) <= 30]) == []


@pytest.mark.django_db
def test_no_disguise_of_another_player_s_username_passes(person: People) -> None:
    usernames = ["ada", "bob", "maximilian", "xavier_w", "nemo-1", "will", "irina", "a-team"]
    for name in usernames:
        person(name)
    for own in ("ada", "zuzana"):
        user = User.objects.filter(username=own).first() or person(own)
        others = [name for name in usernames if name != own]
        assert accepted(user, disguised(others)) == [], own
    # The database has the same skeletons.
    for name in usernames:
        ours = User.objects.get(username=name)
        assert [*users_looking_like([confusables.skeleton(name)])] == [ours]


@pytest.mark.django_db
def test_names_that_were_found_to_pass(person: People) -> None:
    person("ada"), person("bob")
    found = [
        "Gauntlet Team", "Site owner", "Modérateur", "\u0391da", "B\u043eb", "Ada\u0301", "Adá",
        "GauntletTeam", "The Gauntlet", "xX_Gauntlet_Xx", "Official Bob", "Modératrice",
        "Модератор", "Администратор", "Διαχειριστής", "Administrateur", "SiteOwner", "Game Support",
    ]  # fmt: skip
    assert accepted(person("zuzana"), found) == []


@pytest.mark.django_db
def test_words_of_two_scripts(person: People) -> None:
    user = person("zuzana")
    mixed = [
        "Pаvel", "Zоltán", "Сhris", "Υanni", "Xρόνης", "Иvan", "Ωmega", "Joe Bаker", "Kаte 2",
        "Zo\u0308\u0435", "Q\u0301я", "Ваsil-Smith", "Анnа", "Ζoe", "Տam",
    ]  # fmt: skip
    for each in mixed:
        with pytest.raises(Refusal) as caught:
            user_update_profile(acting_user=user, user=user, display_name=each)
        assert caught.value.code == "display-name.mixed-scripts", each
    for each in (
        "Αλέξανδρος", "Иван", "Анна", "Иван Ivan", "Anna (Анна)", "José", "Zoë", "Łukasz", "Søren",
        "Ольга Петрова", "Ёжик", "Χρήστος", "משה", "ひろゆきカナ", "김민수Kim", "田中Taro", "Ada 2",
        "Նարեկ", "ნინო", "สมชาย", "Đặng Thị", "Ifeọma", "Øyvind", "François", "Kim-Иван",
        "Lina\u0308", "Юлія", "Стефан 7",
    ):  # fmt: skip
        changed = user_update_profile(acting_user=user, user=user, display_name=each)
        assert changed.display_name == unicodedata.normalize("NFC", each)


@pytest.mark.django_db
def test_one_s_own_username_is_one_s_own(person: People) -> None:
    """However much another's looks like it: it stands there without a display name as well."""
    person("max-1")
    user = user_register(
        username="Max1", email="max@example.org", password="x" * 12, display_name="Max1"
    )
    assert user.shown_name == "Max1"
    assert accepted(user, ["Max 1", "Mаx1"]) == []


@pytest.mark.django_db
def test_the_admin_site_refuses_them_too(person: People, client: Client) -> None:
    root, user = person("keeper", is_superuser=True, is_staff=True), person("zuzana")
    person("ada")
    client.force_login(root)
    address = f"/admin/accounts/user/{user.pk}/change/"
    form = client.get(address).context["adminform"].form
    kept = {name: form.initial.get(name) or "" for name in ("email", "time_zone", "theme")}
    for given in ("Αda", "Gauntlet Team", "Modérateur", "Pаvel", "A\u0301da"):
        answer = client.post(address, {**kept, "display_name": given, "is_active": "on"})
        assert answer.status_code == 200
        [error] = answer.context["adminform"].form.errors["display_name"]
        assert error.endswith(".")
        user.refresh_from_db()
        assert user.display_name == ""
    answer = client.post(address, {**kept, "display_name": "  Zuzana   Nová ", "is_active": "on"})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    user.refresh_from_db()
    assert user.display_name == "Zuzana Nová"
    # What was there before stands in the way of no other change.
    User.objects.filter(pk=user.pk).update(display_name="Gauntlet Team")
    answer = client.post(
        address, {**kept, "display_name": "Gauntlet Team", "is_active": "on", "theme": "dark"}
    )
    assert answer.status_code == 302, answer.context["adminform"].form.errors


@pytest.mark.django_db
def test_registration_refuses_them_too(person: People) -> None:
    person("ada")
    for given in ("Αda", "Gauntlet Team", "Modérateur", "Pаvel"):
        with pytest.raises(Refusal) as caught:
            user_register(
                username="zuzana", email="z@example.org", password="x" * 12, display_name=given
            )
        assert caught.value.field == "display_name"
    assert not User.objects.filter(username="zuzana").exists()


@pytest.mark.django_db
def test_the_page_to_register_says_so(person: People, client: Client) -> None:
    """A username typed with capitals becomes the display name as well."""
    person("keeper", is_superuser=True, display_name="Olga")
    form = {
        "email": "olga@example.org",
        "password1": "Steep-violet-7",
        "password2": "Steep-violet-7",
    }
    answer = client.post("/accounts/signup/", {**form, "username": "Olga"})
    assert answer.status_code == 200
    assert "would pass for somebody else" in answer.content.decode()
    assert not User.objects.filter(username="olga").exists()
    # One that looks like a display name only keeps nobody from theirs.
    person("max-1", display_name="Maxine")
    assert client.post("/accounts/signup/", {**form, "username": "Maxine"}).status_code == 302
    assert User.objects.get(username="maxine").display_name == "Maxine"
