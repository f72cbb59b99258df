"""What may be a username, a display name and a time zone."""

import unicodedata
from collections.abc import Callable
from typing import Any
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MinLengthValidator, RegexValidator

from accounts.names import confusables, letters
from core.appendonly import ERASED

USERNAME_MIN_LENGTH = 3
USERNAME_MAX_LENGTH = 20
# Lower case only: two names that differ only in case cannot then both exist.
USERNAME_PATTERN = r"^[a-z0-9_-]{3,20}$"
DISPLAY_NAME_MAX_LENGTH = 30

# What those are called who had their account deleted, and how their usernames begin: another's
# never do.
FORMER_NAME = ERASED
FORMER_PREFIX = "former-"

# Names that would pass for the house itself, or that an address of the site may need one day;
# without separators, which do not make them any better.
RESERVED_USERNAMES = frozenset(
    """
    about account accounts admin administrator anonymous api arena audit auth bot bots channel
    console contact dealer demo developer dmo elimination everyone formerplayer gauntlet gauntletbot
    guest help home host house judge live lobby login logout match matches me mod moderator
    moderators mods new nobody null official organiser organisers organizer organizers owner player
    players random record records referee register replay results robot room root rules security
    seat self settings signin signup site spectator spectators staff static style support system
    team test thegauntlet tournament tournaments undefined unknown user users watch webmaster winner
    www you
    """.split()  # noqa: SIM905  (a hundred lines of one word each would hide the rest of the file)
)

username_validators: list[Callable[[Any], None]] = [
    MinLengthValidator(USERNAME_MIN_LENGTH, "A username has at least %(limit_value)d characters."),
    MaxLengthValidator(USERNAME_MAX_LENGTH, "A username has at most %(limit_value)d characters."),
    RegexValidator(
        r"^[a-z0-9_-]*\Z",
        "A username is made of the letters a to z, digits, hyphens and underscores.",
        code="username.characters",
    ),
]


def validate_not_reserved(username: str) -> None:
    """Refuse the names in RESERVED_USERNAMES, whatever their case and separators, and those that
    look like one or like somebody's who runs the site; and those that only accounts have which
    were deleted.

    Raises ValidationError ``username.reserved``.
    """
    if (
        username.startswith(FORMER_PREFIX)
        or confusables.looks_like_one_of(username, RESERVED_USERNAMES)
        or confusables.looks_official(username)
    ):
        raise ValidationError(
            "This username is reserved. Please choose another.", code="username.reserved"
        )


def normalise_display_name(text: str) -> str:
    """Bring a display name to its stored form: composed characters, single inner spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def validate_display_name(text: str) -> None:
    """Refuse characters that hide themselves, reorder their neighbours or pile up.

    A display name stands next to other text on every page: direction overrides, zero-width
    characters and towers of combining marks would spoil or fake what stands beside it. Joiners and
    non-joiners may stand where words of Persian, Sinhala and others are spelt with them.
    Raises ValidationError ``display-name.characters``.
    """
    hidden = letters.hides_something(text)
    run = 0
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        if character in letters.JOINERS and letters.may_join(text, place):
            continue
        run = run + 1 if category in {"Mn", "Me"} else 0
        if category in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"} or run > 2 or hidden:
            raise ValidationError(
                "The display name contains a character that cannot be shown plainly.",
                code="display-name.characters",
            )
    if text and not any(unicodedata.category(character)[0] in "LN" for character in text):
        raise ValidationError(
            "A display name needs at least one letter or digit.", code="display-name.empty"
        )


def validate_time_zone(name: str) -> None:
    """Refuse what the time zone database does not know. Code `time-zone.unknown`."""
    if name not in available_timezones():
        raise ValidationError(
            "“%(name)s” is not a time zone we know.",
            code="time-zone.unknown",
            params={"name": name},
        )
