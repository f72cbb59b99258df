"""What organisers and moderators can do about what counts for ratings, in tables: see
`core.actions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from accounts.models import Report, User
from core.actions import Action, Actions
from games.ratings.forms import PairRulingForm, RulingForm, WhyForm
from games.ratings.models import PairRuling
from games.ratings.pairs import (
    must_be_liftable,
    must_rule_on_pairs,
    pair_rate_again,
    pair_unrate,
)
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
    here."""

    moderator: User
    report: Report | None = None


@dataclass(frozen=True)
class AtPairRuling:
    """A moderator, and what was ruled on a pair."""

    moderator: User
    ruling: PairRuling


def _unrate(subject: AtPairs, form: Any) -> None:
    given = form.cleaned_data
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
    done="They count for nobody, and both players are told. Ratings follow within seconds.",
    check=lambda s: must_rule_on_pairs(s.moderator),
    form=lambda _s: PairRulingForm,
    run=_unrate,
)
RATE_AGAIN: Final = Action[AtPairRuling](
    name="rate_again",
    label="Take it back…",
    title="Have a pair's matches count again",
    button="Have them count again",
    done="They count again, and both players are told. Ratings follow within seconds.",
    follows=["What organisers have ruled on one of these matches, before or since, holds then."],
    facts=lambda s: [
        ("Players", f"{s.ruling.first} and {s.ruling.second}"),
        ("Matches", ", ".join(str(number) for number in s.ruling.matches)),
        ("Reason", s.ruling.why),
    ],
    check=lambda s: must_be_liftable(s.moderator, s.ruling),
    form=lambda _s: WhyForm,
    run=lambda s, form: pair_rate_again(
        acting_user=s.moderator, ruling=s.ruling, why=form.cleaned_data["why"]
    ),
)

PAIRS: Final = Actions("pairs", (UNRATE,))
PAIR_RULING: Final = Actions("pair-ruling", (RATE_AGAIN,))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (RATINGS, PAIRS, PAIR_RULING)
