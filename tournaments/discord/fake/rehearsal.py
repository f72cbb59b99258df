"""Discord as somebody sees it who tries a site with it: a server with channels, the site's bot, and
people; what each of them is shown, and what of the site's Discord would not have taken."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx
import msgspec

from tournaments.discord.fake.held import Channel, Guild, Message, Request, Token
from tournaments.discord.fake.people import Answer, Application, Interactions, Person, by_http
from tournaments.discord.fake.schemas import EPHEMERAL, Invalid
from tournaments.discord.fake.server import (
    ANSWER_SECONDS,
    APPLICATION,
    BASE,
    EPOCH_MS,
    MANAGE_ROLES,
    MANAGE_WEBHOOKS,
    FakeDiscord,
)
from tournaments.discord.fake.signin import PATH, Account, SignIn

#: Where the site takes what people do in Discord.
ENDPOINT: Final = "/discord/interactions/"
#: So much of what was done, and of what was refused, is kept.
KEPT: Final = 300
FAULTS_KEPT: Final = 30
ROLES: Final = ("Contestants", "Eliminated", "Spectators", "Organisers")


class Invited(NamedTuple):
    """Somebody who is to be there."""

    username: str
    name: str
    organises: bool = False


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody does; ``kind`` is ``command``, ``typing``, ``press`` or ``choose``."""

    person: str
    channel: str
    kind: str
    name: str = ""
    options: dict[str, str | int | bool] = {}
    field: str = ""
    custom_id: str = ""
    values: list[str] = []
    message: str = ""


@dataclass(frozen=True)
class Done:
    """What somebody did, and how it was answered; ``fault``: why it was not."""

    id: str
    person: Person
    channel: Channel
    said: str
    token: Token | None
    fault: str = ""


def number_of(*words: str) -> str:
    """A number that these words always have: the site keeps whom it has linked, and channels."""
    digest = hashlib.sha256("/".join(words).encode()).digest()
    return str(1 + int.from_bytes(digest[:7], "big"))


class Rehearsal:
    """A Discord for a site at ``site`` (scheme, host and port)."""

    def __init__(self, site: str, invited: Iterable[Invited], application: Application) -> None:
        self.site = site.rstrip("/")
        self.fake = FakeDiscord()
        self.fake.bot_token = application.bot_token
        self.discord = Interactions(self.fake, by_http(self.site + ENDPOINT), application)
        redirects = {f"{each}{PATH}" for each in self.origins}
        self.signin = SignIn(APPLICATION, application.secret, redirects)
        self.done: deque[Done] = deque(maxlen=KEPT)
        self.faults: deque[dict[str, Any]] = deque(maxlen=FAULTS_KEPT)
        roles = {number_of("role", name): name for name in ROLES}
        organisers = list(roles)[-1]
        guild = Guild(
            number_of("server"),
            roles,
            name="Rehearsal",
            permissions={organisers: MANAGE_WEBHOOKS | MANAGE_ROLES},
            bot_role=self.fake.new_id(),
        )
        self.guild = self.fake.guilds[guild.id] = guild
        for name in ("death-matches", "announcements"):
            channel = Channel(number_of("channel", name), guild.id, name)
            self.fake.channels[channel.id] = channel
        self.people: dict[str, Person] = {}
        self.accounts: dict[str, Account] = {}
        for each in invited:
            number = number_of("person", each.username)
            self.people[number] = Person(self.discord, each.name, id=number)
            # An address of its own, so that registering by Discord can be tried as well.
            self.accounts[number] = Account(
                number, each.username, f"{each.username}@discord.example", global_name=each.name
            )
            guild.members[number] = {organisers} if each.organises else set()

    @property
    def origins(self) -> list[str]:
        """The site's addresses, as scheme, host and port: of this machine by both of its names."""
        parts = urlsplit(self.site)
        if parts.hostname not in ("localhost", "127.0.0.1"):
            return [self.site]
        port = "" if parts.port is None else f":{parts.port}"
        return [f"{parts.scheme}://{host}{port}" for host in ("localhost", "127.0.0.1")]

    # -- what the site asks ----------------------------------------------------------------------

    def answer(self, request: Request) -> tuple[int, Any, dict[str, str]]:
        """The answer to the site, as status, JSON and headers; a refusal is noted."""
        path = urlsplit(request.path).path
        token = request.headers.get("authorization", "")
        more: dict[str, str] = {}
        early = self._is_early(path)
        if path == f"{BASE}/users/@me" and token.startswith("Bearer "):
            status, said = self.signin.me(token)
        elif path == f"{BASE}/oauth2/token":
            status, said = self.signin.trade(pairs(request.body))
        else:
            status, said, more = self.fake.answer(request)
        if status >= 400 and not early:
            self.fault(f"{request.method} {path.removeprefix(BASE)}", status, said)
        return status, said, more

    def _is_early(self, path: str) -> bool:
        """Whether the site comes by the token of an answer that is still being read: it comes
        again, and nothing is wrong."""
        _, of, *rest = path.removeprefix(BASE).split("/")
        token = self.fake.tokens.get(rest[1]) if of == "webhooks" and len(rest) > 1 else None
        return token is not None and not token.answered and not token.over

    def fault(self, what: str, status: int, said: Any) -> None:
        """Note what Discord would have refused, with the places that are wrong."""
        told = said if isinstance(said, dict) else {}
        why = told.get("message") or told.get("error") or str(said or "")
        errors = {str(place): str(wrong) for place, wrong in (told.get("errors") or {}).items()}
        self.faults.append(
            {"id": self.fake.new_id(), "what": what, "why": f"{status}: {why}", "errors": errors}
        )

    # -- what people do --------------------------------------------------------------------------

    def act(self, act: Act) -> dict[str, Any]:
        """Tell the site of what somebody does; gives what is offered to whoever types. Raises
        LookupError where there is no such person, channel or message."""
        channel = self.fake.channels[act.channel]
        # Where somebody is alone with the bot there is no server.
        person = replace(self.people[act.person], channel=None if channel.recipient else channel)
        said = f"/{act.name}" if act.name else ""
        what = f"the answer to {said or act.custom_id}"
        number = self.fake.new_id()
        try:
            answer = self._answer(person, act)
        except Invalid as invalid:
            self.fault(what, 200, {"message": "Invalid Form Body", "errors": invalid.faults})
            fault = "Discord does not take the answer."
        except httpx.HTTPError as error:
            fault = f"The site cannot be reached: {error}"
            self.fault(f"{self.site}{ENDPOINT}", 0, fault)
        else:
            if answer.token is None or answer.token.over:
                late = f"It came later than after {ANSWER_SECONDS:.0f} seconds."
                fault = late if answer.status == 200 else f"The site answered {answer.status}."
                self.fault(what, answer.status, fault)
            elif act.kind == "typing":
                return {"choices": answer.choices}
            else:
                self.done.append(Done(number, person, channel, said, answer.token))
                return {}
        if act.kind != "typing":
            self.done.append(Done(number, person, channel, said, None, fault))
        return {"choices": []}

    def _answer(self, person: Person, act: Act) -> Answer:
        if act.kind == "command":
            return person.command(act.name, **act.options)
        if act.kind == "typing":
            return person.typing(act.name, act.field, **{act.field: "", **act.options})
        message = self.message(act.message)
        if act.kind == "press":
            return person.press(act.custom_id, message)
        if act.kind == "choose":
            return person.choose(act.custom_id, *act.values, message=message)
        raise LookupError(act.kind)

    def message(self, number: str) -> Message:
        """A message, whoever sees it. Raises LookupError."""
        if number in self.fake.messages:
            return self.fake.messages[number]
        for done in self.done:
            for each in _messages(done):
                if each.id == number:
                    return each
        raise LookupError(number)

    def check(self) -> list[str]:
        """What Discord tries when it is given the site's address: what is wrong with it."""
        forged = json.dumps({"type": 1}).encode()
        wrong = []
        try:
            answer = self.discord.ping()
            if (answer.status, answer.body) != (200, {"type": 1}):
                wrong.append(f"A good signature is answered {answer.status}, not 200 with a PONG.")
            headers = {**self.discord.signed(forged), "X-Signature-Ed25519": "0" * 128}
            status, _ = self.discord.post(forged, headers)
            if status != 401:
                wrong.append(f"A forged signature is answered {status}, not 401.")
        except Invalid as invalid:
            wrong.append(f"Discord does not take the answer: {invalid.faults}")
        except httpx.HTTPError as error:
            wrong.append(f"The site cannot be reached: {error}")
        return wrong

    # -- what is seen ----------------------------------------------------------------------------

    def state(self, person: str) -> dict[str, Any]:
        """All that somebody sees: no answers to others that are for their eyes alone."""
        with self.fake.lock:
            return {
                "server": {"id": self.guild.id, "name": self.guild.name},
                "site": self.site,
                "people": [{"id": each.id, "name": each.name} for each in self.people.values()],
                "roles": [
                    {
                        "id": number, "name": name,
                        "members": [
                            each.name
                            for each in self.people.values()
                            if number in self.guild.members[each.id]
                        ],
                    }
                    for number, name in self.guild.roles.items()
                ],
                "channels": [
                    {
                        "id": each.id, "name": each.name or "The bot, to you alone",
                        "parent": each.parent, "direct": bool(each.recipient),
                        "archived": each.archived, "messages": self._said_in(each, person),
                    }
                    for each in self.fake.channels.values()
                    if each.recipient in ("", person)
                ],
                "commands": [
                    {key: each.get(key) for key in ("name", "description", "options")}
                    for commands in self.fake.commands.values()
                    for each in commands
                ],
                "faults": list(self.faults),
            }  # fmt: skip

    def _said_in(self, channel: Channel, person: str) -> list[dict[str, Any]]:
        shown = {each.id: _shown(each) for each in self.fake.said_in(channel)}
        for done in self.done:
            if done.channel.id != channel.id:
                continue
            own = done.person.id == person
            private = done.token is None or done.token.ephemeral
            asked = f"{done.person.name} used {done.said}" if done.said else ""
            head: dict[str, Any] = {"asked": asked, "private": private}
            if own or not private:
                if done.fault:
                    shown[done.id] = _line(done.id) | head | {"fault": done.fault}
                elif done.said and not _messages(done):
                    shown[done.id] = _line(done.id) | head | {"content": "…is thinking."}
            for each in _messages(done):
                # What follows says for itself whether it is for one alone.
                is_first = done.token is not None and each is done.token.original
                head["private"] = (private and is_first) or _is_private(each)
                if each.id not in shown and (own or not head["private"]):
                    shown[each.id] = _shown(each) | head
                    head = {"asked": ""}
        return sorted(shown.values(), key=lambda each: int(each["id"]))


def _messages(done: Done) -> Sequence[Message]:
    if done.token is None:
        return ()
    first = () if done.token.original is None else (done.token.original,)
    return (*first, *done.token.follow_ups)


def _is_private(message: Message) -> bool:
    return bool(message.body.get("flags", 0) & EPHEMERAL)


def _line(number: str) -> dict[str, Any]:
    at = (int(number) >> 22) + EPOCH_MS
    return {"id": number, "at": at, "content": "", "embeds": [], "components": [], "files": []}


def _shown(message: Message) -> dict[str, Any]:
    told = {key: message.shown[key] for key in ("content", "embeds", "components")}
    edited = len(message.versions) > 1
    return _line(message.id) | told | {"files": sorted(message.files), "edited": edited}


def pairs(body: bytes) -> dict[str, str]:
    """The fields of a form."""
    return dict(httpx.QueryParams(body.decode(errors="replace")))
