"""Forms of the seasons' pages. What they take is judged by services; what those refuse is shown
here, beside the field concerned, with nothing lost that was filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, Final
from zoneinfo import ZoneInfo

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User
from core.refusals import Refusal, each_of
from games import pace
from games.engine.options import Limits
from games.forms import Card, Cards, games_offered, paces_offered
from games.models import Preparation
from games.words import ruleset_named
from tournaments import catalogue
from tournaments.formats.registry import (
    FORMATS,
    format_of,
    option_limits,
    options_of,
)
from tournaments.models import Contestant, Leg, NoShowRule, RulesetChoice, Season
from tournaments.standings.metrics import METRICS

GAMES_MOST: Final = 12
TIES_MOST: Final = 6
NAMES: Final = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class ServiceForm(forms.Form):
    """A form whose sending calls one service."""

    # Which field a refusal is shown at, by its code or the beginning of it; others stand on top.
    at_field: ClassVar[Mapping[str, str]] = {}

    def row_fields(self) -> Sequence[str]:
        """The field at which each row's refusal is shown; none: on top."""
        return ()

    def refuse(self, refusal: Refusal) -> None:
        """Show what the service refused: each at its own field, rows too."""
        for each in each_of(refusal):
            self._refuse_one(each)

    def _refuse_one(self, refusal: Refusal) -> None:
        rows = self.row_fields()
        if rows and refusal.row is not None:
            error = ValidationError(refusal.sentence, code=refusal.code)
            self.add_error(rows[refusal.row], error)
            return
        own = self.part_field(refusal)
        sentence = refusal.sentence
        if refusal.field and own not in self.fields:
            sentence = f"{refusal.field}: {sentence}"
        known = (f for code, f in self.at_field.items() if refusal.code.startswith(code))
        field = next((each for each in (own, *known) if each in self.fields), None)
        self.add_error(field, ValidationError(sentence, code=refusal.code))

    def part_field(self, refusal: Refusal) -> str:
        """What the field for the part of a refusal, such as an option, would be called."""
        return refusal.field


class PublicReasonForm(ServiceForm):
    """An action that everybody will read the reason of."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why"}

    why = forms.CharField(
        label="Reason",
        max_length=500,
        help_text="Everybody will read it.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class NoForm(ServiceForm):
    """An action that needs nothing but the word."""


def user_named(name: str) -> User:
    """The user of that name, as people write it. Raises ValidationError."""
    plain = User.normalize_username(name.strip().removeprefix("@"))
    found = User.objects.filter(username=plain).first() if plain else None
    if found is None:
        raise ValidationError(f"There is no player called “{name}”.", code="no-such-player")
    return found


class UserField(forms.CharField):
    """A username; gives the user."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"max_length": 31, "widget": forms.TextInput(attrs=NAMES), **more})

    def clean(self, value: Any) -> User | None:
        name = super().clean(value)
        return user_named(name) if name else None


# -- a season ------------------------------------------------------------------------------------


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
        "season.no-show": "no_show_minutes",
        "format.unknown": "format",
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
    open_enrolment = forms.BooleanField(
        label="Players may enrol themselves", required=False, initial=False
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
        return f"{self._format_key}_{refusal.field}" if refusal.code == "format.options" else ""

    def _is_fixed(self, name: str) -> bool:
        """Whether a field is one of those that a season that has begun does not have any more."""
        return any(name.startswith(f"{key}_") for key in (*FORMATS, "tie"))

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
                "name", "summary", "open_enrolment", "ruleset_choice", "pace", "no_show_minutes",
                "no_show_rule",
            )
        }  # fmt: skip
        given["repertoire"] = self._repertoire()
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
            same = [each for each in free if _game_key(each) == value]
            if there in same:
                same = [there]
            if same:
                free.remove(same[0])
            ruleset, _, variant = value.partition("/")
            chosen.append(
                same[0] if same else {"ruleset": ruleset, "variant": variant, "options": {}}
            )
        return chosen + had[GAMES_MOST:]


def _game_key(game: Mapping[str, Any]) -> str:
    return f"{game['ruleset']}/{game['variant']}"


def _initial_of(season: Season) -> dict[str, Any]:
    initial: dict[str, Any] = {
        name: getattr(season, name)
        for name in (
            "name", "summary", "open_enrolment", "ruleset_choice", "pace", "no_show_minutes",
            "no_show_rule",
        )
    }  # fmt: skip
    for number, each in enumerate(season.repertoire[:GAMES_MOST], start=1):
        initial[f"game_{number}"] = _game_key(each)
    for number, key in enumerate(season.tie_breaks[:TIES_MOST], start=1):
        initial[f"tie_{number}"] = key
    options = msgspec.structs.asdict(options_of(season.format, season.format_options))
    return initial | {f"{season.format}_{key}": value for key, value in options.items()}


# -- people --------------------------------------------------------------------------------------


class RosterForm(ServiceForm):
    """Many at once: a list that was pasted, or a file."""

    at_field: ClassVar[Mapping[str, str]] = {"contestants": "text"}

    text = forms.CharField(
        label="One a line",
        required=False,
        max_length=200_000,
        help_text="A username; or username, name and seed with commas between them.",
        widget=forms.Textarea(attrs={"rows": 6, **NAMES}),
    )
    file = forms.FileField(
        label="Or a CSV file",
        required=False,
        help_text="With the headings username, name, seed; at most 200 kB.",
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
    )

    def clean_file(self) -> str:
        upload = self.cleaned_data["file"]
        if not upload:
            return ""
        if upload.size > 200_000:
            raise ValidationError("This file is too large.", code="too-large")
        try:
            return str(upload.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise ValidationError("This file is not UTF-8 text.", code="not-text") from None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not (data.get("text", "").strip() or data.get("file")):
            raise ValidationError("Name somebody, or choose a file.", code="nobody")
        return data

    def roster(self) -> str:
        """The lines, of a valid form."""
        lines: str = self.cleaned_data["file"] or self.cleaned_data["text"]
        return lines


class SeedsForm(ServiceForm):
    """Everybody's seed, by hand."""

    def __init__(self, *args: Any, contestants: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._contestants = contestants
        for each in contestants:
            self.fields[f"seed_{each.pk}"] = forms.IntegerField(
                label=each.name,
                required=False,
                min_value=1,
                initial=each.seed,
                widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
            )

    def seeds(self) -> dict[int, int | None]:
        """Seeds by contestant, of a valid form."""
        return {each.pk: self.cleaned_data[f"seed_{each.pk}"] for each in self._contestants}


class OrganiserForm(ServiceForm):
    """Somebody who is to run the season too."""

    at_field: ClassVar[Mapping[str, str]] = {"organiser": "user"}
    user = UserField(label="Username")


class WithdrawForm(ServiceForm):
    """Leaving a season; a contestant need not say why."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why"}
    why = forms.CharField(
        label="Reason", required=False, max_length=500, help_text="Everybody will read it."
    )


class ReplaceForm(PublicReasonForm):
    """Somebody who takes a contestant's place."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why", "contestant": "user"}
    user = UserField(label="Who takes over")
    field_order = ("user", "why")


def _options(people: Iterable[Contestant]) -> list[tuple[int, str]]:
    return [(each.pk, each.name) for each in people]


class ContestantField(forms.TypedChoiceField):
    """One of some contestants; gives the contestant."""

    def __init__(self, people: Sequence[Contestant], *, empty: str = "", **more: Any) -> None:
        known = {each.pk: each for each in people}
        first: list[tuple[Any, str]] = [("", empty)] if empty else []
        super().__init__(
            choices=[*first, *_options(people)],
            coerce=lambda value: known[int(value)],
            empty_value=None,
            **more,
        )


# -- episodes ------------------------------------------------------------------------------------


class EpisodeForm(ServiceForm):
    """A new episode."""

    at_field: ClassVar[Mapping[str, str]] = {
        "round.name": "name",
        "episode.main-match": "main_match",
    }
    name = forms.CharField(
        label="Name", required=False, max_length=80, help_text="Empty: “Episode” and its number."
    )
    main_match = forms.CharField(
        label="Main match", required=False, max_length=120, help_text="What will be played."
    )


class PlacementsForm(ServiceForm):
    """How everybody came off in the main match."""

    at_field: ClassVar[Mapping[str, str]] = {
        "placements.tie": "ec",
        "placements.ec": "ec",
        "episode.main-match": "main_match",
        "episode.notes": "notes",
    }

    main_match = forms.CharField(label="Main match", required=False, max_length=120)
    notes = forms.CharField(
        label="Notes",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Public: how it went.",
    )

    def __init__(self, *args: Any, contestants: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._contestants = contestants
        for each in contestants:
            self.fields[f"place_{each.pk}"] = forms.IntegerField(
                label=each.name,
                required=False,
                min_value=1,
                max_value=32_000,
                widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
            )
            self.fields[f"immune_{each.pk}"] = forms.BooleanField(label="immune", required=False)
        self.fields["ec"] = ContestantField(
            contestants,
            empty="Whoever came last",
            label="Elimination candidate",
            required=False,
            help_text="Only where several share the last place.",
        )

    @property
    def rows(self) -> list[tuple[Contestant, forms.BoundField, forms.BoundField]]:
        """Everybody with the fields for place and immunity."""
        return [
            (each, self[f"place_{each.pk}"], self[f"immune_{each.pk}"])
            for each in self._contestants
        ]

    def row_fields(self) -> Sequence[str]:
        return [f"place_{each.pk}" for each, _, _ in self.placements()]

    def placements(self) -> list[tuple[Contestant, int, bool]]:
        """Who has which place, of a valid form; whoever has none is left out."""
        return [
            (each, place, self.cleaned_data[f"immune_{each.pk}"])
            for each in self._contestants
            if (place := self.cleaned_data[f"place_{each.pk}"]) is not None
        ]


class ChooseForm(ServiceForm):
    """The EC's choice."""

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["contestant"] = ContestantField(
            people, label="Death-match opponent", widget=forms.RadioSelect
        )


class FinalForm(ServiceForm):
    """The final: how many matches, and what each is played in."""

    at_field: ClassVar[Mapping[str, str]] = {
        "best-of": "best_of",
        "final.games": "game_1",
        "setup": "game_1",
        "season.repertoire": "game_1",
        "round.name": "name",
    }
    name = forms.CharField(label="Name", max_length=80, initial="Final")
    best_of = forms.IntegerField(
        label="Matches at most", min_value=1, max_value=15, help_text="An odd number."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [("", "As the season's list says"), *(
            (value, card.title) for value, card in games_offered()
        )]  # fmt: skip
        for number in range(1, 8):
            self.fields[f"game_{number}"] = forms.ChoiceField(
                label=f"Match {number}", required=False, choices=offered
            )

    def games(self) -> list[dict[str, Any]]:
        """What the matches are played in, in turn, of a valid form."""
        chosen = [self.cleaned_data[f"game_{number}"] for number in range(1, 8)]
        return [_game(each) for each in chosen if each]


def _game(value: str) -> dict[str, Any]:
    ruleset, _, variant = value.partition("/")
    return {"ruleset": ruleset, "variant": variant, "options": {}}


# -- death matches -------------------------------------------------------------------------------


class RulesForm(ServiceForm):
    """What a death match is played in."""

    at_field: ClassVar[Mapping[str, str]] = {
        "setup.prepared": "prepared",
        "setup.supply": "prepared",
        "setup.options": "turn_time",
        "setup": "game",
        "rules": "game",
        "leg": "leg_number",
        "item": "game",
    }

    def __init__(
        self,
        *args: Any,
        legs: Sequence[Leg],
        user: User,
        games: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        offered = [(value, card.title) for value, card in games_offered()]
        if games is not None:
            allowed = {f"{each['ruleset']}/{each['variant']}" for each in games}
            offered = [each for each in offered if each[0] in allowed]
        chosen = next((f"{leg.ruleset}/{leg.variant}" for leg in legs if leg.ruleset), None)
        self.fields["game"] = forms.ChoiceField(label="Game", choices=offered, initial=chosen)
        if games is not None:
            return
        if len(legs) > 1:
            numbers = [("", "All that have not begun")]
            numbers += [(str(leg.number), f"Match {leg.number}") for leg in legs]
            self.fields["leg_number"] = forms.TypedChoiceField(
                label="Which match", choices=numbers, coerce=int, empty_value=None, required=False
            )
        for key, words in (("turn_time", "Turn"), ("reserve", "Reserve")):
            self.fields[key] = forms.FloatField(
                label=f"{words}, in seconds",
                required=False,
                min_value=0,
                max_value=90 * pace.DAY,
                help_text="Empty: as the season's pace says.",
            )
        kept = list(Preparation.objects.visible_to(user).order_by("ruleset", "key", "name"))
        self._kept = {str(each.pk): each for each in kept}
        if kept:
            self.fields["prepared"] = forms.MultipleChoiceField(
                label="Prepared",
                required=False,
                choices=[(str(each.pk), f"{_ruleset(each.ruleset)}: {each.name}") for each in kept],
                widget=forms.CheckboxSelectMultiple,
                help_text="What you have prepared instead of having it drawn.",
            )

    def rules(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        game = _game(data["game"])
        options = {key: data[key] for key in ("turn_time", "reserve") if data.get(key) is not None}
        prepared: dict[str, str] = {}
        for pk in data.get("prepared") or []:
            prepared |= self._kept[pk].prepared
        return {
            "ruleset": game["ruleset"],
            "variant": game["variant"],
            "options": options,
            "prepared": prepared,
            "leg_number": data.get("leg_number"),
        }


def _ruleset(ruleset_id: str) -> str:
    found = ruleset_named(ruleset_id)
    return ruleset_id if found is None else found.name


class MomentField(forms.CharField):
    """A date and a time in somebody's own zone (empty: UTC); gives the instant, or None.

    What is sent back as it was shown stays the instant it was: the field shows no seconds, nor
    which of two hours of the same name is meant. Where the clocks skip what is written it is
    refused; where they show it twice, the first is meant.
    """

    def __init__(self, *, zone: str, moment: datetime | None, **more: Any) -> None:
        self._zone = ZoneInfo(zone or "UTC")
        self._moment = moment
        shown = "" if moment is None else f"{moment.astimezone(self._zone):%Y-%m-%dT%H:%M}"
        # An account that names no zone: the page's script takes the device's instead of UTC.
        marks = {} if zone else {"data-utc": True}
        widget = forms.DateTimeInput(attrs={"type": "datetime-local", **marks})
        super().__init__(**{"required": False, "initial": shown, "widget": widget, **more})

    def clean(self, value: Any) -> datetime | None:
        text = super().clean(value)
        if not text:
            return None
        if text == self.initial:
            return self._moment
        try:
            found = datetime.fromisoformat(text)
            # A time that names its own zone means that one.
            if timezone.is_aware(found):
                return found.astimezone(UTC)
            there = found.replace(tzinfo=self._zone).astimezone(UTC)
            exists = there.astimezone(self._zone).replace(tzinfo=None) == found
        except (ValueError, OverflowError):
            raise ValidationError(
                "Write a date and a time, such as 2030-05-17T20:00.", code="no-time"
            ) from None
        if not exists:
            raise ValidationError(
                "There is no such time: the clocks are put forward past it.", code="skipped-time"
            )
        return there


def zone_text(zone: str) -> SafeString:
    """The zone in which times are filled in, for a sentence about it."""
    if zone:
        return format_html("{}", zone.replace("_", " "))
    return SafeString("<span data-zone>UTC</span>")


class ScheduleForm(ServiceForm):
    """When a leg is played, in the organiser's own zone."""

    at_field: ClassVar[Mapping[str, str]] = {"schedule": "when"}

    def __init__(self, *args: Any, zone: str, leg: Leg, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["when"] = MomentField(
            zone=zone,
            moment=leg.scheduled_at,
            label="Begins",
            help_text=format_html("In your zone, {}. Empty: no fixed time.", zone_text(zone)),
        )


class TimesForm(ServiceForm):
    """When the death matches of a round are played, in the organiser's own zone."""

    def __init__(self, *args: Any, zone: str, legs: Sequence[Leg], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._legs = legs
        for leg in legs:
            self.fields[f"when_{leg.death_match_id}"] = MomentField(
                zone=zone, moment=leg.scheduled_at, label=str(leg.death_match)
            )

    def times(self) -> dict[int, datetime | None]:
        """The time of each death match, of a valid form."""
        return {
            leg.death_match_id: self.cleaned_data[f"when_{leg.death_match_id}"]
            for leg in self._legs
        }


class WinnerForm(PublicReasonForm):
    """Who has won, and why."""

    at_field: ClassVar[Mapping[str, str]] = {"why": "why", "death-match.winner": "winner"}

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["winner"] = ContestantField(people, label="Winner", widget=forms.RadioSelect)
        self.order_fields(["winner", "why"])


class NextRoundForm(ServiceForm):
    """The next round, as the format pairs it."""

    lenient = forms.BooleanField(required=False)


class PairForm(ServiceForm):
    """A challenge on a ladder."""

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["opponent"] = ContestantField(people, label="Whom")


class TieForm(ServiceForm):
    """Which of those who share the first place has won."""

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = ", ".join(each.name for each in people)
        self.fields["opponent"] = ContestantField(
            people,
            label="Who has won",
            error_messages={"required": f"Please say which has won: {names}."},
        )


class PairingsForm(ServiceForm):
    """A whole round by hand: for each match two of those who play in it."""

    def __init__(
        self,
        *args: Any,
        people: Sequence[Contestant],
        proposed: Sequence[tuple[Contestant, Contestant]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._count = len(people) // 2
        for number in range(1, self._count + 1):
            sides = proposed[number - 1] if number <= len(proposed) else (None, None)
            for name, side in zip(("home", "away"), sides, strict=True):
                self.fields[f"{name}_{number}"] = ContestantField(
                    people,
                    empty="—",
                    required=False,
                    label=f"Match {number}, {'first' if name == 'home' else 'second'} player",
                    initial=None if side is None else side.pk,
                )

    @property
    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """The two fields of each match."""
        return [
            (self[f"home_{number}"], self[f"away_{number}"]) for number in range(1, self._count + 1)
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for home, away in self.rows:
            sides = [data.get(home.name), data.get(away.name)]
            if sides.count(None) == 1 and not (home.errors or away.errors):
                alone = next(side for side in sides if side is not None)
                self.add_error(away.name, f"Whom does {alone} meet?")
        return data

    def row_fields(self) -> Sequence[str]:
        return [away.name for home, away in self.rows if self.cleaned_data[home.name] is not None]

    def pairings(self) -> list[tuple[Contestant, Contestant]]:
        """Who meets whom, of a valid form; matches that were left empty are left out."""
        sides = [
            (self.cleaned_data[home.name], self.cleaned_data[away.name]) for home, away in self.rows
        ]
        return [(home, away) for home, away in sides if home is not None]


# -- items ---------------------------------------------------------------------------------------


class GiftForm(ServiceForm):
    """An item for somebody."""

    at_field: ClassVar[Mapping[str, str]] = {
        "item.unknown": "item",
        "item.unfit": "item",
        "item.giver": "giver",
        "item.given-already": "death_match",
        "item.receiver": "receiver",
        "item.oneself": "receiver",
        "item.match": "death_match",
        "item.for-which": "death_match",
        "item.leg": "leg_number",
        "item.note": "note",
    }
    note = forms.CharField(
        label="Note", required=False, max_length=300, help_text="Public, beside the item."
    )

    def __init__(
        self,
        *args: Any,
        receivers: Sequence[Contestant],
        givers: Sequence[Contestant] | None,
        death_matches: Sequence[Any],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._matches = {str(each.pk): each for each in death_matches}
        self.fields["item"] = forms.ChoiceField(label="Item", choices=_item_choices())
        self.fields["receiver"] = ContestantField(receivers, label="For")
        if givers is not None:
            self.fields["giver"] = ContestantField(
                givers, empty="Nobody: granted by the organisers", label="From", required=False
            )
        matches = [("", "Any match of the season in its game")] if givers is not None else []
        matches += [(pk, f"{each} ({each.round.name})") for pk, each in self._matches.items()]
        self.fields["death_match"] = forms.ChoiceField(
            label="For which death match", choices=matches, required=givers is None
        )
        longest = max((each.best_of for each in death_matches), default=1)
        if longest > 1:
            self.fields["leg_number"] = self._leg_number(longest, own=givers is None)
        self.order_fields(["item", "giver", "receiver", "death_match", "leg_number", "note"])

    def _leg_number(self, longest: int, *, own: bool) -> forms.Field:
        # One's gifts for a final are one for each match of it; organisers grant for all of them.
        finals = [each.round.is_final and each.best_of > 1 for each in self._matches.values()]
        one = own and all(finals)
        some = any(finals) and not own
        return forms.TypedChoiceField(
            label="For which match of it",
            choices=[
                *([] if one else [("", "Any")]),
                *((str(number), f"Match {number}") for number in range(1, longest + 1)),
            ],
            coerce=int,
            empty_value=None,
            required=one,
            help_text="What contestants give in a final is for one match of it." if some else "",
        )

    def gift(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        item, _, ruleset = data["item"].partition("@")
        return {
            "item": item,
            "ruleset": ruleset,
            "receiver": data["receiver"],
            "death_match": self._matches.get(data["death_match"]),
            "leg_number": data.get("leg_number"),
            "note": data["note"],
        }


def _item_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every item, under the name of its ruleset, as `id@ruleset`."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for item in catalogue.catalogue():
        name = _ruleset(item.ruleset) if item.ruleset else "Works on other items"
        groups.setdefault(name, []).append((f"{item.id}@{item.ruleset}", item.name))
    return list(groups.items())


class RestoreForm(ServiceForm):
    """A season as a file."""

    at_field: ClassVar[Mapping[str, str]] = {"": "document"}
    document = forms.FileField(
        label="Season",
        help_text="What another installation of this site has exported.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json,.zip"}),
    )
    match_accounts = forms.BooleanField(
        label="Contestants become those of the accounts here that have their usernames",
        required=False,
        help_text="Otherwise they are names without an account.",
    )
