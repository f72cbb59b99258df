"""Forms about a season as a whole: its settings, with the options of each format, and who has won
where several share the first place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec
from django import forms

from core.refusals import Refusal
from games.engine.options import Limits
from games.forms import Card, Cards, games_offered, paces_offered
from games.options import pace
from games.options.late import DELAYS
from tournaments.formats.registry import FORMATS, format_of, option_limits, options_of
from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import ContestantField
from tournaments.forms.games import game_of, value_of
from tournaments.models import (
    Contestant,
    NoShowRule,
    RulesetChoice,
    Season,
    SecretGifts,
    TimesRule,
    WayIn,
)
from tournaments.models.seasons import PLACES_MIN
from tournaments.services.cloning import Bringing, next_name
from tournaments.services.seasons import NAME_MAX, PLACES_MAX, PLAY_WITHIN_MAX
from tournaments.standings.metrics import METRICS
from tournaments.trade import (
    LEAVING,
    PAYMENTS,
    STAKES,
    START_MAX,
    Trade,
    trade_of,
)
from tournaments.trade import NAME_MAX as CURRENCY_MAX

GAMES_MOST: Final = 12
TIES_MOST: Final = 6


def _option_field(name: str, default: Any, limits: Limits) -> forms.Field:
    # An option that says nothing of itself is called by its name.
    words = limits.title or name.replace("_", " ").capitalize()
    text = limits.text
    if limits.type is bool:
        return forms.BooleanField(label=words, help_text=text, required=False, initial=default)
    kind: Any = forms.FloatField if limits.type is float else forms.IntegerField
    # The lowest that is not allowed itself is for the service to refuse.
    bounds = {} if limits.open else {"min_value": limits.least}
    codes = ("invalid", "min_value", "max_value")
    field: forms.Field = kind(
        label=words,
        help_text=text,
        required=False,
        initial=default,
        max_value=limits.most,
        error_messages=dict.fromkeys(codes, limits.sentence),
        **bounds,
    )
    return field


def has_table(key: str) -> bool:
    """Whether seasons of that format have standings with tie-breaks."""
    return bool(format_of(key).course_type.tie_breaks)


def _format_defaults(key: str) -> dict[str, Any]:
    return msgspec.structs.asdict(options_of(key, {}))


class SeasonForm(ServiceForm):
    """A season's settings. Making one chooses the format too; later it stays."""

    at_field: ClassVar[Mapping[str, str]] = {
        "season.name": "name",
        "season.summary": "summary",
        "season.repertoire": "game_1",
        "setup": "game_1",
        "season.choice": "ruleset_choice",
        "season.pace": "pace",
        "season.tie-breaks": "tie_1",
        "season.places": "places",
        "season.no-show": "no_show_minutes",
        "setup.late": "late_s",
        "season.times-by": "times_by",
        "season.secret-gifts": "secret_gifts",
        "season.play-within": "play_within_days",
        "format.unknown": "format",
        "trade": "trade_currency",
    }

    format = forms.ChoiceField(
        label="Format",
        widget=Cards,
        choices=lambda: [(each.key, Card(each.name, each.summary)) for each in FORMATS.values()],
        initial=lambda: next(iter(FORMATS)),
    )
    name = forms.CharField(label="Name", max_length=80)
    summary = forms.CharField(
        label="What it is about",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    way_in = forms.ChoiceField(
        label="Who comes in",
        choices=WayIn.choices,
        initial=WayIn.CLOSED,
        widget=forms.RadioSelect,
        required=False,
    )
    places = forms.IntegerField(
        label="Places",
        required=False,
        min_value=PLACES_MIN,
        max_value=PLACES_MAX,
        help_text="Once they are taken, whoever comes waits for one. Empty: as many as like.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    ruleset_choice = forms.ChoiceField(
        label="Which of them a round is played in",
        choices=RulesetChoice.choices,
        initial=RulesetChoice.ROTATING,
    )
    pace = forms.ChoiceField(label="Pace", choices=paces_offered, widget=Cards, initial=pace.NORMAL)
    no_show_minutes = forms.IntegerField(
        label="Minutes of grace",
        initial=15,
        min_value=0,
        help_text="How long somebody may be late for a death match.",
    )
    no_show_rule = forms.ChoiceField(
        label="Who is not there after that",
        choices=NoShowRule.choices,
        initial=NoShowRule.ORGANISER,
    )
    late_s = forms.TypedChoiceField(
        label="Spectators see its matches",
        choices=list(DELAYS.items()),
        coerce=int,
        initial=0,
        required=False,
        help_text="So late that nobody who watches can help a player. Players and organisers see "
        "them at once, and how they end is told at once, too. It holds for matches that begin from "
        "then on.",
    )

    times_by = forms.ChoiceField(
        label="Who says when a death match is played",
        choices=TimesRule.choices,
        initial=TimesRule.OPEN,
        help_text="You can always set a time yourself.",
        required=False,
    )
    play_within_days = forms.IntegerField(
        label="Days to play a death match in",
        required=False,
        min_value=1,
        max_value=PLAY_WITHIN_MAX,
        help_text="Players agree on no later time, counted from when it is known who meets. Empty: "
        "no such end.",
    )
    predictions = forms.BooleanField(
        label="Spectators say who will win",
        required=False,
        initial=True,
        help_text="Whoever only watches predicts the winner of the season and of each death match, "
        "and a table tells who knew best. There is nothing to win.",
    )
    secret_gifts = forms.ChoiceField(
        label="Whether items that contestants give are secret",
        choices=SecretGifts.choices,
        initial=SecretGifts.NEVER,
        help_text="Only who gives it, who gets it and organisers who do not play know of it then, "
        "until it is used or the season is over. It holds for what is given from then on.",
        required=False,
    )
    trade_currency = forms.BooleanField(label="It has a currency", required=False)
    trade_singular = forms.CharField(
        label="What one is called", max_length=CURRENCY_MAX, initial="garnet", required=False
    )
    trade_plural = forms.CharField(
        label="What several are called", max_length=CURRENCY_MAX, initial="garnets", required=False
    )
    trade_start = forms.IntegerField(
        label="Everybody begins with", min_value=0, max_value=START_MAX, initial=0, required=False
    )
    trade_payments = forms.ChoiceField(
        label="Whether contestants may pay each other",
        choices=list(PAYMENTS.items()),
        initial="none",
        required=False,
    )
    trade_hidden = forms.BooleanField(
        label="Hide what everybody has until the season is over",
        required=False,
        help_text="Everybody sees their own; organisers, and administrators of the site, who do "
        "not play see all. Who may pay in secret needs it.",
    )
    trade_tokens = forms.BooleanField(
        label="There are tokens of immunity",
        required=False,
        help_text="Whoever uses one is immune in the episode that is on.",
    )
    trade_tokens_given = forms.BooleanField(label="Tokens may be given on", required=False)
    trade_stakes = forms.ChoiceField(
        label="A death match", choices=list(STAKES.items()), initial="none", required=False
    )
    trade_stake = forms.IntegerField(
        label="The fixed amount", min_value=1, max_value=START_MAX, initial=1, required=False
    )
    trade_stake_token = forms.BooleanField(
        label="The winner of a death match takes an immunity token from the loser",
        required=False,
        help_text="Where they have one.",
    )
    trade_leaving = forms.ChoiceField(
        label="What somebody has who is out",
        choices=list(LEAVING.items()),
        initial="stays",
        required=False,
    )

    def __init__(self, *args: Any, season: Season | None = None, **kwargs: Any) -> None:
        self._season = season
        if season is not None:
            kwargs["initial"] = _initial_of(season) | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
        offered = [("", "—"), *((value, card.title) for value, card in games_offered())]
        for number in range(1, GAMES_MOST + 1):
            self.fields[f"game_{number}"] = forms.ChoiceField(
                label=f"Game {number}", required=False, choices=offered
            )
        metrics = [("", "—"), *((each.key, each.name.capitalize()) for each in METRICS.values())]
        for number in range(1, TIES_MOST + 1):
            self.fields[f"tie_{number}"] = forms.ChoiceField(
                label=f"{number}.", required=False, choices=metrics
            )
        for kind in FORMATS.values():
            limits = option_limits(kind.key)
            for key, default in _format_defaults(kind.key).items():
                self.fields[f"{kind.key}_{key}"] = _option_field(key, default, limits[key])
        if season is not None:
            del self.fields["format"]
            if season.status != "enrolling":
                for name in [each for each in self.fields if self._is_fixed(each)]:
                    del self.fields[name]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        # What is filled in for formats that are not chosen is not shown, and not asked for.
        chosen = self._format_key
        for name in [each for each in self.errors if each != "format"]:
            of = next((key for key in FORMATS if name.startswith(f"{key}_")), chosen)
            if of != chosen:
                del self.errors[name]
        return data

    @property
    def _format_key(self) -> str:
        """The format's key; empty where none, or none that there is, was chosen."""
        if self._season is not None:
            return self._season.format
        return str(self.cleaned_data.get("format", ""))

    def part_field(self, refusal: Refusal) -> str:
        """Options of a format at their own fields."""
        if refusal.code.startswith("trade."):
            return f"trade_{refusal.field}"
        return f"{self._format_key}_{refusal.field}" if refusal.code == "format.options" else ""

    def _is_fixed(self, name: str) -> bool:
        """Whether a field is one of those that a season that has begun does not have any more."""
        return any(name.startswith(f"{key}_") for key in (*FORMATS, "tie"))

    @property
    def trades(self) -> list[forms.BoundField]:
        """The fields for what is traded."""
        return [self[name] for name in self.fields if name.startswith("trade_")]

    @property
    def games(self) -> list[forms.BoundField]:
        """The fields for what is played."""
        return [self[f"game_{number}"] for number in range(1, GAMES_MOST + 1)]

    @property
    def ties(self) -> list[forms.BoundField]:
        """The fields for the order of the tie-breaks."""
        return [self[f"tie_{number}"] for number in range(1, TIES_MOST + 1)]

    @property
    def options(self) -> list[tuple[str, bool, list[forms.BoundField]]]:
        """For each format that can be chosen, in the order of the choice: its name, whether it has
        tie-breaks, and the fields of its options."""
        keys = list(FORMATS) if self._season is None else [self._season.format]
        return [
            (
                FORMATS[key].name,
                has_table(key),
                [self[name] for name in self.fields if name.startswith(f"{key}_")],
            )
            for key in keys
        ]

    @property
    def ranks(self) -> bool:
        """Whether standings have tie-breaks that can be chosen now."""
        kind = None if self._season is None else self._season.format
        return "tie_1" in self.fields and (kind is None or has_table(kind))

    def settings(self) -> dict[str, Any]:
        """What the services want to know, of a valid form."""
        data = self.cleaned_data
        key = self._season.format if self._season is not None else data["format"]
        given: dict[str, Any] = {
            name: data[name]
            for name in (
                "name", "summary", "places", "ruleset_choice", "pace", "no_show_minutes",
                "no_show_rule",
            )
        }  # fmt: skip
        way_in = data["way_in"] or WayIn.CLOSED
        given["open_enrolment"] = way_in != WayIn.CLOSED
        given["by_application"] = way_in == WayIn.APPLICATION
        given["late_s"] = data["late_s"] or 0
        given["times_by"] = data["times_by"] or TimesRule.OPEN
        given["play_within_days"] = data["play_within_days"]
        given["predictions"] = data["predictions"]
        given["secret_gifts"] = data["secret_gifts"] or SecretGifts.NEVER
        given["repertoire"] = self._repertoire()
        # What is left empty is as usual.
        given["trade"] = {
            name: data[f"trade_{name}"]
            for name in Trade.__struct_fields__
            if data.get(f"trade_{name}") not in (None, "")
        }
        if has_table(key) and "tie_1" in self.fields:
            ties = [data[f"tie_{number}"] for number in range(1, TIES_MOST + 1)]
            more = [] if self._season is None else self._season.tie_breaks[TIES_MOST:]
            chosen = [each for each in ties if each]
            given["tie_breaks"] = [*chosen, *(each for each in more if each not in chosen)]
        prefix = f"{key}_"
        if any(name.startswith(prefix) for name in self.fields):
            given["format_options"] = {
                name: data[prefix + name]
                for name in _format_defaults(key)
                if data.get(prefix + name) is not None
            }
        return given

    def _repertoire(self) -> list[dict[str, Any]]:
        """The games chosen. What came over the API or with an import and has no field here (options
        of one's own, games beyond the last field) is kept."""
        had = [] if self._season is None else list(self._season.repertoire)
        free = list(had)
        chosen = []
        for number in range(1, GAMES_MOST + 1):
            value = self.cleaned_data[f"game_{number}"]
            if not value:
                continue
            there = had[number - 1] if number <= len(had) else None
            same = [each for each in free if value_of(each) == value]
            if there in same:
                same = [there]
            if same:
                free.remove(same[0])
            chosen.append(same[0] if same else game_of(value))
        return chosen + had[GAMES_MOST:]


def _initial_of(season: Season) -> dict[str, Any]:
    initial: dict[str, Any] = {
        name: getattr(season, name)
        for name in (
            "name", "summary", "way_in", "places", "ruleset_choice", "pace", "no_show_minutes",
            "no_show_rule", "late_s", "times_by", "play_within_days", "predictions",
            "secret_gifts",
        )
    }  # fmt: skip
    for name, value in msgspec.structs.asdict(trade_of(season)).items():
        initial[f"trade_{name}"] = value
    for number, each in enumerate(season.repertoire[:GAMES_MOST], start=1):
        initial[f"game_{number}"] = value_of(each)
    for number, key in enumerate(season.tie_breaks[:TIES_MOST], start=1):
        initial[f"tie_{number}"] = key
    options = msgspec.structs.asdict(options_of(season.format, season.format_options))
    return initial | {f"{season.format}_{key}": value for key, value in options.items()}


class CloneForm(ServiceForm):
    """A new season like another one: what it is called, and who comes along."""

    at_field: ClassVar[Mapping[str, str]] = {
        "season.name": "name",
        "clone.same-name": "name",
        "clone.people": "bringing",
        # Who comes along is enrolled, and may be refused as anybody is.
        "contestant": "bringing",
        "season.full": "bringing",
    }

    name = forms.CharField(label="Name", max_length=NAME_MAX)
    bringing = forms.ChoiceField(
        label="Who is in it",
        choices=Bringing.choices,
        initial=Bringing.NOBODY,
        widget=forms.RadioSelect,
        help_text="Without those who have no account here, have left or were replaced, or cannot "
        "enter a season now. Who has no place yet comes after the others, by seed.",
    )

    def __init__(self, *args: Any, season: Season, **kwargs: Any) -> None:
        kwargs["initial"] = {"name": next_name(season.name)} | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)


class TieForm(ServiceForm):
    """Which of those who share the first place has won."""

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = ", ".join(each.shown_name for each in people)
        self.fields["opponent"] = ContestantField(
            people,
            label="Who has won",
            error_messages={"required": f"Please say which has won: {names}."},
        )
