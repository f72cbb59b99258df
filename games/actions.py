"""What moderators can do about messages, and organisers about the best place, in tables: see
`core.actions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from accounts.models import Report, User
from accounts.moderation.forms import ReasonForm
from core.actions import Action, Actions, Fact
from core.admin.links import row_link
from games.forms import WhyForm
from games.models import ChatMessage, Match
from games.services.chat import chat_remove, chat_restore, must_be_removable, must_be_restorable
from games.services.featuring import (
    match_feature,
    match_unfeature,
    must_be_able_to_feature,
    must_be_able_to_unfeature,
)


@dataclass(frozen=True)
class AtMessage:
    """A moderator, and a message; ``report``: the one that leads to it."""

    moderator: User
    message: ChatMessage
    report: Report | None = None


def _facts(subject: AtMessage) -> Sequence[Fact]:
    message = subject.message
    return [
        (f"{message.author.shown_name} wrote", message.text),
        ("Match", row_link(message.match)),
    ]


REMOVE: Final = Action[AtMessage](
    name="remove",
    label="Take it away…",
    title="Take a message away",
    button="Take it away",
    done="The message is taken away.",
    follows=["Nobody sees it any more, those who have the match open included."],
    facts=_facts,
    check=lambda s: must_be_removable(s.moderator, s.message),
    form=lambda _s: ReasonForm,
    run=lambda s, form: chat_remove(
        acting_user=s.moderator,
        message=s.message,
        why=form.cleaned_data["reason"],
        report=s.report,
    ),
    danger=True,
)
RESTORE: Final = Action[AtMessage](
    name="restore",
    label="Put it back…",
    title="Put a message back",
    button="Put it back",
    done="The message is back.",
    follows=["It stands again in its place for whoever opens the match from now on."],
    facts=_facts,
    check=lambda s: must_be_restorable(s.moderator, s.message),
    form=lambda _s: ReasonForm,
    run=lambda s, form: chat_restore(
        acting_user=s.moderator, message=s.message, why=form.cleaned_data["reason"]
    ),
)

MESSAGE: Final = Actions("message", (REMOVE, RESTORE))

# -- on the list of messages, and beside a match ---------------------------------------------------

REMOVE_CHOSEN: Final = Action[AtMessage](
    name="remove_messages",
    label="Take the selected messages away",
    title="Take messages away",
    button="Take them away",
    done="The message is taken away.",
    check=lambda s: must_be_removable(s.moderator, s.message),
    run=lambda s, _form: chat_remove(acting_user=s.moderator, message=s.message),
)
REMOVE_BESIDE: Final = Action[AtMessage](
    name="remove",
    label="Remove",
    title="Remove a message",
    button="Remove",
    done="The message is taken away.",
    check=lambda s: must_be_removable(s.moderator, s.message),
    form=lambda _s: WhyForm,
    run=lambda s, form: chat_remove(
        acting_user=s.moderator, message=s.message, why=form.cleaned_data["why"]
    ),
)

MESSAGES: Final = Actions("messages", (REMOVE_CHOSEN,))
BESIDE_MATCH: Final = Actions("beside-match", (REMOVE_BESIDE,))


# -- the best place --------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtMatch:
    """Somebody, and a match."""

    user: User
    match: Match


FEATURE: Final = Action[AtMatch](
    name="feature",
    label="Feature this match",
    title="Feature a match",
    button="Feature this match",
    done="This match is featured now: home, the lobby and the watch page show it first.",
    check=lambda s: must_be_able_to_feature(s.match, s.user),
    run=lambda s, _form: match_feature(acting_user=s.user, match=s.match),
    at_once=True,
)
UNFEATURE: Final = Action[AtMatch](
    name="unfeature",
    label="Stop featuring it",
    title="Stop featuring a match",
    button="Stop featuring it",
    done="This match is not featured any more. The site chooses one.",
    check=lambda s: must_be_able_to_unfeature(s.match, s.user),
    run=lambda s, _form: match_unfeature(acting_user=s.user, match=s.match),
    at_once=True,
)

BEST_PLACE: Final = Actions("best-place", (FEATURE, UNFEATURE))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (MESSAGE, MESSAGES, BESIDE_MATCH, BEST_PLACE)
