"""What Discord takes: messages, embeds, components, commands, and answers to interactions.

All that is wrong is said at once, by the path to it, as Discord does (`Invalid`). Whatever is not
known here is wrong, too: a misspelt key is otherwise found by nobody.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

CONTENT_MOST: Final = 2000
EMBEDS_MOST: Final = 10
EMBED_TEXT_MOST: Final = 6000
FIELDS_MOST: Final = 25
ROWS_MOST: Final = 5
IN_ROW_MOST: Final = 5
CUSTOM_ID_MOST: Final = 100
LABEL_MOST: Final = 80
OPTIONS_MOST: Final = 25
CHOICES_MOST: Final = 25
COMMANDS_MOST: Final = 100
COMMAND_TEXT_MOST: Final = 8000
FILES_MOST: Final = 10
FILE_BYTES_MOST: Final = 10 * 1024 * 1024

EPHEMERAL: Final = 1 << 6
SUPPRESS_EMBEDS: Final = 1 << 2
# Kinds of components and of options that are known here.
ROW, BUTTON, SELECT, USER_SELECT = 1, 2, 3, 5
SUB_COMMAND, STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, NUMBER = 1, 3, 4, 5, 6, 7, 8, 10
LINK = 5
ARCHIVE_MINUTES: Final = (60, 1440, 4320, 10080)


class Invalid(Exception):
    """A body that Discord would not take: ``faults`` says of each path what is wrong there."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{path}: {what}" for path, what in faults.items()))
        self.faults = dict(faults)


class Faults:
    """Collects what is wrong."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def note(self, path: str, what: str) -> None:
        self.found.setdefault(path, what)

    def settle(self) -> None:
        if self.found:
            raise Invalid(self.found)

    def known(self, path: str, value: Any, keys: Iterable[str]) -> bool:
        """Whether a value is an object; keys that are not known are noted."""
        if not isinstance(value, dict):
            self.note(path, "must be an object")
            return False
        for key in value.keys() - set(keys):
            self.note(f"{path}.{key}", "is not known")
        return True

    def text(self, path: str, value: Any, least: int, most: int, *, needed: bool = False) -> None:
        """A text of so many characters; None will do where it is not ``needed``."""
        if value is None and not needed:
            return
        if not isinstance(value, str):
            self.note(path, "must be text")
        elif not least <= len(value) <= most:
            self.note(path, f"must be between {least} and {most} in length")

    def each(self, path: str, value: Any, most: int, check: Callable[[str, Any], None]) -> None:
        """A list of at most so many."""
        if value is None:
            return
        if not isinstance(value, list):
            self.note(path, "must be a list")
            return
        if len(value) > most:
            self.note(path, f"must be {most} or fewer in length")
        for number, each in enumerate(value):
            check(f"{path}[{number}]", each)

    def flag(self, path: str, value: Any) -> None:
        if value is not None and not isinstance(value, bool):
            self.note(path, "must be true or false")

    def snowflake(self, path: str, value: Any) -> None:
        if not is_snowflake(value):
            self.note(path, "must be a snowflake, as text")

    def url(self, path: str, value: Any, schemes: Iterable[str]) -> None:
        if not isinstance(value, str) or len(value) > 2048:
            self.note(path, "must be an address of at most 2048 characters")
            return
        parts = urlsplit(value)
        if parts.scheme not in set(schemes) or not (parts.netloc or parts.path):
            self.note(path, "is no well formed address")


def is_snowflake(value: Any) -> bool:
    """Whether a value is an id as Discord writes it: digits, as text."""
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20


# -- messages ------------------------------------------------------------------------------------

_MESSAGE: Final = (
    "content", "embeds", "components", "allowed_mentions", "attachments", "flags", "tts", "nonce",
    "enforce_nonce", "message_reference",
)  # fmt: skip


def message_check(body: Any, *, files: Mapping[str, int], edit: bool = False) -> None:
    """A message that is sent, or how one is edited; ``files``: how large each is that comes with
    it, by its name. Raises Invalid."""
    faults = Faults()
    _message(faults, "body", body, files=files, edit=edit)
    faults.settle()


def direct_check(body: Any) -> None:
    """With whom the bot is to be alone in a channel. Raises Invalid."""
    faults = Faults()
    if faults.known("body", body, ("recipient_id",)):
        faults.snowflake("body.recipient_id", body.get("recipient_id"))
    faults.settle()


def follow_up_check(body: Any, *, files: Mapping[str, int]) -> None:
    """What follows the answer to an interaction, which may be seen by one person alone. Raises
    Invalid."""
    faults = Faults()
    _message(faults, "body", body, files=files, flags=SUPPRESS_EMBEDS | EPHEMERAL)
    faults.settle()


def _message(
    faults: Faults,
    path: str,
    body: Any,
    *,
    files: Mapping[str, int],
    edit: bool = False,
    flags: int = SUPPRESS_EMBEDS | 1 << 12,
) -> None:
    if not faults.known(path, body, _MESSAGE):
        return
    faults.text(f"{path}.content", body.get("content"), 0, CONTENT_MOST)
    faults.each(
        f"{path}.embeds", body.get("embeds"), EMBEDS_MOST, lambda p, e: _embed(faults, p, e, files)
    )
    _embeds_together(faults, f"{path}.embeds", body.get("embeds"))
    components_check(faults, f"{path}.components", body.get("components"))
    _mentions(faults, f"{path}.allowed_mentions", body.get("allowed_mentions"))
    _attachments(faults, f"{path}.attachments", body.get("attachments"), files)
    faults.flag(f"{path}.tts", body.get("tts"))
    faults.text(f"{path}.nonce", body.get("nonce"), 1, 25)
    said = body.get("flags", 0)
    if said is not None and (not isinstance(said, int) or said & ~flags):
        faults.note(f"{path}.flags", "has flags that cannot be set here")
    something = any(body.get(key) for key in ("content", "embeds", "components")) or files
    if not edit and not something:
        faults.note(path, "cannot be an empty message")


def _embed(faults: Faults, path: str, embed: Any, files: Mapping[str, int]) -> None:
    keys = ("title", "type", "description", "url", "timestamp", "color", "footer", "image",
            "thumbnail", "author", "fields")  # fmt: skip
    if not faults.known(path, embed, keys):
        return
    faults.text(f"{path}.title", embed.get("title"), 1, 256)
    faults.text(f"{path}.description", embed.get("description"), 1, 4096)
    if embed.get("url") is not None:
        faults.url(f"{path}.url", embed["url"], ("http", "https"))
    colour = embed.get("color")
    if colour is not None and not (isinstance(colour, int) and 0 <= colour <= 0xFFFFFF):
        faults.note(f"{path}.color", "must be between 0 and 16777215")
    if embed.get("timestamp") is not None:
        try:
            datetime.fromisoformat(str(embed["timestamp"]))
        except ValueError:
            faults.note(f"{path}.timestamp", "must be an instant as ISO 8601 has it")
    for key, most, part in (("footer", 2048, "text"), ("author", 256, "name")):
        inner = embed.get(key)
        if inner is None or not faults.known(f"{path}.{key}", inner, (part, "icon_url", "url")):
            continue
        faults.text(f"{path}.{key}.{part}", inner.get(part), 1, most, needed=True)
    for key in ("image", "thumbnail"):
        inner = embed.get(key)
        if inner is None or not faults.known(f"{path}.{key}", inner, ("url",)):
            continue
        _picture(faults, f"{path}.{key}.url", inner.get("url"), files)
    faults.each(
        f"{path}.fields", embed.get("fields"), FIELDS_MOST, lambda p, f: _field(faults, p, f)
    )


def _picture(faults: Faults, path: str, url: Any, files: Mapping[str, int]) -> None:
    faults.url(path, url, ("http", "https", "attachment"))
    if isinstance(url, str) and url.startswith("attachment://"):
        name = url.removeprefix("attachment://")
        if name not in files:
            faults.note(path, "names a file that does not come with the message")


def _field(faults: Faults, path: str, field: Any) -> None:
    if faults.known(path, field, ("name", "value", "inline")):
        faults.text(f"{path}.name", field.get("name"), 1, 256, needed=True)
        faults.text(f"{path}.value", field.get("value"), 1, 1024, needed=True)
        faults.flag(f"{path}.inline", field.get("inline"))


def _embeds_together(faults: Faults, path: str, embeds: Any) -> None:
    if not isinstance(embeds, list):
        return
    texts: list[Any] = []
    for embed in embeds:
        if not isinstance(embed, dict):
            continue
        texts += [embed.get("title"), embed.get("description")]
        texts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
        for field in embed.get("fields") or []:
            texts += [field.get("name"), field.get("value")]
    if sum(len(text) for text in texts if isinstance(text, str)) > EMBED_TEXT_MOST:
        faults.note(path, f"all embeds together have more than {EMBED_TEXT_MOST} characters")


def _mentions(faults: Faults, path: str, mentions: Any) -> None:
    keys = ("parse", "users", "roles", "replied_user")
    if mentions is None or not faults.known(path, mentions, keys):
        return
    parse = mentions.get("parse") or []
    for each in parse:
        if each not in ("users", "roles", "everyone"):
            faults.note(f"{path}.parse", "may have users, roles and everyone")
    for key in ("users", "roles"):
        faults.each(f"{path}.{key}", mentions.get(key), 100, faults.snowflake)
        if mentions.get(key) and key in parse:
            faults.note(f"{path}.{key}", f"parse has {key} already")
    faults.flag(f"{path}.replied_user", mentions.get("replied_user"))


def _attachments(faults: Faults, path: str, attachments: Any, files: Mapping[str, int]) -> None:
    def check(here: str, each: Any) -> None:
        if faults.known(here, each, ("id", "filename", "description")):
            faults.text(f"{here}.description", each.get("description"), 1, 1024)

    faults.each(path, attachments, FILES_MOST, check)
    if len(files) > FILES_MOST:
        faults.note(path, f"must be {FILES_MOST} or fewer in length")
    for name, size in files.items():
        if size > FILE_BYTES_MOST:
            faults.note(f"{path}.{name}", "is too large")


# -- components ----------------------------------------------------------------------------------


def components_check(faults: Faults, path: str, rows: Any) -> None:
    """The rows of buttons and menus below a message."""
    seen: set[str] = set()
    faults.each(path, rows, ROWS_MOST, lambda p, row: _row(faults, p, row, seen))


def _row(faults: Faults, path: str, row: Any, seen: set[str]) -> None:
    if not faults.known(path, row, ("type", "components")):
        return
    if row.get("type") != ROW:
        faults.note(f"{path}.type", "must be a row")
    inner = row.get("components")
    if not isinstance(inner, list) or not inner:
        faults.note(f"{path}.components", "must have something in it")
        return
    if any(isinstance(each, dict) and each.get("type") in (SELECT, USER_SELECT) for each in inner):
        if len(inner) > 1:
            faults.note(f"{path}.components", "a menu stands in a row of its own")
    elif len(inner) > IN_ROW_MOST:
        faults.note(f"{path}.components", f"must be {IN_ROW_MOST} or fewer in length")
    for number, each in enumerate(inner):
        _component(faults, f"{path}.components[{number}]", each, seen)


def _component(faults: Faults, path: str, each: Any, seen: set[str]) -> None:
    kind = each.get("type") if isinstance(each, dict) else None
    if kind == BUTTON:
        _button(faults, path, each)
    elif kind == SELECT:
        _select(faults, path, each)
    else:
        faults.note(f"{path}.type", "is no component that can stand here")
        return
    own = each.get("custom_id")
    if own is None:
        return
    faults.text(f"{path}.custom_id", own, 1, CUSTOM_ID_MOST, needed=True)
    if own in seen:
        faults.note(f"{path}.custom_id", "stands there twice")
    seen.add(own)


def _button(faults: Faults, path: str, button: Any) -> None:
    keys = ("type", "style", "label", "emoji", "custom_id", "url", "disabled")
    faults.known(path, button, keys)
    style = button.get("style")
    if style not in range(1, 6):
        faults.note(f"{path}.style", "must be one of 1 to 5")
    faults.text(f"{path}.label", button.get("label"), 1, LABEL_MOST)
    if button.get("label") is None and button.get("emoji") is None:
        faults.note(path, "must have a label or an emoji")
    faults.flag(f"{path}.disabled", button.get("disabled"))
    if style == LINK:
        faults.url(f"{path}.url", button.get("url"), ("http", "https", "discord"))
        if len(str(button.get("url"))) > 512:
            faults.note(f"{path}.url", "must be 512 or fewer in length")
        if "custom_id" in button:
            faults.note(f"{path}.custom_id", "a link has none")
    else:
        if "url" in button:
            faults.note(f"{path}.url", "only a link has one")
        if "custom_id" not in button:
            faults.note(f"{path}.custom_id", "is required")


def _select(faults: Faults, path: str, menu: Any) -> None:
    keys = ("type", "custom_id", "options", "placeholder", "min_values", "max_values", "disabled")
    faults.known(path, menu, keys)
    if "custom_id" not in menu:
        faults.note(f"{path}.custom_id", "is required")
    faults.text(f"{path}.placeholder", menu.get("placeholder"), 0, 150)
    options = menu.get("options")
    if not isinstance(options, list) or not options:
        faults.note(f"{path}.options", "must have something in it")
        return
    faults.each(f"{path}.options", options, OPTIONS_MOST, lambda p, o: _option(faults, p, o))
    values = [each.get("value") for each in options if isinstance(each, dict)]
    if len(set(values)) < len(values):
        faults.note(f"{path}.options", "has a value twice")
    least, most = menu.get("min_values", 1), menu.get("max_values", 1)
    if not 0 <= least <= most <= OPTIONS_MOST or most > len(options):
        faults.note(f"{path}.max_values", "does not go with the options")


def _option(faults: Faults, path: str, option: Any) -> None:
    keys = ("label", "value", "description", "emoji", "default")
    if faults.known(path, option, keys):
        faults.text(f"{path}.label", option.get("label"), 1, 100, needed=True)
        faults.text(f"{path}.value", option.get("value"), 1, 100, needed=True)
        faults.text(f"{path}.description", option.get("description"), 1, 100)
        faults.flag(f"{path}.default", option.get("default"))


# -- commands ------------------------------------------------------------------------------------

_NAME: Final = re.compile(r"[-_'\w]{1,32}")
_OPTION_KINDS: Final = range(1, 12)


def is_command_name(name: Any) -> bool:
    """Whether something can be called so: letters and numbers of any script, hyphens, underscores
    and apostrophes, nothing in capitals."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name != name.lower():
        return False
    return all(each in "-_'" or unicodedata.category(each)[0] in "LMN" for each in name)


def commands_check(commands: Any) -> None:
    """All commands of an application in a guild, or everywhere. Raises Invalid."""
    faults = Faults()
    faults.each("body", commands, COMMANDS_MOST, lambda p, c: _command(faults, p, c))
    if not isinstance(commands, list):
        faults.settle()
    named = [(each.get("type", 1), each.get("name")) for each in commands if isinstance(each, dict)]
    if len(set(named)) < len(named):
        faults.note("body", "has a command twice")
    faults.settle()


def _command(faults: Faults, path: str, command: Any) -> None:
    keys = ("name", "description", "options", "type", "default_member_permissions", "contexts",
            "integration_types", "nsfw")  # fmt: skip
    if not faults.known(path, command, keys):
        return
    _named(faults, path, command)
    if command.get("type", 1) != 1:
        faults.note(f"{path}.type", "is not known here")
    for key, most in (("contexts", 2), ("integration_types", 1)):
        values = command.get(key)
        if values is not None and (
            not values or any(each not in range(most + 1) for each in values)
        ):
            faults.note(f"{path}.{key}", "has a value that there is not")
    _options(faults, f"{path}.options", command.get("options"))
    if _text_of(command) > COMMAND_TEXT_MOST:
        faults.note(path, f"has more than {COMMAND_TEXT_MOST} characters in all")


def _named(faults: Faults, path: str, each: Any) -> None:
    if not is_command_name(each.get("name")):
        faults.note(f"{path}.name", "is no name for a command or an option")
    faults.text(f"{path}.description", each.get("description"), 1, 100, needed=True)


def _options(faults: Faults, path: str, options: Any) -> None:
    faults.each(path, options, OPTIONS_MOST, lambda p, o: _command_option(faults, p, o))
    if not isinstance(options, list):
        return
    sound = [each for each in options if isinstance(each, dict)]
    names = [each.get("name") for each in sound]
    if len(set(names)) < len(names):
        faults.note(path, "has a name twice")
    needed = [bool(each.get("required")) for each in sound]
    if needed != sorted(needed, reverse=True):
        faults.note(path, "what is required comes first")


def _command_option(faults: Faults, path: str, option: Any) -> None:
    keys = ("type", "name", "description", "required", "choices", "options", "min_value",
            "max_value", "min_length", "max_length", "autocomplete", "channel_types")  # fmt: skip
    if not faults.known(path, option, keys):
        return
    kind = option.get("type")
    if kind not in _OPTION_KINDS:
        faults.note(f"{path}.type", "is not known")
    _named(faults, path, option)
    faults.flag(f"{path}.required", option.get("required"))
    faults.flag(f"{path}.autocomplete", option.get("autocomplete"))
    countable = kind in (STRING, INTEGER, NUMBER)
    if (option.get("choices") or option.get("autocomplete")) and not countable:
        faults.note(f"{path}.type", "has neither choices nor autocomplete")
    if option.get("choices") and option.get("autocomplete"):
        faults.note(f"{path}.autocomplete", "does not go with choices")
    for key, most in (("min_length", 6000), ("max_length", 6000)):
        length = option.get(key)
        if length is not None and (kind != STRING or not 0 <= length <= most):
            faults.note(f"{path}.{key}", "is for texts, up to 6000")
    _choices(faults, f"{path}.choices", option.get("choices"), kind)
    if kind == SUB_COMMAND:
        _options(faults, f"{path}.options", option.get("options"))


def _choices(faults: Faults, path: str, choices: Any, kind: Any) -> None:
    def check(here: str, choice: Any) -> None:
        if not faults.known(here, choice, ("name", "value")):
            return
        faults.text(f"{here}.name", choice.get("name"), 1, 100, needed=True)
        if kind == STRING:
            faults.text(f"{here}.value", choice.get("value"), 1, 100, needed=True)
        elif not isinstance(choice.get("value"), int | float) or isinstance(choice["value"], bool):
            faults.note(f"{here}.value", "must be a number")

    faults.each(path, choices, CHOICES_MOST, check)
    if isinstance(choices, list):
        names = [each.get("name") for each in choices if isinstance(each, dict)]
        if len(set(names)) < len(names):
            faults.note(path, "has a name twice")


def _text_of(command: Any) -> int:
    """How many characters of a command count against its limit."""
    own = len(str(command.get("name", ""))) + len(str(command.get("description", "")))
    for each in command.get("options") or []:
        if isinstance(each, dict):
            own += _text_of(each)
    for each in command.get("choices") or []:
        if isinstance(each, dict):
            own += len(str(each.get("name", ""))) + len(str(each.get("value", "")))
    return own


# -- threads -------------------------------------------------------------------------------------


def thread_check(body: Any) -> None:
    """A thread that is begun. Raises Invalid."""
    faults = Faults()
    keys = ("name", "auto_archive_duration", "type", "invitable", "rate_limit_per_user", "message",
            "archived", "locked")  # fmt: skip
    if faults.known("body", body, keys):
        if "name" in body or "archived" not in body:
            faults.text("body.name", body.get("name"), 1, 100, needed=True)
        if body.get("auto_archive_duration", 60) not in ARCHIVE_MINUTES:
            faults.note("body.auto_archive_duration", "is none of those that there are")
    faults.settle()


# -- answers to interactions ---------------------------------------------------------------------

PONG, MESSAGE, LATER, LATER_UPDATE, UPDATE, CHOICES, MODAL = 1, 4, 5, 6, 7, 8, 9
# What each kind of interaction may be answered with: pings, commands, components, autocomplete.
_ANSWERS: Final = {
    1: {PONG},
    2: {MESSAGE, LATER, MODAL},
    3: {MESSAGE, LATER, LATER_UPDATE, UPDATE, MODAL},
    4: {CHOICES},
    5: {MESSAGE, LATER, LATER_UPDATE, UPDATE},
}


def answer_check(kind: int, answer: Any, *, option_kind: int = STRING) -> None:
    """The answer to an interaction of that kind. Raises Invalid."""
    faults = Faults()
    if not faults.known("answer", answer, ("type", "data")):
        faults.settle()
    said, data = answer.get("type"), answer.get("data")
    if said not in _ANSWERS[kind]:
        faults.note("answer.type", "is no answer to this")
        faults.settle()
    if said in (MESSAGE, UPDATE):
        flags = EPHEMERAL | SUPPRESS_EMBEDS
        _message(faults, "answer.data", data, files={}, edit=said == UPDATE, flags=flags)
    elif said == LATER and data is not None:
        if faults.known("answer.data", data, ("flags",)) and data.get("flags", 0) & ~EPHEMERAL:
            faults.note("answer.data.flags", "has flags that cannot be set here")
    elif said == CHOICES and faults.known("answer.data", data, ("choices",)):
        _choices(faults, "answer.data.choices", data.get("choices"), option_kind)
    faults.settle()
