"""Forms of the pages. What they take is judged by services; what those refuse is shown here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from accounts.models import User
from accounts.moderation.standing import Silence
from core.refusals import Refusal, each_of
from games.engine.capabilities import supply_of
from games.engine.ruleset import Ruleset
from games.models import Challenge, Preparation
from games.options import pace
from games.options.late import DELAYS
from games.options.rules import RuleOption, rule_options
from games.pictures.boards import figures_of
from games.rulesets import REGISTRY
from games.services.challenges import MESSAGE_MAX
from games.services.preparations import MAX_BYTES, NAME_MAX
from games.words import game_name

# Enough for the slowest league; the services would take more.
LONGEST_TIME = 90 * pace.DAY


@dataclass(frozen=True)
class Card:
    """A choice with a line about it."""

    title: str
    text: str = ""
    # The address of a small picture of it.
    picture: str = ""

    def __str__(self) -> str:
        return self.title


class Cards(forms.RadioSelect):
    """Radios as cards."""

    template_name = "games/widgets/cards.html"


class ReasonInput(forms.TextInput):
    """A reason, with ready-made ones to choose: a list of the browser's own, which a script turns
    into buttons (`js/reasons.js`)."""

    template_name = "games/widgets/reason.html"

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(attrs={"data-reasons": "", "autocomplete": "off"})
        self.reasons = reasons

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        widget = context["widget"]
        widget["list"] = f"{widget['attrs'].get('id', name)}_ready"
        widget["attrs"]["list"] = widget["list"]
        widget["reasons"] = self.reasons
        return context


class Tiles(forms.RadioSelect):
    """Radios as small cards, several in a row, with a picture where there is one."""

    template_name = "games/widgets/tiles.html"


class Segments(forms.RadioSelect):
    """Radios as a row of joined buttons."""

    template_name = "games/widgets/segments.html"


class OfGames(forms.Select):
    """A choice whose options say of which game each is (`static/js/of-game.js`)."""

    def __init__(self, games: Mapping[int, str]) -> None:
        """``games``: the ruleset's id by the value of the option; others are of every game."""
        super().__init__()
        self._games = games

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """An option as Django has it."""
        option = super().create_option(name, value, *args, **kwargs)
        if value in self._games:
            option["attrs"]["data-of"] = self._games[value]
        return option


def games_offered() -> list[tuple[str, Card]]:
    """Every variant of every ruleset, as `ruleset/variant`."""
    offered = []
    for ruleset in REGISTRY:
        figures = figures_of(ruleset)
        named = [ruleset.id, next(iter(figures), "")]
        picture = reverse("games:rules_figure", args=named) if figures else ""
        for variant in ruleset.variants:
            name = game_name(ruleset.id, variant.id)
            offered.append((f"{ruleset.id}/{variant.id}", Card(name, picture=picture)))
    return offered


def paces_offered() -> list[tuple[str, Card]]:
    """Every ready-made pace."""
    return [(each.id, Card(each.name, _pace_text(each))) for each in pace.PACES]


def _pace_text(each: pace.Pace) -> str:
    if each.turn is not None:
        return f"{pace.spoken(each.turn)} a turn"
    turns = [pace.default_times(ruleset)["turn_time"] for ruleset in REGISTRY]
    return f"{pace.spoken(min(turns))} to {pace.spoken(max(turns))} a turn"


def times_of_all() -> dict[str, list[tuple[Ruleset[Any, Any], float]]]:
    """Every time that any ruleset has: by option key, the rulesets and their defaults."""
    found: dict[str, list[tuple[Ruleset[Any, Any], float]]] = {}
    for ruleset in REGISTRY:
        for key, seconds in pace.default_times(ruleset).items():
            found.setdefault(key, []).append((ruleset, seconds))
    return found


class ChallengeForm(forms.Form):
    """Offer a match."""

    # To whom it is open: what `challenge_create` is told of it.
    ANYBODY, PLAYER, LINK = "anybody", "player", "link"

    game = forms.ChoiceField(label="Game", choices=games_offered, widget=Tiles)
    pace = forms.ChoiceField(label="Pace", choices=paces_offered, widget=Tiles, initial=pace.NORMAL)
    open_to = forms.ChoiceField(
        label="Opponent",
        choices=[(ANYBODY, "Anybody"), (PLAYER, "A player"), (LINK, "By a link")],
        initial=ANYBODY,
        required=False,
        widget=Segments,
    )
    opponent = forms.CharField(
        label="Their username",
        required=False,
        max_length=31,
        help_text="Of the player whom you challenge.",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    advantage = forms.ChoiceField(
        label="Who has the advantage",
        choices=[
            (Challenge.Advantage.LOT, "Drawn by lot"),
            (Challenge.Advantage.CHALLENGER, "You"),
            (Challenge.Advantage.OPPONENT, "Your opponent"),
        ],
        initial=Challenge.Advantage.LOT,
        widget=Segments,
        help_text="What the rules call the player with the advantage: the one who decides and "
        "wins ties where they say so. With you for it, the match counts for no rating.",
    )
    rated = forms.ChoiceField(
        label="Does it count?",
        choices=[("rated", "Rated"), ("casual", "Casual")],
        initial="rated",
        required=False,
        widget=Segments,
        help_text="A casual match leaves your ratings as they are.",
    )
    message = forms.CharField(
        label="Message",
        required=False,
        max_length=MESSAGE_MAX,
        help_text="Shown with your challenge.",
    )
    lasts = forms.TypedChoiceField(
        label="Stays open for",
        choices=[(10, "10 minutes"), (60, "1 hour"), (1440, "1 day"), (4320, "3 days"),
                 (10080, "1 week"), (43200, "30 days")],
        coerce=int,
        initial=1440,
    )  # fmt: skip

    late_s = forms.TypedChoiceField(
        label="Spectators see it",
        choices=list(DELAYS.items()),
        coerce=int,
        initial=0,
        required=False,
        help_text="So late that nobody who watches can help a player. You two see it at once. "
        "How it ends is told at once, too.",
    )

    _FOLDED = ("preparation", "advantage", "late_s", "message", "lasts")

    # Which field a refusal of the service is shown at; all others stand above the form.
    _FIELDS: Mapping[str, str] = {
        "challenge.yourself": "opponent",
        "challenge.house-bot": "opponent",
        "challenge.opponent-closed": "opponent",
        "challenge.link-names-somebody": "opponent",
        "challenge.blocked": "opponent",
        "challenge.advantage": "advantage",
        "challenge.message-too-long": "message",
        "setup.late": "late_s",
        "challenge.duration": "lasts",
        "setup.ruleset": "game",
        "setup.variant": "game",
        "setup.options": "pace",
        "setup.supply": "preparation",
        "preparation.none": "preparation",
        "preparation.not-allowed": "preparation",
    }

    def __init__(
        self,
        *args: Any,
        preparations: Sequence[Preparation] = (),
        silence: Silence = Silence(),  # noqa: B008  (it never changes)
        **kwargs: Any,
    ) -> None:
        """``silence``: what keeps whoever fills it in from writing anything now."""
        super().__init__(*args, **kwargs)
        self._challenged: User | None = None
        if silence.why:
            # For the eyes alone: whether somebody may write is the service's to say.
            message = self.fields["message"]
            message.widget.attrs |= {
                "disabled": True, "data-silenced": silence.why, "data-help": message.help_text,
            }  # fmt: skip
            if silence.left_ms is not None:
                message.widget.attrs["data-silenced-for"] = silence.left_ms
            message.help_text = silence.why
        for ruleset in REGISTRY:
            for option in rule_options(ruleset.id):
                self.fields[_rule_field(ruleset, option)] = forms.ChoiceField(
                    label=option.title,
                    help_text=option.help,
                    required=False,
                    initial=option.default.text,
                    choices=[(choice.text, choice.words) for choice in option.choices],
                    widget=Segments,
                )
        if preparations:
            self.fields["preparation"] = forms.TypedChoiceField(
                label="Supplied by you",
                required=False,
                coerce=int,
                empty_value=None,
                choices=[("", "Nothing: draw as usual"), *map(_preparation_choice, preparations)],
                widget=OfGames({each.pk: each.ruleset for each in preparations}),
                help_text="What you have prepared. Whoever accepts is told that you supply it, "
                "but not what it is, and the match counts for no rating.",
            )
        for key, uses in times_of_all().items():
            usual = format_html_join(
                " ", '<span data-of="{}">{} in {}.</span>',
                [(ruleset.id, f"{seconds:g}", ruleset.name) for ruleset, seconds in uses],
            )  # fmt: skip
            self.fields[f"time_{key}"] = forms.FloatField(
                label=pace.label(key),
                required=False,
                # A turn without time could not be played; a match without reserve can.
                min_value=0 if key == "reserve" else 1,
                max_value=LONGEST_TIME,
                help_text=format_html("Usually {}", usual),
                widget=forms.NumberInput(attrs={"inputmode": "decimal", "step": "any"}),
            )

    @staticmethod
    def initial_of(query: Mapping[str, str]) -> dict[str, str]:
        """What a link to the form fills in; what makes no sense is left out."""
        offered = [value for value, _ in games_offered()]
        wanted = query.get("game", "")
        named = [value for value in offered if wanted in (value, value.partition("/")[0])]
        game = named[0] if named else offered[0]
        opponent = query.get("opponent", "")[:31]
        open_to = query.get("open_to", "")
        known = {ChallengeForm.ANYBODY, ChallengeForm.PLAYER, ChallengeForm.LINK}
        usual = ChallengeForm.PLAYER if opponent else ChallengeForm.ANYBODY
        return {
            "game": game,
            "open_to": open_to if open_to in known else usual,
            "opponent": opponent,
            "preparation": query.get("preparation", "")[:20],
        }

    @property
    def times(self) -> list[forms.BoundField]:
        """The fields for one's own times."""
        return [self[name] for name in self.fields if name.startswith("time_")]

    @property
    def times_of_games(self) -> list[tuple[forms.BoundField, str]]:
        """Those fields, each with the games that have such a time, by their ids."""
        uses = times_of_all()
        return [
            (self[f"time_{key}"], " ".join(ruleset.id for ruleset, _ in uses[key])) for key in uses
        ]

    @property
    def rules(self) -> list[tuple[Ruleset[Any, Any], list[forms.BoundField]]]:
        """The fields for the rules of each game that has any to choose."""
        found = [
            (ruleset, [self[_rule_field(ruleset, each)] for each in rule_options(ruleset.id)])
            for ruleset in REGISTRY
        ]
        return [(ruleset, fields) for ruleset, fields in found if fields]

    @property
    def rules_wanted(self) -> bool:
        """Whether a rule was chosen otherwise than usual, so that the choice must be in sight."""
        return any(
            field.errors or (field.data or field.initial) != field.initial
            for _, fields in self.rules
            for field in fields
        )

    @property
    def more_wanted(self) -> bool:
        """Whether what stands folded must be in sight: something is wrong there, or was chosen."""
        folded = [self[name] for name in self._FOLDED if name in self.fields]
        changed = any(
            field.errors or (self.is_bound and str(field.data or "") != str(field.initial or ""))
            for field in folded
        )
        supplied = bool(self.initial.get("preparation"))
        return changed or supplied or self.times_wanted or self.rules_wanted

    @property
    def times_wanted(self) -> bool:
        """Whether anything was put into those fields, so that they must be in sight."""
        return any(field.errors or field.data for field in self.times)

    def clean_opponent(self) -> str:
        name = User.normalize_username(self.cleaned_data["opponent"].strip().removeprefix("@"))
        if name:
            self._challenged = User.objects.filter(username=name, is_guest=False).first()
            if self._challenged is None:
                raise ValidationError(
                    f"There is no player called “{name}”.", code="challenge.no-such-player"
                )
        return name

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        # A name without a word about it is as good as the word.
        named = bool(data.get("opponent"))
        if data.get("open_to") in {"", self.ANYBODY} and named:
            data["open_to"] = self.PLAYER
        if data.get("open_to") == self.PLAYER and not named and "opponent" not in self.errors:
            error = "Please name the player."
            self.add_error("opponent", ValidationError(error, code="challenge.no-such-player"))
        if "game" in data:
            ruleset, _ = _game(data["game"])
            known = pace.default_times(ruleset)
            for key in self._own_times():
                if key not in known:
                    error = f"{ruleset.name} has no such time. Leave this empty."
                    self.add_error(f"time_{key}", ValidationError(error, code="setup.options"))
            for other, fields in self.rules:
                if other.id != ruleset.id:
                    self._must_be_usual(fields, other)
        return data

    def _must_be_usual(self, fields: Sequence[forms.BoundField], other: Ruleset[Any, Any]) -> None:
        for field in fields:
            if self.cleaned_data.get(field.name) not in {None, "", field.initial}:
                error = f"This is a rule of {other.name} alone. Leave it as it was."
                self.add_error(field.name, ValidationError(error, code="setup.options"))

    def offer(self) -> dict[str, Any]:
        """What the service wants to know, of a valid form."""
        data = self.cleaned_data
        ruleset, variant = _game(data["game"])
        chosen = next(each for each in pace.PACES if each.id == data["pace"])
        return {
            "ruleset_id": ruleset.id,
            "variant": variant,
            "opponent": self._challenged,
            "by_link": data.get("open_to") == self.LINK,
            "options": {
                **pace.options_at(ruleset, chosen),
                **self._own_times(),
                **self._rules_of(ruleset),
            },
            "preparation_id": data.get("preparation"),
            "advantage": data["advantage"],
            "rated": data["rated"] != "casual",
            "late_s": data["late_s"] or 0,
            "message": data["message"],
            "lasts": timedelta(minutes=data["lasts"]),
        }

    def refuse(self, refusal: Refusal) -> None:
        """Show what the service refused, each at the field concerned."""
        for each in each_of(refusal):
            self._refuse_one(each)

    def _refuse_one(self, refusal: Refusal) -> None:
        field, sentence = self._option_field(refusal), refusal.sentence
        if field is None:
            usual = self._FIELDS.get(refusal.code)
            field = usual if usual in self.fields else None
            sentence = refusal.alone
        self.add_error(field, ValidationError(sentence, code=refusal.code))

    def _option_field(self, refusal: Refusal) -> str | None:
        """The field of the option that a refusal is about."""
        if not refusal.field:
            return None
        ruleset, _ = _game(self.cleaned_data["game"])
        named = (f"time_{refusal.field}", f"rule_{ruleset.id}_{refusal.field}")
        return next((each for each in named if each in self.fields), None)

    def _rules_of(self, ruleset: Ruleset[Any, Any]) -> dict[str, Any]:
        given = {
            option: self.cleaned_data.get(_rule_field(ruleset, option))
            for option in rule_options(ruleset.id)
        }
        return {option.key: option.chosen(text).value for option, text in given.items() if text}

    def _own_times(self) -> dict[str, float]:
        given = {
            name.removeprefix("time_"): self.cleaned_data.get(name)
            for name in self.fields
            if name.startswith("time_")
        }
        return {key: seconds for key, seconds in given.items() if seconds is not None}


def _game(value: str) -> tuple[Ruleset[Any, Any], str]:
    ruleset_id, _, variant = value.partition("/")
    return REGISTRY.get(ruleset_id), variant


def _rule_field(ruleset: Ruleset[Any, Any], option: RuleOption) -> str:
    return f"rule_{ruleset.id}_{option.key}"


def _preparation_choice(preparation: Preparation) -> tuple[int, str]:
    ruleset = REGISTRY.get(preparation.ruleset)
    supply = supply_of(ruleset, preparation.key)
    return preparation.pk, f"{ruleset.name}, {supply.name}: {preparation.name}"


class WatchForm(forms.Form):
    """Which matches to list."""

    ruleset = forms.ChoiceField(
        label="Game",
        required=False,
        choices=lambda: [("", "All games"), *((each.id, each.name) for each in REGISTRY)],
    )
    player = forms.CharField(
        label="Player",
        required=False,
        max_length=31,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )

    def clean_player(self) -> User | None:
        name = User.normalize_username(self.cleaned_data["player"].strip().removeprefix("@"))
        player = User.objects.filter(username=name).first() if name else None
        if name and player is None:
            raise ValidationError(f"There is no player called “{name}”.", code="no-such-player")
        return player

    def chosen(self) -> dict[str, Any]:
        """The filters that make sense; a wrong one is shown as an error and filters nothing."""
        self.is_valid()
        return {
            "ruleset": self.cleaned_data.get("ruleset") or "",
            "player": self.cleaned_data.get("player"),
        }


class ImportForm(forms.Form):
    """A match record as a file."""

    record = forms.FileField(
        label="Match record",
        help_text="A .dmr.json file of a finished match, at most 1 MiB.",
        widget=forms.ClearableFileInput(attrs={"accept": ".json,application/json"}),
    )

    def refuse(self, refusal: Refusal) -> None:
        """Show what the service refused, with its code."""
        sentence = f"{refusal.sentence} ({refusal.code})"
        self.add_error("record", ValidationError(sentence, code=refusal.code))


class PreparationForm(forms.Form):
    """A text that an organiser prepares: a file, or typed."""

    name = forms.CharField(
        label="Name",
        required=False,
        max_length=NAME_MAX,
        help_text="Needed to keep it. Yours alone to see: players are told only that you supplied "
        "something.",
    )
    file = forms.FileField(label="File", required=False)
    text = forms.CharField(
        label="Or the text itself",
        required=False,
        strip=False,
        max_length=MAX_BYTES,
        widget=forms.Textarea(
            attrs={"rows": 14, "spellcheck": "false", "class": "input input--mono", "wrap": "off"}
        ),
    )

    _FIELDS: Mapping[str, str] = {
        "preparation.name-missing": "name",
        "preparation.name-too-long": "name",
        "preparation.name-taken": "name",
        "preparation.too-large": "file",
        "preparation.not-text": "file",
    }

    def data_given(self, at_most: int) -> bytes:
        """The file if there is one, else the text, of it so many bytes."""
        upload = self.files.get("file")
        if upload is not None:
            return bytes(upload.read(at_most))
        return str(self.data.get("text", "")).encode("utf-8", "replace")[:at_most]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.files.get("file") and not str(self.data.get("text", "")).strip():
            raise ValidationError("Choose a file, or paste a text.", code="preparation.empty")
        return data

    def holding(self, text: str) -> PreparationForm:
        """The same form with that text in it instead of a file."""
        form = PreparationForm({"name": self.data.get("name", ""), "text": text})
        form.is_valid()
        return form

    def refuse(self, refusal: Refusal) -> None:
        """Show what the service refused, at the field concerned."""
        error = ValidationError(refusal.sentence, code=refusal.code)
        self.add_error(self._FIELDS.get(refusal.code), error)


class WhyForm(forms.Form):
    """A reason that may be left out."""

    why = forms.CharField(required=False)
