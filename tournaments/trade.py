"""What is traded in a season beside matches: a currency, and tokens of immunity.

What its organisers have chosen is one setting of the season (`Season.trade`), read by `trade_of`;
nothing is chosen by default, and then there is no ledger. Pure but for the season's row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from core.refusals import Refusal
from core.text import one_line
from games.engine.options import options_read
from tournaments.models.ledger import Unit
from tournaments.models.seasons import Season

NAME_MAX: Final = 20
START_MAX: Final = 1000

Payments = Literal["none", "open", "secret"]
Stakes = Literal["none", "amount", "all", "wager", "wager-tokens"]
Leaving = Literal["stays", "lapses"]

PAYMENTS: Final[Mapping[str, str]] = {
    "none": "No",
    "open": "Yes, openly",
    "secret": "Yes, openly or in secret",
}
STAKES: Final[Mapping[str, str]] = {
    "none": "Nothing changes hands",
    "amount": "The winner takes a fixed amount from the loser",
    "all": "The winner takes all that the loser has",
    "wager": "Both wager the same amount, and the winner takes both",
    "wager-tokens": "Both wager as many immunity tokens, and the winner takes both",
}
LEAVING: Final[Mapping[str, str]] = {"stays": "They keep it", "lapses": "It goes to the bank"}


class Trade(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a season trades in.

    currency   whether it has a currency, called ``singular`` and ``plural``
    start      what everybody has when the season begins, and who enters later
    payments   whether contestants may pay each other
    hidden     whether what somebody has is shown to nobody else until the season is over
    tokens     whether there are tokens of immunity; ``tokens_given``: they may be given on
    stakes     what a death match moves from its loser to its winner; ``stake``: how much of it;
               ``stake_token``: whether the winner takes a token, too, if the loser has one
    leaving    what becomes of what somebody has who is out
    """

    currency: bool = False
    singular: str = "garnet"
    plural: str = "garnets"
    start: Annotated[int, msgspec.Meta(ge=0, le=START_MAX)] = 0
    payments: Payments = "none"
    hidden: bool = False
    tokens: bool = False
    tokens_given: bool = False
    stakes: Stakes = "none"
    stake: Annotated[int, msgspec.Meta(ge=1, le=START_MAX)] = 1
    stake_token: bool = False
    leaving: Leaving = "stays"

    @property
    def is_on(self) -> bool:
        """Whether there is anything to trade in."""
        return self.currency or self.tokens

    @property
    def title(self) -> str:
        """What pages call all of it."""
        return self.plural[:1].upper() + self.plural[1:] if self.currency else "Tokens"

    @property
    def gives(self) -> tuple[Unit, ...]:
        """What contestants may hand to each other."""
        found = []
        if self.currency and self.payments != "none":
            found.append(Unit.CURRENCY)
        if self.tokens and self.tokens_given:
            found.append(Unit.TOKEN)
        return tuple(found)

    @property
    def wagers(self) -> Unit | None:
        """What the two of a death match may wager; None for nothing."""
        return {"wager": Unit.CURRENCY, "wager-tokens": Unit.TOKEN}.get(self.stakes)

    @property
    def wagers_what(self) -> str:
        """The same in words: "immunity tokens"."""
        return "" if self.wagers is None else self.said(None, self.wagers)

    @property
    def rules(self) -> tuple[str, ...]:
        """What those who play have to know of all this, in sentences."""
        if not self.is_on:
            return ("Nothing is traded.",)
        found = []
        if self.currency:
            if self.start:
                found.append(f"Everybody begins with {self.said(self.start, Unit.CURRENCY)}.")
            pay = {"none": "cannot", "open": "may", "secret": "may"}[self.payments]
            how = ", openly or in secret" if self.in_secret else ""
            found.append(f"Contestants {pay} pay each other {self.plural}{how}.")
        if self.tokens:
            found.append("Whoever uses an immunity token is immune in the episode that is on.")
            found.append(f"Tokens {'may' if self.tokens_given else 'cannot'} be given on.")
        if self.hidden:
            found.append(
                "What everybody has is hidden until the season is over; then everybody sees "
                "everything, secret payments too."
            )
        else:
            found.append("Everybody sees what everybody has.")
        found.extend(self.stakes_rules)
        keeps = self.leaving == "stays"
        found.append(
            "Whoever is out keeps what they have."
            if keeps
            else "What somebody has who is out goes to the bank."
        )
        return tuple(found)

    @property
    def stakes_rules(self) -> tuple[str, ...]:
        """What a death match moves, in sentences; none where nothing is traded."""
        if not self.is_on:
            return ()
        found = []
        if self.stakes == "amount":
            much = self.said(self.stake, Unit.CURRENCY)
            found.append(
                f"In a death match the winner takes {much} from the loser, or what there is of it."
            )
        elif self.stakes != "none" or not self.stake_token:
            what = STAKES[self.stakes]
            found.append(f"In a death match {what[:1].lower()}{what[1:]}.")
        if self.stake_token:
            found.append("The winner takes an immunity token from a loser who has one.")
        return tuple(found)

    @property
    def in_secret(self) -> bool:
        """Whether they may do so in secret."""
        return self.payments == "secret"

    def said(self, amount: int | None, unit: str) -> str:
        """An amount in words; None where how much it is is not told."""
        if unit == Unit.TOKEN:
            one, many = "immunity token", "immunity tokens"
        else:
            one, many = self.singular, self.plural
        if amount is None:
            return many
        return f"{amount} {one if amount == 1 else many}"


def trade_of(season: Season) -> Trade:
    """What a season trades in."""
    return msgspec.convert(season.trade, Trade)


def trade_validate(given: Any) -> dict[str, Any]:
    """The setting as it is stored: nothing where it says no more than that there is nothing.

    Raises Refusal ``trade.options`` for whatever is unknown, of a wrong type or out of range, and
    ``trade.name``, ``trade.secret`` and ``trade.nothing``.
    """
    if not isinstance(given, Mapping):
        raise Refusal("trade.options", "What is traded is given as names and values.")
    trade = options_read(Trade, given, "trade.options")
    names = {name: one_line(getattr(trade, name)) for name in ("singular", "plural")}
    for field, name in names.items():
        if not 1 <= len(name) <= NAME_MAX:
            sentence = f"The name of a currency has 1 to {NAME_MAX} characters."
            raise Refusal("trade.name", sentence, field=field)
    trade = msgspec.structs.replace(trade, **names)
    if trade.in_secret and not trade.hidden:
        # Whoever sees what the others have sees each payment, too.
        raise Refusal(
            "trade.secret",
            "Who may pay in secret has a purse that nobody looks into: hide what everybody has.",
            field="hidden",
        )
    if trade.wagers == Unit.TOKEN and not trade.tokens:
        raise Refusal("trade.nothing", "Without tokens there are none to wager.", field="stakes")
    if trade.stakes != "none" and trade.wagers != Unit.TOKEN and not trade.currency:
        raise Refusal(
            "trade.nothing", "Without a currency there is nothing to play for.", field="stakes"
        )
    if trade.stake_token and not trade.tokens:
        raise Refusal(
            "trade.nothing", "Without tokens there is none to take from a loser.",
            field="stake_token",
        )  # fmt: skip
    return {} if trade == Trade() else msgspec.structs.asdict(trade)
