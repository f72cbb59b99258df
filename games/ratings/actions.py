"""What organisers can do about what counts for ratings, in a table: see `core.actions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from accounts.models import User
from core.actions import Action, Actions
from games.ratings.forms import RulingForm
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

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (RATINGS,)
