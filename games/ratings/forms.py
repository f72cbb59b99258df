"""What may be asked of a leaderboard and of a history, on pages and in the API alike; and how it is
ruled on what counts."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Report, User
from core.admin.forms import ActionForm
from games.models import Match
from games.ratings.boards import Wanted
from games.ratings.models import PairRuling, RatingRuling
from games.ratings.pairs import of_pair_to_rule_on
from games.ratings.rings import of_ring
from games.ratings.services import WHY_MAX
from games.rulesets import REGISTRY
from games.words import game_name

GAMES_MAX = 100_000
DAYS_MAX = 36_500


class Showing(forms.ChoiceField):
    """Whether something is listed: `hide`, or `show`, which is also what an empty value means."""

    def __init__(self, label: str) -> None:
        choices = [("", "Shown"), ("hide", "Hidden")]
        super().__init__(label=label, required=False, choices=choices)

    def valid_value(self, value: Any) -> bool:
        return value == "show" or super().valid_value(value)


class BoardForm(forms.Form):
    """How a leaderboard is narrowed. Any number may stand in an address; the page offers a few."""

    games = forms.IntegerField(
        label="Matches",
        required=False,
        min_value=1,
        max_value=GAMES_MAX,
        widget=forms.Select(
            choices=[("", "Any number"), *((n, f"{n} or more") for n in (5, 10, 25, 50, 100))]
        ),
    )
    days = forms.IntegerField(
        label="Played within",
        required=False,
        min_value=1,
        max_value=DAYS_MAX,
        widget=forms.Select(
            choices=[("", "Any time"), (30, "30 days"), (90, "90 days"), (365, "A year")]
        ),
    )
    bots = Showing("Bots")
    provisional = Showing("Provisional")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A number that is not among those offered is offered as well: the form must show it.
        for name in ("games", "days"):
            widget = self.fields[name].widget
            assert isinstance(widget, forms.Select)  # noqa: S101  (as above)
            given = str(self.data.get(name, ""))
            offered = {str(value) for value, _ in widget.choices}
            if given.isascii() and given.isdigit() and given not in offered:
                widget.choices = [*widget.choices, (given, given)]

    def wanted(self) -> Wanted:
        """What was asked for; what makes no sense counts as not asked."""
        self.is_valid()
        data = self.cleaned_data
        return Wanted(
            games=data.get("games") or 1,
            days=data.get("days") or 0,
            bots=data.get("bots") != "hide",
            provisional=data.get("provisional") != "hide",
        )


class HistoryForm(forms.Form):
    """Which of somebody's matches to list."""

    game = forms.ChoiceField(
        label="Game",
        required=False,
        choices=lambda: [("", "All games"), *((each.id, each.name) for each in REGISTRY)],
    )
    result = forms.ChoiceField(
        label="Result",
        required=False,
        choices=[("", "All"), ("won", "Won"), ("lost", "Lost"), ("void", "Void")],
    )
    opponent = forms.CharField(
        label="Opponent",
        required=False,
        max_length=31,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )

    def chosen(self) -> dict[str, str]:
        """The valid part of what was asked for: `game`, `result`, `opponent`; empty for any."""
        self.is_valid()
        data = self.cleaned_data
        name = str(data.get("opponent", "")).strip().removeprefix("@").lower()
        return {"game": data.get("game", ""), "result": data.get("result", ""), "opponent": name}


class UsernameField(forms.CharField):
    """Somebody, by their username."""

    def __init__(self, **more: Any) -> None:
        super().__init__(max_length=31, **more)

    def clean(self, value: Any) -> Any:
        """The account of that name."""
        name = User.normalize_username(str(super().clean(value)).removeprefix("@"))
        user = User.objects.filter(username=name).first()
        if user is None:
            raise forms.ValidationError("There is no such account.", code="no-account")
        return user


class RulingForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a result shall count as, and why."""

    match = forms.ModelChoiceField(
        Match.objects.finished().defer("snapshot"), widget=forms.NumberInput, label="Match number"
    )
    counts = forms.ChoiceField(
        choices=[
            ("nobody", "For nobody"),
            ("0", "Won by the first player"),
            ("1", "Won by the second player"),
            ("played", "As it was played"),
        ]
    )
    why = forms.CharField(max_length=WHY_MAX, help_text="Everybody can read it.")

    class Meta:
        model = RatingRuling
        fields = ("match", "why")

    def validate_constraints(self) -> None:
        """Left to the service, which changes a ruling that is there already."""

    def validate_unique(self) -> None:
        """Left to the service as well."""


class WhyForm(ActionForm):
    """A reason that both players are told, and that everybody can read."""

    why = forms.CharField(
        label="Reason", max_length=WHY_MAX, help_text="Both players are told exactly this."
    )


class PairRulingForm(forms.ModelForm):  # type: ignore[type-arg]
    """Of which two players which matches shall count for nobody, and why. `report`: the one that
    led here, whose matches may be ruled on however old they are."""

    report: Report | None = None

    first = UsernameField(label="Player", help_text="A username.")
    second = UsernameField(label="And", help_text="A username.")
    chosen = forms.MultipleChoiceField(
        label="Matches",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="With none ticked, all of these.",
    )
    why = forms.CharField(
        label="Reason", max_length=WHY_MAX, help_text="Everybody can read it; both are told."
    )

    class Meta:
        model = PairRuling
        fields = ("first", "second", "why")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Only of a pair that is known can matches be offered.
        pair = [self._named(name) for name in ("first", "second")]
        offered = self.fields["chosen"]
        assert isinstance(offered, forms.MultipleChoiceField)  # noqa: S101  (as above)
        if None in pair or pair[0] == pair[1]:
            offered.help_text = "All of theirs of the last thirty days."
            return
        one, other = (user.pk for user in pair if user is not None)
        matches = of_pair_to_rule_on(one, other, self.report)
        offered.choices = [
            (match.pk, match_words(match))
            for match in matches.defer("snapshot").prefetch_related("players")
        ]

    def _named(self, name: str) -> User | None:
        given = self.data.get(name) if self.is_bound else self.initial.get(name)
        return User.objects.filter(username=User.normalize_username(str(given or ""))).first()

    def clean(self) -> dict[str, Any]:
        """Without a choice, all."""
        cleaned = super().clean() or {}
        return {**cleaned, "chosen": cleaned.get("chosen", [])}

    def validate_constraints(self) -> None:
        """Left to the service."""


class RingRulingForm(forms.ModelForm):  # type: ignore[type-arg]
    """Of which accounts that a report of a winner tells of all matches with the winner shall count
    for nobody, and why."""

    report: Report

    chosen = forms.MultipleChoiceField(
        label="Accounts",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="With none ticked, all of these.",
    )
    why = forms.CharField(
        label="Reason", max_length=WHY_MAX, help_text="Everybody can read it; all are told."
    )

    class Meta:
        model = PairRuling
        fields = ("why",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = self.fields["chosen"]
        assert isinstance(offered, forms.MultipleChoiceField)  # noqa: S101  (narrows the type)
        offered.choices = [
            (each.pk, f"{each} (@{each.username}): {number} match{'' if number == 1 else 'es'}")
            for each, number in of_ring(self.report).items()
        ]

    def clean(self) -> dict[str, Any]:
        """Without a choice, all."""
        cleaned = super().clean() or {}
        return {**cleaned, "chosen": cleaned.get("chosen", [])}

    def validate_constraints(self) -> None:
        """Left to the service."""


class RateAgainForm(WhyForm):
    """Why a ruling is taken back, and whether all that was ruled with it is."""

    together = forms.BooleanField(
        label="With all that was ruled in the same go", required=False, initial=True
    )


def match_words(match: Match) -> str:
    """A match of a pair as it can be ticked."""
    names = " vs ".join(player.name for player in match.players.all())
    ended = f"{match.finished_at:%d %B %Y, %H:%M}" if match.finished_at else ""
    return f"{match.pk}: {names}, {game_name(match.ruleset, match.variant)}, {ended} UTC"
