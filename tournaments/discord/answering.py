"""From what Discord tells of to what it is answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final, TypeVar

import structlog
from django.conf import settings
from django.core.cache import cache as kept
from django.db import connection
from redis.exceptions import RedisError

from core import metrics
from core.api.limits import take_of
from core.clock import now_ms
from core.discord.client import DiscordError, interaction_finish, interaction_follow_up
from core.discord.text import escaped
from core.queueing import enqueue
from core.refusals import NotFound, Refusal
from tournaments.discord.commands import COMMANDS, PRESSED, SPENT
from tournaments.discord.interactions import (
    EPHEMERAL,
    FAILED,
    TOKEN_S,
    Asked,
    Callback,
    Component,
    Interaction,
    Kind,
    Reply,
    choices_answer,
)
from tournaments.discord.signing import STALE_S
from tournaments.jobs import DISCORD_FINISH

T = TypeVar("T")

log = structlog.get_logger("gauntlet.discord")

# How many answers a process waits for at the same time; more wait for their turn.
AWAITED_AT_ONCE: Final = 4
# For how long an answer is tried to be given at once: Discord waits three seconds.
PATIENCE_S: Final = 2.0
# Within this Discord has read an answer, as a rule.
_READ_WITHIN_S: Final = 0.3
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
    try:
        _must_not_ask_too_often(asked, interaction.type)
        if interaction.type == Kind.TYPING:
            return choices_answer(_offered(interaction, asked))
    except Refusal as refusal:
        if interaction.type == Kind.TYPING:
            log.info("discord.refused", command=_name(interaction), code=refusal.code)
            return choices_answer(())
        return _refused(interaction, refusal).answer
    doing = partial(_reply, interaction, asked)
    if _name(interaction) in _MAY_BE_HELD:
        return _in_time(interaction, asked, doing)
    reply = doing()
    if reply.awaited is not None:
        _aside(_waiting(), partial(_await, interaction.token, reply.awaited))
        return reply.promise
    return _at_once(interaction, reply)


def _name(interaction: Interaction) -> str:
    """What was asked for: the command, or what the button does."""
    return (interaction.data.name or interaction.data.custom_id.partition(":")[0])[:32]


def _reply(interaction: Interaction, asked: Asked) -> Reply:
    """Do it; a refusal is a reply, too. A button that had done its part before goes."""
    rows_left = _rows_left(interaction)
    try:
        reply = _done(interaction, asked)
    except Refusal as refusal:
        refusal = asked.explained(refusal)
        return replace(_refused(interaction, refusal), rows_left=rows_left)
    log.info("discord.done", command=_name(interaction), ms=now_ms() - asked.at)
    return replace(reply, rows_left=rows_left)


def _rows_left(interaction: Interaction) -> Sequence[Component] | None:
    """What stays below the message of a button that has done its part; None where it has not."""
    if interaction.type != Kind.COMPONENT:
        return None
    name, *arguments = interaction.data.custom_id.split(":")
    if name not in SPENT or not _fit(name, arguments) or not SPENT[name](*arguments):
        return None
    return interaction.rows_left


def _refused(interaction: Interaction, refusal: Refusal) -> Reply:
    log.info("discord.refused", command=_name(interaction), code=refusal.code)
    metrics.REFUSALS.inc("discord", refusal.code)
    return Reply(escaped(refusal.sentence))


def _at_once(interaction: Interaction, reply: Reply) -> dict[str, Any]:
    if reply.rows_left is not None:
        _aside(_beside(), partial(_tell_soon, interaction.token, reply))
        return {"type": Callback.UPDATE, "data": {"components": list(reply.rows_left)}}
    handed_on = reply.later is not None and _handed_on(interaction, reply)
    return reply.promise if handed_on else reply.answer


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
    "here": (True,),
    "accept": (True,),
    "choose": (False, True),
    "chosen": (False, True, True),
    "watch": (True,),
    "follow": (True,),
    "unfollow": (True,),
}


def _fit(name: str, arguments: list[str]) -> bool:
    shape = _SHAPES[name]
    return len(arguments) == len(shape) and all(
        not number or (each.isascii() and each.isdigit() and len(each) < 19)
        for number, each in zip(shape, arguments, strict=True)
    )


# -- what Discord does not wait for --------------------------------------------------------------

#: What changes rows that somebody else may hold, and how its answer is promised. (A move has a way
#: of its own: `commands.matches`.) A button's message stays as it is until that has been done.
_MAY_BE_HELD: Final[dict[str, Reply]] = {
    "ready": Reply(),
    "here": Reply(),
    "challenge": Reply(),
    "watch": Reply(),
    "follow": Reply(),
    "unfollow": Reply(),
    "accept": Reply(update=True),
    "chosen": Reply(update=True),
}


def _in_time(interaction: Interaction, asked: Asked, doing: Callable[[], Reply]) -> dict[str, Any]:
    """The answer to what is done in a thread of its own, or a promise where that takes long: then
    it goes on all the same, and is answered once it is done."""
    done = _begun(doing)
    left = PATIENCE_S - (now_ms() - asked.at) / 1000
    try:
        return _at_once(interaction, done.result(max(0.0, left)))
    except TimeoutError:
        if done.done():  # by a fault that is called so
            raise
    promised = _MAY_BE_HELD[_name(interaction)]
    log.info("discord.promised", command=_name(interaction))
    done.add_done_callback(partial(_done_late, interaction, promised.update))
    return promised.promise


def _begun(doing: Callable[[], Reply]) -> Future[Reply]:
    return _doing().submit(copy_context().run, _closing, doing)


def _done_late(interaction: Interaction, instead: bool, done: Future[Reply]) -> None:
    """See to it that a promise is kept. ``instead``: in place of the button's message."""
    fault = done.exception()
    if fault is not None:
        log.error("discord.not-finished", exc_info=fault)
    reply = Reply(FAILED) if fault is not None else done.result()
    _aside(_telling(), partial(_tell_late, interaction, instead, reply))


def _tell_late(interaction: Interaction, instead: bool, reply: Reply) -> None:
    token = interaction.token
    try:
        if instead and not reply.update:
            # The message is others', too, and still true.
            _tell_beside(token, reply)
        elif reply.public:
            # It was promised to one alone; and what comes first takes the promise's place.
            interaction_finish(token, Reply("It is done.").message)
            interaction_follow_up(token, reply.message)
        elif instead or reply.later is None or not _handed_on(interaction, reply):
            interaction_finish(token, reply.message)
    except DiscordError as error:
        log.warning("discord.not-told", status=error.status, code=error.code)


def _aside(threads: ThreadPoolExecutor, call: Callable[[], None]) -> None:
    """Do something beside, in this process."""
    threads.submit(_closing, call)


def _closing(call: Callable[[], T]) -> T:
    try:
        return call()
    finally:
        connection.close()  # others may need it meanwhile


# What waits for a match never waits for Discord, which may be slow to take an answer.
@cache
def _waiting() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AWAITED_AT_ONCE, thread_name_prefix="gauntlet-discord")


# Nor does it wait for what somebody else holds.
@cache
def _doing() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AWAITED_AT_ONCE, thread_name_prefix="gauntlet-discord-doing")


@cache
def _telling() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AWAITED_AT_ONCE, thread_name_prefix="gauntlet-discord-telling")


# Nor does what was promised wait for what only goes with an answer.
@cache
def _beside() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AWAITED_AT_ONCE, thread_name_prefix="gauntlet-discord-beside")


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


def _tell_soon(token: str, reply: Reply) -> None:
    # Before Discord has read the answer it knows nothing of the token.
    time.sleep(_READ_WITHIN_S)
    _tell_beside(token, reply)


def _tell_beside(token: str, reply: Reply) -> None:
    try:
        interaction_follow_up(token, {**reply.message, "flags": EPHEMERAL})
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
