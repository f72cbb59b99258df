"""Forms of elimination seasons: an episode, its main match, the EC's choice, the final."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms

from games.forms import games_offered
from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import ContestantField
from tournaments.forms.games import game_of
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
