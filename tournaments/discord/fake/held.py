"""What Discord holds: guilds with their channels and members, messages, interactions; and how it
says no."""

from __future__ import annotations

import email
import email.policy
import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from tournaments.discord.fake.schemas import Invalid

UNKNOWN_CHANNEL, UNKNOWN_GUILD, UNKNOWN_MEMBER, UNKNOWN_MESSAGE = 10003, 10004, 10007, 10008
UNKNOWN_ROLE, UNKNOWN_WEBHOOK, UNKNOWN_APPLICATION = 10011, 10015, 10002
MISSING_ACCESS = 50001
NOT_THEIR_MESSAGE, NO_PERMISSION, INVALID_TOKEN, INVALID_BODY = 50005, 50013, 50027, 50035
TAKES_NO_MESSAGES, INVALID_RECIPIENT, SHARES_NO_SERVER = 50007, 50033, 50278
THREAD_ARCHIVED, HAS_THREAD = 50083, 160004
_WORDS: Final = {
    UNKNOWN_APPLICATION: "Unknown Application", UNKNOWN_CHANNEL: "Unknown Channel",
    UNKNOWN_GUILD: "Unknown Guild", UNKNOWN_MEMBER: "Unknown Member",
    UNKNOWN_MESSAGE: "Unknown Message", UNKNOWN_ROLE: "Unknown Role",
    UNKNOWN_WEBHOOK: "Unknown Webhook", MISSING_ACCESS: "Missing Access",
    NOT_THEIR_MESSAGE: "Cannot edit a message of another user",
    NO_PERMISSION: "Missing Permissions", INVALID_TOKEN: "Invalid Webhook Token",
    TAKES_NO_MESSAGES: "Cannot send messages to this user",
    INVALID_RECIPIENT: "Invalid Recipient(s)",
    SHARES_NO_SERVER: "Cannot send messages to this user, with whom no server is shared",
    THREAD_ARCHIVED: "Thread is archived", HAS_THREAD: "There is a thread for this message",
}  # fmt: skip


class Failed(Exception):
    """An answer that says no."""

    def __init__(self, status: int, code: int, **more: Any) -> None:
        super().__init__(_WORDS.get(code, "Failed"))
        self.status = status
        self.body = {"code": code, "message": _WORDS.get(code, "Failed"), **more}


@dataclass
class Message:
    """A message as it stands; ``files`` by name. ``versions``: how it read, each time."""

    id: str
    channel: str
    author: str
    body: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)
    versions: list[dict[str, Any]] = field(default_factory=list)
    posted_at: float = 0.0

    @property
    def shown(self) -> dict[str, Any]:
        """The message as answers have it."""
        return {
            "id": self.id, "channel_id": self.channel, "author": {"id": self.author, "bot": True},
            "content": self.body.get("content") or "", "embeds": self.body.get("embeds") or [],
            "components": self.body.get("components") or [], "flags": self.body.get("flags", 0),
            "attachments": [
                # As numbers of Discord's are, so that no place among new files is one of them.
                {"id": str(int(self.id) + 1 + number), "filename": name, "size": len(content)}
                for number, (name, content) in enumerate(self.files.items())
            ],
        }  # fmt: skip


@dataclass
class Channel:
    """A channel, or a thread of ``parent``. ``may``: what the bot may do there; ``hidden``: it does
    not even see it. ``recipient``: with whom the bot is alone there."""

    id: str
    guild: str
    name: str
    parent: str = ""
    archived: bool = False
    locked: bool = False
    may: set[str] = field(default_factory=lambda: {"send", "threads", "manage", "files", "history"})
    hidden: bool = False
    type: int = 0
    recipient: str = ""


@dataclass
class Guild:
    """A guild: its roles by id, and of its members which roles they have. The later of two roles
    is the higher; ``permissions`` are those of roles, as bits, none where a role is not named."""

    id: str
    roles: dict[str, str] = field(default_factory=dict)
    members: dict[str, set[str]] = field(default_factory=dict)
    may_manage_roles: bool = True
    name: str = "The community"
    owner: str = ""
    permissions: dict[str, int] = field(default_factory=dict)
    #: The bot's own role, above all others, unless a test says how high it stands.
    bot_role: str = ""
    bot_position: int = 100


@dataclass
class Token:
    """An interaction as Discord knows it. ``original``: the message that answers it, None while
    that is awaited; ``over``: it was not answered in time."""

    id: str
    token: str
    made_at: float
    channel: str
    answered: bool = False
    over: bool = False
    ephemeral: bool = False
    original: Message | None = None
    follow_ups: list[Message] = field(default_factory=list)


@dataclass
class Request:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    status: int = 0

    @property
    def parts(self) -> tuple[Any, dict[str, bytes]]:
        """The JSON, and the files that come with it, by name."""
        kind = self.headers.get("content-type", "")
        if not kind.startswith("multipart/form-data"):
            return (json.loads(self.body) if self.body else None), {}
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        form = email.message_from_bytes(head + self.body, policy=email.policy.HTTP)
        said: Any = None
        files: dict[str, bytes] = {}
        for part in form.iter_parts():
            name = str(part.get_param("name", header="content-disposition"))
            content = part.get_payload(decode=True)
            if not isinstance(content, bytes):
                raise Invalid({name: "holds other parts"})
            if name == "payload_json":
                said = json.loads(content)
            elif re.fullmatch(r"files\[\d+\]", name) and part.get_filename():
                files[str(part.get_filename())] = content
            else:
                raise Invalid({name: "is no part that is known"})
        return said, files
