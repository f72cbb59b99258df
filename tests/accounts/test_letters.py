"""Names in letters that pass for others, and in letters that are what they look like."""
# ruff: noqa: RUF001  (that is what this is about)

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError

from accounts.models import User
from accounts.names import confusables, words
from accounts.names.validators import validate_display_name, validate_not_reserved
from accounts.roles import Role
from accounts.services import role_grant
from tests.accounts.disguises import accepted, once, written

People = Callable[..., User]

PLAIN = "abcdefghijklmnopqrstuvwxyz"
# By who makes fancy text; spaces stand for letters that they leave as they are.
FANCY = {
    "turned": "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz",
    "turned capitals": "∀ᗺƆᗡƎℲ⅁HIſʞ˥WNOԀQᴚS⊥∩ΛMX⅄Z",
    "turned Lisu": "ꓯꓭꓛꓷꓱꓞꓨHIꓩꓘꓶWNOꓒQꓤSꓕꓵꓥMXYZ",
    "Chinese": "卂乃匚ᗪ乇千Ꮆ卄丨ﾌҜㄥ爪几ㄖ卩Ɋ尺丂ㄒㄩᐯ山乂ㄚ乙",
    "Japanese": "ﾑ乃ᄃり乇ｷムんﾉﾌズﾚﾶ刀のｱゐ尺丂ｲひ√Wﾒﾘ乙",
    "Cherokee": "ᏗᏰፈᎴᏋᎦᎶᏂᎥᏠᏦᏝᎷᏁᎧᎮᎤᏒᏕᏖᏬᏉᏇጀᎩፚ",
    "Cherokee capitals": "ᎪᏴᏟᎠᎬFᏀᎻᏆᎫᏦᏞᎷNᎾᏢQᏒᏚᎢUᏙᎳXᎽᏃ",
    "Thai": "ค๒ς๔єŦﻮђเןкl๓ภ๏קqгรՇยשฬאץչ",
    "Yi": "ꍏꌃꉓꀸꍟꎇꁅꃅꀤꀭꀘ꒒ꂵꈤꂦꉣꆰꋪꌗ꓄ꀎᐯꅏꊼꌩꁴ",
}
ABOVE = {
    "Latin": dict(zip("aeioucdhmrtvx", map(chr, range(0x363, 0x370)), strict=True)),
    "Latin, more": dict(zip("gklnrsz", "\u1dda\u1ddc\u1ddd\u1de0\u1dca\u1de4\u1de6", strict=True)),
    "Cyrillic": dict(zip("pcoea", "\u2dec\u2ded\u2dea\u2df7\u2df6", strict=True)),
}


def fancy(maker: str, word: str) -> str:
    made = word.translate(dict(zip(map(ord, PLAIN), FANCY[maker], strict=True)))
    return made[::-1] if maker.startswith("turned") else made


LATIN_ROLES = sorted(each for each in words.ROLES if re.fullmatch("[a-z]{3,}", each))


@pytest.mark.parametrize("maker", FANCY)
def test_no_role_passes_in_letters_of_makers_of_fancy_text(maker: str) -> None:
    made = [fancy(maker, word) for word in LATIN_ROLES]
    given = [*made, *(f"{each} Bob" for each in made)]
    assert [each for each in given if not confusables.looks_official(each)] == []


@pytest.mark.parametrize("script", ABOVE)
def test_no_role_passes_with_letters_above_others(script: str) -> None:
    table = ABOVE[script]
    made = [
        word[:place] + table[letter] + word[place + 1 :]
        for word in LATIN_ROLES
        for place, letter in enumerate(word)
        if letter in table
    ]
    assert len(made) > len(LATIN_ROLES) / 2
    given = [*made, *(f"{each} Bob" for each in made)]
    assert [each for each in given if not confusables.looks_official(each)] == []


def test_no_role_passes_with_letters_that_are_two() -> None:
    tables = ({"d": "ǆ", "l": "ǉ", "n": "ǌ", "s": "ß"}, {"d": "ǅ"}, {"d": "ʣ", "t": "ʦ"})
    made = {once(table, word) for table in tables for word in LATIN_ROLES} - set(LATIN_ROLES)
    assert [each for each in made if not confusables.looks_official(each)] == []


def test_letters_of_the_arabic_script_that_are_one_in_writing() -> None:
    roles = [each for each in words.ROLES if "\u0600" <= each[0] <= "\u06ff"]
    tables = (dict(zip("يكه", "یکہ", strict=True)), {"ي": "ى", "ا": "ٱ"}, {"ا": "أ", "ة": "ه"})
    made = [written(table, word) for table in tables for word in roles]
    assert [each for each in made if not confusables.looks_official(each)] == []


@pytest.mark.django_db
def test_names_of_staff_in_letters_of_other_makes(person: People) -> None:
    max_ = person("max", display_name="Max")
    role_grant(acting_user=person("root", is_superuser=True), user=max_, role=Role.MODERATOR)
    person("bob")
    given = ["xɐW", "xɐ𝕎", "xɐᴡ", "爪卂乂", "mⷶx", "ᎷᏗx", "ßob", "boᏰ"]
    assert accepted(person("zuzana"), given) == []


@pytest.mark.django_db
def test_words_of_those_who_run_things_elsewhere(person: People) -> None:
    found = [
        "مدیر", "ادمین", "المدير", "المدیر", "Quản trị viên", "Domare", "Community Manager",
        "Tuomari", "Spielleiter", "マネージャー", "サポート", "系统", "管理", "Владелец", "Система",
        "sysop",
        "ɹosᴉuɐƃɹO", "ᎷᎾᎠ", "爪ㄖᗪ", "卂ᗪ爪丨几", "ⷶdmin", "mⷪd", "moǅ", "ßtaff", "ᗡOW",
    ]  # fmt: skip
    assert accepted(person("zuzana"), found) == []
    assert accepted(person("yvonne"), SURNAMES) == SURNAMES


# What mean a role somewhere and are names; what a look-alike taken apart makes of short words; and
# names in letters that makers of fancy text take too.
SURNAMES = [
    "Hakem", "Dommer", "Lo Giudice", "Juez", "关理", "Domarecki", "Tuomarila", "Horne", "Seif",
    "Dr. No", "Heip", "山口", "山下", "工藤", "のん", "尺八", "刀根", "กร", "ᏍᏏᏉᏯ", "Moß",
    "Großmann", "Ünal", "Əli", "Muñoz", "کامران", "مهدی", "علی",
]  # fmt: skip


def test_usernames_near_short_words() -> None:
    for given in ("horne", "seif", "heip", "drno", "dr-no"):
        validate_not_reserved(given)
    for given in ("home", "self", "h0me", "s3lf", "d-m-o", "ho-me", "systern", "rnod"):
        with pytest.raises(ValidationError):
            validate_not_reserved(given)


JOINED = [
    "සුරේන්ද්\u200dර", "ශ්\u200dරී", "محمد\u200cرضا", "علی\u200cرضا", "می\u200cنا", "क्\u200dष",
    "ക്\u200cഷ", "ন্\u200dয", "അവന്\u200d", "محمَّد\u200cرضا",
]  # fmt: skip


@pytest.mark.django_db
def test_joiners_stand_where_words_are_spelt_with_them(person: People) -> None:
    user = person("zuzana")
    assert accepted(user, JOINED) == JOINED
    for each in JOINED:
        apart = each.translate({0x200C: None, 0x200D: None})
        assert confusables.skeletons_of(each) == confusables.skeletons_of(apart)
    misplaced = [
        *(each.replace(one, one * 2) for each in JOINED for one in "\u200c\u200d" if one in each),
        *(f"{one}{each}" for each in ("Ada", "محمد", "ශරී") for one in "\u200c\u200d"),
        *(f"{each}{one}" for each in ("Ada", "محمد", "ශරී") for one in "\u200c\u200d"),
        *(f"{each[0]}{one}{each[1:]}" for each in ("Ada", "Анна", "李小龍", "ශරී", "김민수")
          for one in "\u200c\u200d"),
        "م\u200dحمد", "م\u200cAda", "A\u200cمحمد", "محمد \u200cرضا", "7\u200cمحمد", "ශ්\u200dී",
        "්\u200dර", "ශ්\u200cA", "ශ්\u200c", "A\u094d\u200c1",
    ]  # fmt: skip
    for each in misplaced:
        with pytest.raises(ValidationError):
            validate_display_name(each)
    # They part no word of the site's.
    assert accepted(user, ["مد\u200cیر", "مدی\u200cر", "المد\u200cير"]) == []
