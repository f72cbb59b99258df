"""What administrators can do about rows that were set aside, in a table: see `core.actions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from accounts.models import User
from config.operations.services import rows_retry
from core.actions import Action, Actions
from core.jobs.models import SetAside


@dataclass(frozen=True)
class AtAside:
    """Somebody, and a row that was set aside."""

    user: User
    row: SetAside


TRY_AGAIN: Final = Action[AtAside](
    name="try_again",
    label="Try again",
    title="Try again",
    button="Try again",
    done="The next run tries it again.",
    # Who may see such a row may ask for it.
    check=lambda _s: None,
    run=lambda s, _form: rows_retry(acting_user=s.user, rows=[s.row]),
)

#: On the list of such rows.
ASIDES: Final = Actions("asides", (TRY_AGAIN,))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (ASIDES,)
