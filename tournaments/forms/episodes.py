"""Forms of elimination seasons: an episode, its main match, the EC's choice, the final."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, cast

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import QueryDict

from core.moments import MomentField
from core.refusals import Refusal
from core.text import whole_number
from games.forms import games_offered
from games.words import game_name
from tournaments.formats.elimination import rules
from tournaments.formats.elimination.main_match import MINUTES_MAX, Ahead, Placing
from tournaments.forms import finishing
from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import NAMES, ContestantField
from tournaments.forms.games import game_of, value_with_options
from tournaments.models import Contestant
from tournaments.services.deathmatches import BEST_OF_MAX


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


def _seen() -> forms.CharField:
    """How things stood when the page was made (`standing.standing_of`), to be sent back with what
    it records: what somebody else has recorded since is not overwritten."""
    return forms.CharField(
        required=False,
        max_length=80,
        # What a browser kept of a page before is not how things stand on this one.
        widget=forms.HiddenInput(attrs={"autocomplete": "off"}),
    )


def _has_moved_on(form: forms.Form) -> bool:
    """Whether a form was refused since things do not stand as its page showed them."""
    return form.has_error(NON_FIELD_ERRORS, "episode.moved-on")


class PlacementsForm(ServiceForm):
    """How everybody came off in the main match."""

    at_field: ClassVar[Mapping[str, str]] = {
        "placements.tie": "ec",
        "placements.ec": "ec",
        "episode.main-match": "main_match",
        "episode.notes": "notes",
    }

    seen = _seen()
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
                label=each.shown_name,
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

    @property
    def moved_on(self) -> bool:
        """Whether things do not stand as the page showed them."""
        return _has_moved_on(self)

    def row_fields(self) -> Sequence[str]:
        return [f"place_{each.pk}" for each, _, _ in self.placements()]

    def placements(self) -> list[tuple[Contestant, int, bool]]:
        """Who has which place, of a valid form; whoever has none is left out."""
        return [
            (each, place, self.cleaned_data[f"immune_{each.pk}"])
            for each in self._contestants
            if (place := self.cleaned_data[f"place_{each.pk}"]) is not None
        ]


#: What the button says by which an order of finish is begun anew.
CLEAR: Final = "clear"
#: What is put right among the names.
_AT_NAMES: Final = {"ec", "dmo", "immune"}


class MainMatchForm(ServiceForm):
    """A main match by order of finish: names tapped one after another, or a list of them.

    ``seen`` is how things stood when the page was made (`standing.standing_of`), and ``order``
    what was tapped, by ids (`finishing.order_of`); a list that is written takes its place. ``tap``
    and ``look`` are buttons that record nothing: with ``looking`` the form only says what would be
    recorded, or begins anew where ``look`` says so (`CLEAR`). ``dmo`` is whom the EC has named
    already. Beside ``names`` of everybody in the season it takes whoever is immune by ``tokens``,
    the ``games`` that can be settled, and the ``usual`` one. ``settled`` among what is filled in
    already is the game that was. ``scores`` is the version of the table by which it is recorded, if
    it is, and ``won`` finds what that wins each, in words.
    """

    at_field: ClassVar[Mapping[str, str]] = {
        "placements.tie": "ec",
        "placements.ec": "ec",
        "placements.missing": "others_safe",
        "choice.not-allowed": "dmo",
        "episode.main-match": "main_match",
        "episode.notes": "notes",
        "choice.minutes": "minutes",
        "schedule": "when",
        "season.repertoire": "game",
        "setup": "game",
    }

    seen = _seen()
    order = forms.CharField(required=False, max_length=20_000, widget=forms.HiddenInput)
    scores = forms.IntegerField(
        required=False, min_value=1, widget=forms.HiddenInput(attrs={"autocomplete": "off"})
    )
    together = forms.BooleanField(label="Same place as the one before", required=False)
    others_safe = forms.BooleanField(
        label="Everybody else is safe",
        required=False,
        initial=True,
        help_text="Whoever is not named comes off equally, before the last.",
    )
    pasted = forms.CharField(
        label="Order of finish",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 5, **NAMES}),
        help_text="One name a line, the first is best. Equal places: “Ada = Ben” in one line, or "
        "“= Ben” in the next. Numbers, bullets and medals in front do not matter.",
    )
    minutes = forms.IntegerField(
        label="Minutes to choose", required=False, min_value=1, max_value=MINUTES_MAX
    )
    main_match = forms.CharField(label="Main match", required=False, max_length=120)
    notes = forms.CharField(
        label="Notes",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Public: how it went.",
    )

    def __init__(
        self,
        *args: Any,
        people: Sequence[Contestant],
        names: Mapping[int, str],
        tokens: Collection[int],
        zone: str,
        games: Sequence[Mapping[str, Any]],
        usual: Mapping[str, Any],
        won: Callable[[], Mapping[int, str]] = dict,
        looking: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._people = {each.pk: each for each in people}
        self._names, self._tokens, self._looking = names, tokens, looking
        self._won = won
        self._games = {value_with_options(each): each for each in games}
        self._usual = value_with_options(usual) if usual else ""
        order = finishing.order_of(self.initial.get("order", ""), self._people)
        self.groups = [] if self.is_bound else self._of(order)
        self.fields["immune"] = forms.TypedMultipleChoiceField(
            choices=[(each.pk, each.shown_name) for each in people],
            coerce=int,
            required=False,
            error_messages={
                "invalid_choice": "Somebody who was marked as immune is no longer in this episode."
            },
        )
        self.fields["ec"] = ContestantField(
            people, empty="Whoever came last", label="Elimination candidate", required=False
        )
        self.fields["dmo"] = ContestantField(
            people, empty="The EC chooses", label="DMO", required=False
        )
        if self._games:
            choices = [
                (value, game_name(each["ruleset"], each["variant"]))
                for value, each in self._games.items()
            ]
            if not usual:
                choices = [("", "As the season's rule says"), *choices]
            settled = self.initial.get("settled")
            self.fields["game"] = forms.ChoiceField(
                label="Game of the death match",
                choices=choices,
                initial=value_with_options(settled) if settled else self._usual,
                required=False,
                error_messages={"invalid_choice": "This game has left the season's list."},
            )
        self.fields["when"] = MomentField(
            zone=zone,
            moment=self.initial.get("scheduled_at"),
            label="The death match begins",
            help_text="May be left open.",
        )

    # -- what is filled in -------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        listed = finishing.read(data.get("pasted", ""), self._people.values())
        for sentence in listed.faults:
            self.add_error("pasted", ValidationError(sentence, code="finish"))
        if self._is_cleared:
            named: finishing.Groups = []
        elif str(self["pasted"].value() or "").strip():
            # It takes the place of what was tapped, even where it cannot be read.
            named = listed.groups
            if "pasted" in self.errors:
                self._keep(order="")
            else:
                self._keep(order=finishing.order_text(named), pasted="")
        else:
            named = self._tapped(data.get("order", ""))
        if self._looking:
            named = finishing.tapped(named, self._tap(), together=data.get("together", False))
        self.groups = self._of(named)
        if not named and not self._looking and "pasted" not in self.errors:
            self.add_error(None, ValidationError("Who came last? Tap a name.", code="finish"))
        if len(self._last(data.get("immune", ()))) == 1:
            data["ec"] = None
        return data

    def _tapped(self, order: str) -> finishing.Groups:
        """What was tapped. Of whoever is no longer in the episode it is said when it is recorded,
        and the page goes on with the others: who is the EC may be another then."""
        named = finishing.order_of(order, self._people)
        gone = [] if self._looking else finishing.strangers(order, self._people)
        for pk in gone:
            who = self._names.get(pk, "Somebody who was named")
            sentence = f"{who} is no longer in this episode: look at the order again."
            self.add_error(None, ValidationError(sentence, code="finish"))
        if gone:
            self._keep(order=finishing.order_text(named))
        return named

    def _last(self, immune: Collection[int]) -> list[int]:
        """Who comes last of those who are not ``immune``; nobody as long as somebody has no
        place."""
        if self.missing:
            return []
        places = self.places.items()
        return rules.last_of(rules.MainMatchPlace(pk, at, pk in immune) for pk, at in places)

    def _of(self, named: finishing.Groups) -> list[list[Contestant]]:
        return [[self._people[pk] for pk in group] for group in named]

    def _tap(self) -> int | None:
        pk = whole_number(str(self.data.get("tap", "")))
        return pk if pk in self._people else None

    @property
    def _is_cleared(self) -> bool:
        """Whether the order is to be begun anew."""
        return self._looking and self.data.get("look") == CLEAR

    def looked(self) -> None:
        """Read what is filled in, and keep it as if it had been tapped, without recording anything;
        only a list can be at fault."""
        if self._is_cleared:
            self._keep(order="", pasted="", ec="", dmo="")
        self.is_valid()
        for field in [each for each in self.errors if each != "pasted"]:
            del self.errors[field]
        if not self.errors:
            order = [[each.pk for each in group] for group in self.groups]
            self._keep(order=finishing.order_text(order), pasted="")

    def _keep(self, **changed: str) -> None:
        """Have the page show the form with some of it ``changed``."""
        data = cast(QueryDict, self.data).copy()
        for name, value in changed.items():
            data[name] = value
        self.data = data

    @property
    def moved_on(self) -> bool:
        """Whether things do not stand as the page showed them."""
        return _has_moved_on(self)

    def fault_id(self, name: str) -> str:
        """Where names are tapped for what follows from them."""
        return "finish-names" if name in _AT_NAMES else super().fault_id(name)

    @property
    def places(self) -> dict[int, int]:
        """The place of everybody who gets one, by id."""
        named = [[each.pk for each in group] for group in self.groups]
        known = {pk for group in named for pk in group}
        safe = bool(named) and self._says("others_safe")
        others = [pk for pk in self._people if pk not in known] if safe else []
        return rules.places_in_order(named, others)

    @property
    def missing(self) -> int:
        """How many have no place yet."""
        return len(self._people) - len(self.places)

    def _says(self, name: str) -> bool:
        if self.is_bound:
            return bool(getattr(self, "cleaned_data", {}).get(name))
        return bool(self.get_initial_for_field(self.fields[name], name))

    def placements(self) -> list[Placing]:
        """Who has which place, of a valid form."""
        immune = set(self.cleaned_data["immune"])
        return [Placing(self._people[pk], place, pk in immune) for pk, place in self.places.items()]

    def ahead(self) -> Ahead:
        """What is settled of the death match, of a valid form: only what differs from the rule of
        the season."""
        chosen = self.cleaned_data.get("game", "")
        return Ahead(
            game=self._games[chosen] if chosen and chosen != self._usual else None,
            scheduled_at=self.cleaned_data["when"],
            minutes=self.cleaned_data["minutes"],
            dmo=self.cleaned_data["dmo"],
        )

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def rows(self) -> list[FinishRow]:
        """Everybody with what is said of them so far."""
        places = self.places
        named = {each.pk for group in self.groups for each in group}
        immune = {str(each) for each in self["immune"].value() or ()}
        last = self._last([pk for pk in self._people if str(pk) in immune])
        said = str(self["ec"].value() or "")
        ec = next((pk for pk in last if len(last) == 1 or str(pk) == said), None)
        dmo = str(self["dmo"].value() or "")
        return [
            FinishRow(
                each,
                place=places.get(pk),
                named=pk in named,
                immune=str(pk) in immune,
                by_token=pk in self._tokens,
                ties=len(last) > 1 and pk in last,
                ec=pk == ec,
                may_meet=(may_meet := ec not in (None, pk) and str(pk) not in immune),
                meets=may_meet and str(pk) == dmo,
            )
            for pk, each in self._people.items()
        ]

    @property
    def ec_named(self) -> Contestant | None:
        """Who will be the EC, as far as it is said."""
        return next((row.contestant for row in self.rows if row.ec), None)

    @property
    def dmo_named(self) -> Contestant | None:
        """Whom they will meet, where the EC has said so already."""
        return next((row.contestant for row in self.rows if row.meets), None)

    @property
    def winnings(self) -> list[tuple[Contestant, str]]:
        """What the scores win each, where it is recorded by them."""
        if not str(self["scores"].value() or ""):
            return []
        try:
            won = self._won()
        except Refusal:
            # That it cannot be recorded so is said when it is.
            return []
        return [(each, won[pk]) for pk, each in self._people.items() if pk in won]

    @property
    def finish(self) -> list[tuple[int, list[FinishRow]]]:
        """What would be recorded: each place with who has it."""
        found: dict[int, list[FinishRow]] = {}
        for row in self.rows:
            if row.place is not None:
                found.setdefault(row.place, []).append(row)
        return sorted(found.items())


class FinishRow(NamedTuple):
    """A contestant as the form about a main match shows them. ``by_token``: has used a token, and
    so is immune. ``ties``: shares the last place of those who are not immune, so that it must be
    said who is the EC. ``ec``: will be it. ``may_meet``: can be the DMO. ``meets``: will be it."""

    contestant: Contestant
    place: int | None
    named: bool
    immune: bool
    by_token: bool
    ties: bool
    ec: bool
    may_meet: bool
    meets: bool


class ChooseForm(ServiceForm):
    """The EC's choice. ``seen`` is how the episode stood when the page was made: who is the EC, and
    who is immune."""

    seen = _seen()

    def __init__(self, *args: Any, people: Sequence[Contestant], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["contestant"] = ContestantField(
            people, label="Death-match opponent", widget=forms.RadioSelect
        )

    @property
    def moved_on(self) -> bool:
        """Whether things do not stand as the page showed them."""
        return _has_moved_on(self)


class FinalForm(ServiceForm):
    """The final: how many matches, and what each is played in."""

    at_field: ClassVar[Mapping[str, str]] = {
        "best-of": "best_of",
        "final.games": "best_of",
        "setup": "game_1",
        "season.repertoire": "game_1",
        "round.name": "name",
    }
    name = forms.CharField(label="Name", max_length=80, initial="Final")
    best_of = forms.IntegerField(
        label="Matches at most", min_value=1, max_value=BEST_OF_MAX, help_text="An odd number."
    )

    def __init__(
        self, *args: Any, repertoire: Sequence[Mapping[str, Any]] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._repertoire = repertoire
        offered = [("", "As the season's list says"), *(
            (value, card.title) for value, card in games_offered()
        )]  # fmt: skip
        for number in range(1, BEST_OF_MAX + 1):
            self.fields[f"game_{number}"] = forms.ChoiceField(
                label=f"Match {number}",
                required=False,
                choices=offered,
                widget=forms.Select(attrs={"data-match": number}),
            )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        chosen = self._chosen(data)
        if any(chosen) and not self._repertoire:
            for number, each in enumerate(chosen, 1):
                if not each:
                    self.add_error(f"game_{number}", "The season has no list: please choose one.")
        return data

    def games(self) -> list[dict[str, Any]]:
        """What the matches are played in, in turn, of a valid form; nothing where none is chosen.
        Where one is not, it comes from the season's list, as it would without."""
        chosen = self._chosen(self.cleaned_data)
        if not any(chosen):
            return []
        return [
            game_of(each) if each else dict(self._repertoire[index % len(self._repertoire)])
            for index, each in enumerate(chosen)
        ]

    @staticmethod
    def _chosen(data: Mapping[str, Any]) -> list[str]:
        """The choice for each match there may be, and for those beyond that one was made for."""
        chosen = [data.get(f"game_{number}", "") for number in range(1, BEST_OF_MAX + 1)]
        most = data.get("best_of", 0)
        return [each for index, each in enumerate(chosen) if index < most or each]
