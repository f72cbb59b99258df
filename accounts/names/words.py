"""Words that say of whoever bears them that they run the site, and what stands beside them."""

from typing import Final

# Who runs things, and the site itself: no word of a name may look like one of these. Words that are
# names as well stay out, whatever they mean: Hakem, Dommer, Giudice, Juez, and 关理.
ROLES: Final = frozenset(
    {
        "admin", "admins", "administrator", "administrators", "administration", "sysadmin", "mod",
        "mods", "moderator", "moderators", "moderation", "organiser", "organisers", "organizer",
        "organizers", "referee", "referees", "official", "officials", "staff", "support",
        "superuser", "superadmin", "supermod", "modteam", "adminteam", "staffteam", "gauntlet",
        "site", "owner", "owners", "webmaster", "helpdesk", "security", "gm", "gms", "gamemaster",
        "gamemasters", "umpire", "umpires", "ref", "refs", "sysop", "sysops", "organisor",
        "organizor",
        # In other languages, as far as they are not the same once their accents are gone.
        "administrateur", "administratrice", "administrador", "administradora", "amministratore",
        "moderateur", "moderateurs", "moderatrice", "moderador", "moderadora", "moderatore",
        "moderatorin", "organisateur", "organizador", "organizzatore", "organisator",
        "veranstalter", "arbitre", "arbitro", "schiedsrichter", "officiel", "offiziell", "oficial",
        "ufficiale", "beheerder", "scheidsrechter", "yönetici", "ylläpito", "ylläpitäjä", "správce",
        "rozhodčí", "sędzia", "rendszergazda", "játékvezető",
        "spielleiter", "spielleiterin", "spielleitung", "turnierleiter", "turnierleitung", "domare",
        "tuomari", "quảntrịviên", "điềuhànhviên",
        "админ", "администратор", "администрация", "мод", "модер", "модератор", "модерация",
        "организатор", "поддержка", "судья", "арбитр", "рефери",
        "владелец", "система",
        "адмін", "адміністратор", "адміністрація", "модерація", "організатор", "підтримка", "суддя",
        "арбітр", "судија", "съдия",
        "διαχειριστής", "συντονιστής", "διοργανωτής", "διαιτητής",
        "管理", "管理员", "管理員", "管理者", "版主", "官方", "客服", "运营", "裁判",
        "管理组", "管理組", "管理人", "管理部", "運営", "運営者", "公式", "審判", "主催者",
        "系统", "系統", "站长", "站長", "群主",
        "アドミン", "アドミニストレーター", "モデレーター", "システム", "スタッフ",
        "マネージャー", "マネジャー", "サポート", "スタッフチーム", "アドミンチーム",
        "レフェリー", "운영자", "운영진", "운영팀", "관리자", "관리팀", "스태프", "심판", "심판관",
        "심판장", "심판진", "어드민", "모더레이터", "주최자",
        "אדמין", "מודרטור", "מנהל", "מנהלת", "שופט", "שופטת", "מארגן", "צוות",
        "مشرف", "المشرف", "مشرفة", "المشرفة", "المشرفون", "ادمن", "الادمن", "ادمين", "الادمين",
        "الإدارة", "منظم", "المنظم", "مدير", "المدير", "مديرة", "المديرة",
        "मॉडरेटर", "एडमिन", "प्रशासक", "व्यवस्थापक", "आयोजक", "निर्णायक",
        "แอดมิน", "ผู้ดูแล", "ผู้ดูแลระบบ", "กรรมการ", "ผู้จัด", "ทีมงาน",
        "ადმინი", "ადმინისტრატორი", "მოდერატორი", "ორგანიზატორი", "მსაჯი",
        "ադմին", "ադմինիստրատոր", "մոդերատոր", "մրցավար",
    }
)  # fmt: skip
# Long enough to be meant wherever they stand: no other word has them in it.
ANYWHERE: Final = (
    "administrator", "administrateur", "administrador", "moderator", "moderateur", "moderador",
    "organiser", "organizer", "gauntlet", "siteowner", "администратор", "модератор",
    "モデレーター", "アドミニストレーター",
)  # fmt: skip
# Who runs things where it is said of what, or that they come first; without that, surnames too.
TITLES: Final = frozenset(
    {"arbiter", "director", "host", "judge", "manager", "marshal", "official", "ref", "steward"}
)
OF: Final = frozenset(
    {"assistant", "chief", "community", "deputy", "event", "game", "games", "head", "lead",
     "league", "main", "match", "season", "senior", "server", "site", "tournament"}
)  # fmt: skip
# Surnames that have a role in them.
SURNAMES: Final = ("gauntlett", "oficialdegui")
# Long enough to be meant at the beginning or the end of a word, as in "adminbob": but for those
# that surnames and other words begin or end with (Stafford, supporter, supermodel, Domarecki,
# Tuomarila; Wagstaff, Downer).
LONG: Final = 5
NOT_BEFORE: Final = frozenset({"staff", "support", "supermod", "модер", "domare", "tuomari"})
NOT_AFTER: Final = frozenset({"staff", "owner", "owners"})
# Words that say of a name beside them no more than that it is the one meant.
CLAIMS: Final = (
    "the", "real", "true", "only", "original", "head", "chief", "lead", "senior", "main", "game",
    "site", "server", "team", "your", "mr", "mrs",
)  # fmt: skip
# So many signs are a whole name where surnames have one, and given names two.
NAMED: Final = 3
# Of a shorter word one letter does not tell the others.
SHOWING: Final = 3
# A name that is shorter is a part of many others' too: Max Power is not the moderator "max".
TELLING: Final = 4
