"""From what Discord tells of to what it is answered."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.cache import cache as kept
from django.db import connection
from redis.exceptions import RedisError

from core import metrics
from core.api.limits import take_of
from core.clock import now_ms
from core.discord.client import DiscordError, interaction_finish
from core.discord.text import escaped
from core.queueing import enqueue
from core.refusals import NotFound, Refusal
from tournaments.discord.commands import COMMANDS, PRESSED
from tournaments.discord.interactions import (
    FAILED,
    Asked,
    Callback,
    Interaction,
    Kind,
    Reply,
    choices_answer,
)
from tournaments.discord.signing import STALE_S
from tournaments.jobs import DISCORD_FINISH

log = structlog.get_logger("gauntlet.discord")

# An interaction's token is good for fifteen minutes.
TOKEN_S: Final = 15 * 60
# How many answers a process waits for at the same time; more wait for their turn.
AWAITED_AT_ONCE: Final = 4
PONG: Final = {"type": Callback.PONG}

_KINDS: Final[dict[int, str]] = {
    Kind.COMMAND: "command",
    Kind.COMPONENT: "button",
    Kind.TYPING: "typing",
}
_TOOK: Final = metrics.histogram(
    "discord_answer_seconds",
    "From when what Discord tells of was there to its answer, by what somebody did.",
    ("kind",),
)


def is_new(interaction: Interaction) -> bool:
    """Whether this is the first time that Discord, or who has overheard it, tells of this."""
    try:
        return bool(kept.add(f"discord:{interaction.id}", 1, timeout=2 * STALE_S))
    except RedisError as error:
        log.warning("discord.not-noted", error=type(error).__name__)
        return True


def answer(interaction: Interaction, *, at: int, came: int | None = None) -> dict[str, Any]:
    """The answer to what came at the instant ``at`` (ms), which was at the reading ``came``
    (`core.instants`). What a worker is to make of it is handed on; where none would hear of it,
    the answer does without."""
    made = _answer(interaction, Asked.of(interaction, at=at, came=came))
    took = max(0, now_ms() - at) / 1000
    _TOOK.labels(_KINDS.get(interaction.type, metrics.OTHER)).observe(took)
    return made


def _answer(interaction: Interaction, asked: Asked) -> dict[str, Any]:
    name = interaction.data.name or interaction.data.custom_id.partition(":")[0]
    try:
        _must_not_ask_too_often(asked, interaction.type)
        if interaction.type == Kind.TYPING:
            return choices_answer(_offered(interaction, asked))
        reply = _done(interaction, asked)
    except Refusal as refusal:
        log.info("discord.refused", command=name[:32], code=refusal.code)
        if interaction.type == Kind.TYPING:
            return choices_answer(())
        metrics.REFUSALS.inc("discord", refusal.code)
        return Reply(escaped(refusal.sentence)).answer
    log.info("discord.done", command=name[:32], ms=now_ms() - asked.at)
    if reply.awaited is not None:
        _aside(_waiting(), partial(_await, interaction.token, reply.awaited))
        return reply.promise
    if reply.later is not None and _handed_on(interaction, reply):
        return reply.promise
    return reply.answer


def _must_not_ask_too_often(asked: Asked, kind: int) -> None:
    """Raises Refusal ``discord.too-often``. Letters are counted for themselves: nobody loses a move
    for having looked long for it."""
    allowed = settings.GAUNTLET_DISCORD_PER_MINUTE
    counted = "discord-typing" if kind == Kind.TYPING else "discord"
    standing = take_of(counted, asked.person.id, allowed=allowed)
    if standing.remaining < 0:
        sentence = f"That was too often. Please wait {standing.reset} s."
        raise Refusal("discord.too-often", sentence)


def _offered(interaction: Interaction, asked: Asked) -> Any:
    command = COMMANDS.get(interaction.data.name)
    return () if command is None else command.offered(asked)


def _done(interaction: Interaction, asked: Asked) -> Reply:
    if interaction.type == Kind.COMMAND:
        command = COMMANDS.get(interaction.data.name)
        if command is not None:
            return command.run(asked)
    elif interaction.type == Kind.COMPONENT:
        name, *arguments = interaction.data.custom_id.split(":")
        pressed = PRESSED.get(name)
        if pressed is not None and _fit(name, arguments):
            return pressed(asked, *arguments)
    raise NotFound("discord.unknown", "There is no such command any more.")


#: What the ids of buttons have behind the first word: which of it are numbers.
_SHAPES: Final = {
    "ready": (True,),
    "accept": (True,),
    "choose": (False, True),
    "chosen": (False, True, True),
    "watch": (True,),
}


def _fit(name: str, arguments: list[str]) -> bool:
    shape = _SHAPES[name]
    return len(arguments) == len(shape) and all(
        not number or (each.isascii() and each.isdigit() and len(each) < 19)
        for number, each in zip(shape, arguments, strict=True)
    )


# -- what Discord does not wait for --------------------------------------------------------------


def _aside(threads: ThreadPoolExecutor, call: Callable[[], None]) -> None:
    """Do something beside, in this process."""
    threads.submit(_closing, call)


def _closing(call: Callable[[], None]) -> None:
    try:
        call()
    finally:
        connection.close()  # others may need it meanwhile


# What waits for a match never waits for Discord, which may be slow to take an answer.
@cache
def _waiting() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AWAITED_AT_ONCE, thread_name_prefix="gauntlet-discord")


@cache
def _telling() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AWAITED_AT_ONCE, thread_name_prefix="gauntlet-discord-telling")


def _await(token: str, awaited: Callable[[], Reply]) -> None:
    """Wait for an answer that was promised, and have it given."""
    try:
        reply = awaited()
    except Refusal as refusal:
        reply = Reply(escaped(refusal.sentence))
    except Exception:  # Whatever it is: somebody is looking at an answer that was promised.
        log.exception("discord.not-finished")
        reply = Reply(FAILED)
    _aside(_telling(), partial(_tell, token, reply))


def _tell(token: str, reply: Reply) -> None:
    try:
        interaction_finish(token, reply.message)
    except DiscordError as error:
        log.warning("discord.not-told", status=error.status, code=error.code)


def _handed_on(interaction: Interaction, reply: Reply) -> bool:
    later = reply.later
    if later is None:
        return False
    user_id = None if later.user is None else later.user.pk
    return enqueue(
        DISCORD_FINISH,
        interaction.token,
        later.what,
        later.match_id,
        user_id,
        reply.content,
        expires=TOKEN_S,
    )
