"""What organisers and moderators can do about what counts for ratings, in tables: see
`core.actions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from accounts.models import Report, User
from core.actions import Action, Actions
from core.admin.forms import ActionForm
from games.ratings.forms import (
    PairRulingForm,
    RateAgainForm,
    RingRulingForm,
    RulingForm,
    WhyForm,
)
from games.ratings.models import PairRuling
from games.ratings.pairs import (
    must_be_liftable,
    must_rule_on_pairs,
    pair_rate_again,
    pair_unrate,
)
from games.ratings.rings import ring_rate_again, ring_unrate, ruled_together
from games.ratings.services import must_rule, rating_correct, rating_exclude, rating_include


@dataclass(frozen=True)
class AtRatings:
    """Somebody, and what counts for ratings."""

    user: User


def _rule(subject: AtRatings, form: Any) -> None:
    given = form.cleaned_data
    ruling: dict[str, Any] = {
        "match_id": given["match"].pk,
        "acting_user": subject.user,
        "why": given["why"],
    }
    if given["counts"] == "played":
        rating_include(**ruling)
    elif given["counts"] == "nobody":
        rating_exclude(**ruling)
    else:
        rating_correct(**ruling, winner=int(given["counts"]))


RULE: Final = Action[AtRatings](
    name="rule",
    label="Rule on a result",
    title="Rule on a result",
    button="Rule",
    done="Ruled. Ratings follow within seconds.",
    check=lambda s: must_rule(s.user),
    form=lambda _s: RulingForm,
    run=_rule,
)

RATINGS: Final = Actions("ratings", (RULE,))

# -- pairs of players ------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtPairs:
    """A moderator, and the pairs whose matches may be ruled on; ``report``: the one that led
    here; ``ring``: that of a winner, whose ring is ruled on as a whole."""

    moderator: User
    report: Report | None = None
    ring: Report | None = None


@dataclass(frozen=True)
class AtPairRuling:
    """A moderator, and what was ruled on a pair."""

    moderator: User
    ruling: PairRuling


def _unrate(subject: AtPairs, form: Any) -> None:
    given = form.cleaned_data
    if subject.ring is not None:
        ring_unrate(
            acting_user=subject.moderator,
            report=subject.ring,
            accounts=[int(number) for number in given["chosen"]],
            why=given["why"],
        )
        return
    pair_unrate(
        acting_user=subject.moderator,
        first=given["first"],
        second=given["second"],
        matches=[int(number) for number in given["chosen"]],
        why=given["why"],
        report=subject.report,
    )


UNRATE: Final = Action[AtPairs](
    name="unrate",
    label="Have a pair's matches count for nobody",
    title="Have a pair's matches count for nobody",
    button="Have them count for nobody",
    done="They count for nobody, and the players are told. Ratings follow within seconds.",
    check=lambda s: must_rule_on_pairs(s.moderator),
    form=lambda s: PairRulingForm if s.ring is None else RingRulingForm,
    run=_unrate,
)


def _rate_again(subject: AtPairRuling, form: Any) -> None:
    given = form.cleaned_data
    again = ring_rate_again if given.get("together") else pair_rate_again
    again(acting_user=subject.moderator, ruling=subject.ruling, why=given["why"])


def _ruled_on(subject: AtPairRuling) -> list[tuple[str, str]]:
    ruling = subject.ruling
    facts = [
        ("Players", f"{ruling.first} and {ruling.second}"),
        ("Matches", ", ".join(str(number) for number in ruling.matches)),
        ("Reason", ruling.why),
    ]
    others = ruled_together(ruling).exclude(pk=ruling.pk)
    if others:
        pairs = "; ".join(f"{each.first} and {each.second}" for each in others)
        facts.append(("Ruled in the same go", pairs))
    return facts


def _asks(subject: AtPairRuling) -> type[ActionForm]:
    return RateAgainForm if ruled_together(subject.ruling).count() > 1 else WhyForm


RATE_AGAIN: Final = Action[AtPairRuling](
    name="rate_again",
    label="Take it back…",
    title="Have a pair's matches count again",
    button="Have them count again",
    done="They count again, and the players are told. Ratings follow within seconds.",
    follows=["What organisers have ruled on one of these matches, before or since, holds then."],
    facts=_ruled_on,
    check=lambda s: must_be_liftable(s.moderator, s.ruling),
    form=_asks,
    run=_rate_again,
)

PAIRS: Final = Actions("pairs", (UNRATE,))
PAIR_RULING: Final = Actions("pair-ruling", (RATE_AGAIN,))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (RATINGS, PAIRS, PAIR_RULING)
