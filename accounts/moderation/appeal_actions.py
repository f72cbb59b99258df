"""What moderators can do to an appeal, in a table: see `core.actions`."""

from dataclasses import dataclass
from functools import partial
from typing import Final

from django.utils.formats import date_format

from accounts.models import Appeal, Sanction, User
from accounts.moderation import appeals
from accounts.moderation.forms import DenyForm, GrantForm
from core.actions import Action, Actions, Fact
from core.admin.links import row_link


@dataclass(frozen=True)
class AtAppeal:
    """A moderator, and an appeal."""

    moderator: User
    appeal: Appeal


def _appeal_facts(subject: AtAppeal) -> list[Fact]:
    sanction = subject.appeal.sanction
    given = date_format(sanction.at, "j F Y")
    return [
        ("Against", row_link(sanction)),
        ("Given for", f"{sanction.reason} ({given}, {sanction.standing})"),
        ("Their words", subject.appeal.words),
    ]


CLAIM_APPEAL: Final = Action[AtAppeal](
    name="claim",
    label="Take it on",
    title="Take an appeal on",
    button="Take it on",
    done="This appeal is yours now.",
    check=lambda s: appeals.must_be_claimable(s.moderator, s.appeal),
    run=lambda s, _form: appeals.appeal_claim(acting_user=s.moderator, appeal=s.appeal),
    at_once=True,
)
GRANT: Final = Action[AtAppeal](
    name="grant",
    label="Grant…",
    title=lambda s: f"Grant appeal {s.appeal.pk}",
    button="Grant it",
    done="The appeal is granted, and the person is told.",
    follows=[
        "The sanction is lifted now, or ends at the moment that you give.",
        "One that has ended stays as it is; the record says that the appeal was right.",
        "The person gets your answer by mail and on their own page, without your name.",
    ],
    facts=_appeal_facts,
    check=lambda s: appeals.must_be_answerable(s.moderator, s.appeal),
    form=lambda s: partial(GrantForm, ends=_has_end(s.appeal.sanction)),
    run=lambda s, form: appeals.appeal_grant(
        acting_user=s.moderator, appeal=s.appeal, **form.cleaned_data
    ),
)
DENY: Final = Action[AtAppeal](
    name="deny",
    label="Deny…",
    title=lambda s: f"Deny appeal {s.appeal.pk}",
    button="Deny it",
    done="The appeal is denied, and the person is told.",
    follows=[
        "The sanction stays as it is. They cannot appeal against it again.",
        "The person gets your answer by mail and on their own page, without your name.",
    ],
    facts=_appeal_facts,
    check=lambda s: appeals.must_be_deniable(s.moderator, s.appeal),
    form=lambda _s: DenyForm,
    run=lambda s, form: appeals.appeal_deny(
        acting_user=s.moderator, appeal=s.appeal, **form.cleaned_data
    ),
)
RELEASE_APPEAL: Final = Action[AtAppeal](
    name="release",
    label="Give it back",
    title="Give an appeal back",
    button="Give it back",
    done="This appeal is back in the queue.",
    check=lambda s: appeals.must_be_releasable(s.moderator, s.appeal),
    run=lambda s, _form: appeals.appeal_release(acting_user=s.moderator, appeal=s.appeal),
    at_once=True,
)


def _has_end(sanction: Sanction) -> bool:
    """Whether it could be shortened."""
    return sanction.stands and sanction.kind != Sanction.Kind.WARNING


APPEAL: Final = Actions("appeal", (CLAIM_APPEAL, GRANT, DENY, RELEASE_APPEAL))
