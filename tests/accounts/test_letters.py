"""Names in letters that pass for others, and in letters that are what they look like."""
# ruff: noqa: RUF001  (that is what this is about)

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError

from accounts.models import User
from accounts.names import confusables, letters, words
from accounts.names.validators import validate_display_name, validate_not_reserved
from accounts.roles import Role
from accounts.services import role_grant
from tests.accounts.disguises import SMALL_CAPITALS, accepted, moved, once, written

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


# -- letters with strokes, signs, figures, faces and gaps ------------------------------------------

MONEY = dict(zip("abcdefgklmnprstwy", "₳฿₵₫€₣₲₭₤₥₦₱ⱤꞨ₮₩¥", strict=True))
STROKES = {
    letter: [
        character
        for character in map(chr, range(0x80, 0x20000))
        if re.fullmatch(
            rf"LATIN (SMALL|CAPITAL) LETTER (BARRED )?{letter.upper()}"
            r"( BAR| WITH (\w+ )?(STROKE|BAR)\b.*)?",
            unicodedata.name(character, ""),
        )
        and unicodedata.name(character)[-1] != letter.upper()
    ]
    for letter in PLAIN
}
# Signs, and the letters that they are taken for; not one that names are decorated with.
SIGNS = {
    "a": "∀∆₳", "b": "฿₿", "c": "©⊂¢", "d": "∂₫⊃", "e": "∑∃∈€℮", "f": "₣∫", "g": "₲", "i": "¡⍳",
    "l": "∣£", "m": "₥", "n": "∩∏₦", "o": "⊙∅°", "p": "¶₱⍴", "r": "®₹", "s": "§∫₴",
    "t": "†⊥₮", "u": "∪", "v": "√∨", "w": "₩", "x": "×", "y": "¥",
}  # fmt: skip
SHORT = [each for each in LATIN_ROLES if len(each) <= 5]


def passing(given: list[str]) -> list[str]:
    return [each for each in given if not confusables.looks_official(each)]


def test_no_role_passes_in_letters_with_strokes() -> None:
    assert sum(map(len, STROKES.values())) > 70
    assert passing([f"{written(MONEY, each)} Bob" for each in LATIN_ROLES]) == []
    for number in range(6):
        table = {letter: made[number % len(made)] for letter, made in STROKES.items() if made}
        assert passing([written(table, each) for each in LATIN_ROLES]) == []
    # And what a stroke is in other alphabets, and signs that no name is made of by themselves.
    assert passing(["₥ӨĐ", "ŁƗⱠӾ ₥ØĐ", "₴₮₳₣₣", "₳Đ₥ł₦", "₲₳Ʉ₦₮ⱠɆ₮", "ꞦɆҒ", "ᴯob ₥ØĐ"]) == []


def test_no_role_passes_with_a_sign_for_its_first_or_last_letter() -> None:
    for word in SHORT:
        first = [sign + word[1:] for sign in SIGNS.get(word[0], "")]
        last = [word[:-1] + sign for sign in SIGNS.get(word[-1], "")]
        capital = [each.capitalize() for each in (*first, *last)]
        given = [*first, *last, *capital]
        assert passing([*given, *(f"{each} Bob" for each in given)]) == []
    assert passing(["мо∂", "Mo∂", "Mo∂ Team", "×Mod×", "°mod°", "Bob Mo∂!"]) == []


def test_no_role_passes_with_figures_of_other_scripts() -> None:
    figures = [chr(code) for code in range(0x80, 0x20000) if chr(code).isdecimal()]
    assert len(figures) > 500
    letter = {0: "o", 1: "l", 3: "e", 4: "a", 5: "s", 7: "t", 8: "b"}
    made = [
        f"m{figure}d" if value == 0 else f"{figure}dmin"
        for figure in figures
        if (value := unicodedata.decimal(figure)) in (0, 4)
    ]
    made += [f"officia{one} Bob" for one in figures if unicodedata.decimal(one) == 1]
    made += [
        once({letter[value]: figure}, "moderators")
        for figure in figures
        if (value := unicodedata.decimal(figure)) in (0, 3, 4, 7)
    ]
    made += [f"M{each}D" for each in "٥۵〇০߀٠"]
    assert passing([*made, "M٥derator", "m٥d", "Bob M٥D"]) == []


def test_words_that_are_set_apart() -> None:
    raised = dict(zip("abdefgmnorst", "ᵃᵇᵈᵉᶠᵍᵐⁿᵒʳˢᵗ", strict=True))
    tables = [
        raised,
        *(dict(zip(PLAIN, moved(base, PLAIN), strict=True)) for base in "𝐚ａⓐ"),
        SMALL_CAPITALS,
    ]
    for word in ("mod", "staff", "admin", "gm"):
        for table in (each for each in tables if set(word) <= set(each)):
            made = written(table, word)
            assert passing([f"Joe{made}", f"{made}joe"]) == [], word
    joined = [one + other for one in SHORT for other in SHORT]
    assert passing(["Modstaff", "modstaffgm", "StaffMod", *joined]) == []


def test_a_joiner_between_words_is_a_gap() -> None:
    for role in (each for each in words.ROLES if "\u0600" <= each[0] <= "\u06ff"):
        assert passing([f"{role}\u200cسایت", f"علی\u200c{role}"]) == [], role
    assert passing(["مدیر\u200cسایت"]) == []


BEFORE_VIRAMA = [
    "র\u200d্যাচেল", "র\u200d্যা", "ರ\u200d್ಕ", "క\u0c4dర\u200d\u0c4dక", "ක\u200d්ව", "ර\u200d්ය",
    "ന\u0d4d\u200d", "അവര\u0d4d\u200d", "കല\u0d4d\u200dപ",
]  # fmt: skip


def test_joiners_before_a_virama() -> None:
    for each in BEFORE_VIRAMA:
        validate_display_name(each)
    wrong = (
        "ক\u200d্য", "র\u200dয", "র\u200d্", "র\u200d্A", "A\u200d্য", "র\u200d\u200d্য", "न\u200d्य",
        "র\u200c্য",
    )  # fmt: skip
    for each in wrong:
        with pytest.raises(ValidationError):
            validate_display_name(each)


def test_a_word_of_katakana_is_compared_whole() -> None:
    roles = [each for each in words.ROLES if letters.is_katakana(each[0])]
    other = ("太郎", "さん", "Bob", " ボブ", "・ボブ", "2")
    given = [role + each for role in roles for each in other]
    given += [each + role for role in roles for each in ("田中", "ひろ", "Bob", "ボブ ", "ボブ・")]
    assert passing([*roles, *given, "サポートスタッフ", "ｽﾀｯﾌ太郎", "モデレーターズ"]) == []
    assert passing(ORDINARY) == ORDINARY


# What comes near a role in one of these ways and is a name.
ORDINARY = [
    "スタッフォード", "スタッファン", "スタッフォード太郎", "ナイススタッフ", "システィーナ",
    "Joemod", "Mo ٧", "Mo○", "Mo★", "Mo♥", "Mo™", "Ada®", "Ada §", "†Ada†", "×Ada×", "Mᵐᵉ Dupont",
    "Ɖeku", "Łukasz", "Øyvind", "Đorđe", "Ħal Qormi", "Ғалым", "Өмірзақ", "Ұлжан", "عمر٧",
    "علی\u200cرضا", "می\u200cنا", "রাহুল ৫", "Ada²", "Joeᵗʰ", "Ａｎｎａ", "Jo€", "Ke₴ha", "Modesto",
    "Modric", "Gmunden", "Refsnes", "Siteki", "Модестов", "管理华",
]  # fmt: skip


@pytest.mark.django_db
def test_names_of_staff_in_strokes_and_figures(person: People) -> None:
    max_, olga = person("max", display_name="Max"), person("olga")
    root = person("root", is_superuser=True)
    for each in (max_, olga):
        role_grant(acting_user=root, user=each, role=Role.MODERATOR)
    user = person("zuzana")
    assert accepted(user, ["₥₳Ӿ", "M₳✗", "٥lga", "ØⱠǤȺ", "০lga", "∅lga", "olg∆"]) == []
    assert accepted(user, ORDINARY) == ORDINARY
