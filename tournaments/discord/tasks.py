"""What workers do for Discord: the parts of answers that take longer than it waits."""

from __future__ import annotations

from typing import Final

import structlog
from celery import shared_task

from accounts.models import User
from core.clock import now_ms
from core.discord.client import DiscordError, File, interaction_finish
from core.discord.text import escaped
from core.queueing import enqueue
from core.refusals import Forbidden, Refusal
from core.senders import Senders
from tournaments.discord.commands.matches import RECORD
from tournaments.discord.interactions import FAILED, TOKEN_S, Reply
from tournaments.discord.replies import PICTURE, Shown, record_file
from tournaments.jobs import DISCORD_FINISH

log = structlog.get_logger("gauntlet.discord")


# Beside the bot's own messages: nobody who looks at a promise waits for those.
SENDERS: Final = Senders("GAUNTLET_DISCORD_ANSWER_SENDERS")
#: Seconds after which it is tried again where too many wait already.
AGAIN_S: Final = 1.0


@shared_task(name=DISCORD_FINISH)
def finish(
    token: str,
    what: str,
    match_id: int,
    user_id: int | None,
    words: str,
    until: int | None = None,
) -> None:
    """Finish an answer that was promised: a match with its board, or with its record, as that user
    sees it, or as anybody does. While too many threads of this process wait for Discord, it is
    handed on, up to the instant ``until`` (ms)."""
    with SENDERS.one() as free:
        if free:
            _finish(token, what, match_id, user_id, words)
            return
    now = now_ms()
    until = until or now + 1000 * TOKEN_S
    if now < until:
        given = (token, what, match_id, user_id, words, until)
        enqueue(DISCORD_FINISH, *given, countdown=AGAIN_S, expires=AGAIN_S + (until - now) / 1000)


def _finish(token: str, what: str, match_id: int, user_id: int | None, words: str) -> None:
    try:
        reply, files = _finished(what, match_id, user_id, words)
    except Refusal as refusal:
        reply, files = Reply(escaped(refusal.sentence)), []
    except Exception:  # Whatever it is: somebody is looking at an answer that was promised.
        log.exception("discord.not-finished", match=match_id)
        reply, files = Reply(FAILED), []
    try:
        interaction_finish(token, reply.message, files=files)
    except DiscordError as error:
        # Whoever asked has gone, or will ask again.
        log.warning("discord.not-told", match=match_id, status=error.status, code=error.code)


def _finished(
    what: str, match_id: int, user_id: int | None, words: str
) -> tuple[Reply, list[File]]:
    user = None
    if user_id is not None:
        user = User.objects.filter(pk=user_id, is_active=True).first()
        if user is None:
            raise Forbidden("account.closed", "This account is closed.")
    shown = Shown(match_id, user)
    embed = shown.embed
    if what == RECORD:
        return Reply(words, embeds=[embed], rows=[shown.buttons]), [record_file(shown.match)]
    picture = shown.picture
    if picture is None:
        return Reply(words, embeds=[embed], rows=[shown.buttons]), []
    embed["image"] = {"url": f"attachment://{PICTURE}"}
    return Reply(words, embeds=[embed], rows=[shown.buttons]), [picture]
