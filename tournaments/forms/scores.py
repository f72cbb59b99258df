"""A main match as a table of scores: typed, or pasted from a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Final, NamedTuple, cast

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import QueryDict

from core.refusals import Refusal, refusal_of
from core.text import name_key, one_line, whole_number
from games.forms import ReasonInput
from games.reasons import READY, WHY_MAX
from tournaments import scoring
from tournaments.formats.elimination.scores import (
    ABOUT_MAX,
    NOTE_MAX,
    Line,
    Table,
    must_be_settled,
)
from tournaments.forms.base import ServiceForm
from tournaments.forms.fields import NAMES, ContestantField
from tournaments.forms.finishing import known_names
from tournaments.models import Contestant
from tournaments.scoring import COLUMN_NAME_MAX, COLUMNS_MAX, Column, Scored

#: A form has not more fields than are taken from a request.
FIELDS_MOST: Final = 900
_TOTALS: Final = {"total", "sum", "points total"}
_NOTES: Final = {"note", "notes", "comment", "comments"}
_NAMES: Final = {"", "name", "names", "player", "players", "contestant", "contestants"}
#: Fields of a column, by the field of `Column` that they are.
_OF_COLUMN: Final = ("name", "counts", "decides", "low", "wins")


# -- pasted --------------------------------------------------------------------------------------


class Pasted(NamedTuple):
    """What a pasted table says: the names of its columns, if it has any, and of contestants, by id,
    what stands in each column and a note; or what is wrong with it, a sentence for each line."""

    headings: list[str]
    rows: dict[int, tuple[list[str], str]]
    faults: list[str]


def read_pasted(text: str, people: Sequence[Contestant]) -> Pasted:
    """Read a table as it comes out of a spreadsheet: a line for each contestant, whose name is the
    first cell; between the cells tabs, semicolons or commas. Names are found as in an order of
    finish. A line above with the names of the columns may be there; a column called "Note" is one,
    and one called "Total" is left out, since it is worked out. Where anything is wrong nothing is
    read."""
    lines = [line for line in text.splitlines() if line.strip()]
    apart = next((mark for mark in "\t;" if any(mark in line for line in lines)), ",")
    cells = [[each.strip() for each in row] for row in csv.reader(lines, delimiter=apart)]
    known = known_names(people)
    headings: list[str] = []
    if cells and name_key(cells[0][0]) not in known and _are_headings(cells[0]):
        headings = cells.pop(0)[1:]
    skipped = {at for at, each in enumerate(headings) if each.casefold() in _TOTALS}
    notes = next((at for at, each in enumerate(headings) if each.casefold() in _NOTES), None)
    rows: dict[int, tuple[list[str], str]] = {}
    faults: list[str] = []
    before = len(lines) - len(cells)
    for number, row in enumerate(cells, start=before + 1):
        fits = known.get(name_key(row[0]), set())
        if len(fits) != 1:
            who = "several contestants fit" if fits else "nobody here is called"
            faults.append(f"Line {number}: {who} “{row[0]}”.")
            continue
        (pk,) = fits
        if pk in rows:
            faults.append(f"Line {number}: “{row[0]}” is named twice.")
            continue
        values = [each for at, each in enumerate(row[1:]) if at != notes and at not in skipped]
        while len(values) > 1 and not values[-1]:
            values.pop()
        for value in values:
            try:
                scoring.number_of(value)
            except Refusal as refusal:
                faults.append(f"Line {number}: {refusal.sentence}")
        note = row[notes + 1] if notes is not None and len(row) > notes + 1 else ""
        rows[pk] = (values, note)
    widest = max((len(values) for values, _ in rows.values()), default=0)
    if widest > COLUMNS_MAX:
        faults.append(f"A table has at most {COLUMNS_MAX} columns.")
    named = [each for at, each in enumerate(headings) if at != notes and at not in skipped]
    return Pasted([], {}, faults) if faults else Pasted(named, rows, [])


def _are_headings(row: Sequence[str]) -> bool:
    """Whether a first line names columns: its first cell does not look like a name that was
    misspelt, with numbers behind."""
    if row[0].casefold() in _NAMES:
        return True
    for cell in row[1:]:
        try:
            if scoring.number_of(cell) is not None:
                return False
        except Refusal:
            return True
    return False


# -- the form ------------------------------------------------------------------------------------


class ScoresForm(ServiceForm):
    """The scores of a main match.

    ``seen`` is the version of the table that the page showed, ``width`` how many columns it has,
    and ``tied`` who was shown to be equal: what is said of the order among them holds for those
    alone. ``add``, ``remove`` and ``look`` are buttons that keep nothing: with ``looking`` the form
    only shows what would come of it. ``currency``: what is won, where they can say how much of it.
    ``running``: the main match is, and its scores can be shown. ``reasoned``: the scores are
    recorded, and this is a correction, which ``picks_ec`` where another order makes another.
    """

    at_field: ClassVar[Mapping[str, str]] = {
        "episode.main-match": "name",
        "episode.notes": "notes",
        "scores.about": "about",
        "placements.tie": "ec",
        "placements.ec": "ec",
        "why": "why",
    }

    seen = forms.IntegerField(
        min_value=0, required=False, widget=forms.HiddenInput(attrs={"autocomplete": "off"})
    )
    width = forms.IntegerField(
        min_value=1,
        max_value=COLUMNS_MAX,
        required=False,
        widget=forms.HiddenInput(attrs={"autocomplete": "off"}),
    )
    tied = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.HiddenInput(attrs={"autocomplete": "off"}),
    )
    name = forms.CharField(label="Main match", required=False, max_length=120)
    about = forms.CharField(
        label="How it goes",
        required=False,
        max_length=ABOUT_MAX,
        help_text="A few words on the game.",
    )
    notes = forms.CharField(
        label="Notes",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Public, once it is recorded: how it went.",
    )
    low = forms.BooleanField(label="The lowest total is the best", required=False)
    share = forms.BooleanField(label="Equal scores share a place", required=False)
    winner_immune = forms.BooleanField(label="Whoever comes first is immune", required=False)
    shown = forms.BooleanField(
        label="Show it while it runs",
        required=False,
        help_text="Everybody sees the table as it stands. Otherwise only organisers do, until the "
        "placement is recorded.",
    )
    pasted = forms.CharField(
        label="Table",
        required=False,
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 5, **NAMES}),
        help_text="A contestant a line: the name, then the scores, with tabs, semicolons or commas "
        "between. The names of the columns may stand above; “Note” is one, “Total” is worked out "
        "here.",
    )

    def __init__(
        self,
        *args: Any,
        people: Sequence[Contestant],
        currency: str,
        reasoned: bool = False,
        running: bool = True,
        picks_ec: bool = False,
        looking: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if not running:
            del self.fields["shown"]
        self._people = {each.pk: each for each in people}
        self._currency, self._looking, self.reasoned = currency, looking, reasoned
        self.most = max(1, min(COLUMNS_MAX, FIELDS_MOST // max(1, len(people)) - 2))
        if self.is_bound:
            self._arrange()
        self.width_now = self._width()
        for at in range(self.width_now):
            self._add_column(at)
        for pk in self._people:
            self.fields[f"note_{pk}"] = forms.CharField(
                label="Note", required=False, max_length=NOTE_MAX
            )
        if reasoned:
            self._ask_for_a_reason()
        if picks_ec:
            self.fields["ec"] = ContestantField(
                people,
                empty="Whoever comes last",
                label="Elimination candidate",
                required=False,
                help_text="Only where several share the last place then.",
            )
        self.order = self._order_of_initial() if not self.is_bound else None
        self._add_turns()

    def _ask_for_a_reason(self) -> None:
        for name in ("name", "notes"):
            del self.fields[name]
        self.fields["why"] = forms.CharField(
            label="Reason", max_length=WHY_MAX, help_text="Everybody will read it."
        )
        widget = ReasonInput(READY["correct scores"])
        widget.is_required = True
        widget.attrs["maxlength"] = str(WHY_MAX)
        self.fields["why"].widget = widget

    def _width(self) -> int:
        return self._width_in(self.data if self.is_bound else self.initial)

    def _width_in(self, data: Mapping[str, Any]) -> int:
        return min(whole_number(str(data.get("width", ""))) or 1, self.most)

    def _add_column(self, at: int) -> None:
        self.fields[f"name_{at}"] = forms.CharField(
            label="Column", required=False, max_length=COLUMN_NAME_MAX
        )
        self.fields[f"counts_{at}"] = forms.BooleanField(label="counts", required=False)
        self.fields[f"decides_{at}"] = forms.TypedChoiceField(
            label="Ties",
            required=False,
            coerce=int,
            empty_value=None,
            choices=[
                ("", "breaks no ties"),
                *((turn, "breaks ties" if turn == 1 else f"breaks ties, in turn {turn}")
                  for turn in range(1, self.width_now + 1)),
            ],
        )  # fmt: skip
        self.fields[f"low_{at}"] = forms.BooleanField(label="lowest is best", required=False)
        if self._currency:
            self.fields[f"wins_{at}"] = forms.BooleanField(
                label=f"{self._currency} that are won", required=False
            )
        for pk in self._people:
            self.fields[f"cell_{pk}_{at}"] = forms.CharField(
                label="Score",
                required=False,
                max_length=30,
                widget=forms.NumberInput(attrs={"step": "any", "autocomplete": "off"}),
            )

    def _add_turns(self) -> None:
        """Who comes first among those who are equal, for whoever is."""
        size = len(self._people)
        for pk in self._people:
            self.fields[f"among_{pk}"] = forms.TypedChoiceField(
                label="Among equals",
                required=False,
                coerce=int,
                empty_value=None,
                choices=[("", "not settled"), *((turn, str(turn)) for turn in range(1, size + 1))],
            )

    # -- what is filled in -------------------------------------------------------------------------

    def _arrange(self) -> None:
        """Have columns that are added, removed or pasted among what was sent."""
        data = cast(QueryDict, self.data).copy()
        width = self._width_in(data)
        self.read = read_pasted(str(data.get("pasted", "")), list(self._people.values()))
        if self.read.rows:
            width = self._take_in(data, width)
        if "add" in data and width < self.most:
            data[f"counts_{width}"] = "on"
            data[f"name_{width}"] = f"Round {width + 1}"
            width += 1
        gone = whole_number(str(data.get("remove", "")))
        if gone is not None and gone < width and width > 1:
            self._remove(data, gone, width)
            width -= 1
        data["width"] = str(width)
        self.data = data

    def _take_in(self, data: QueryDict, width: int) -> int:
        """Fill what was pasted in. Where it names columns that are there they are those, and others
        come after; without names they are the first ones."""
        names = {name_key(str(data.get(f"name_{at}", ""))): at for at in range(width)}
        wide = max(len(values) for values, _ in self.read.rows.values())
        untouched = width == 1 and not any(
            str(data.get(f"cell_{pk}_0", "")).strip() for pk in self._people
        )
        where: list[int] = []
        taken = 0 if untouched and self.read.headings else width
        for at in range(wide):
            heading = one_line(self.read.headings[at] if at < len(self.read.headings) else "")[
                :COLUMN_NAME_MAX
            ]
            if heading and name_key(heading) in names and names[name_key(heading)] not in where:
                where.append(names[name_key(heading)])
                taken = max(taken, where[-1] + 1)
                continue
            if not heading and not self.read.headings and at < width:
                where.append(at)
                continue
            data[f"name_{taken}"] = heading or f"Round {taken + 1}"
            data[f"counts_{taken}"] = "on"
            where.append(taken)
            taken += 1
        width = max(width if not (untouched and self.read.headings) else 1, taken)
        for pk, (values, note) in self.read.rows.items():
            for at, value in zip(where, values, strict=False):
                number = scoring.number_of(value)
                data[f"cell_{pk}_{at}"] = scoring.number_text(number)
            if note:
                data[f"note_{pk}"] = note
        data["pasted"] = ""
        return min(width, self.most)

    def _remove(self, data: QueryDict, gone: int, width: int) -> None:
        """Move the columns behind one that is removed to the left."""
        kinds = [*(f"{each}_" for each in _OF_COLUMN), *(f"cell_{pk}_" for pk in self._people)]
        for at in range(gone, width):
            for kind in kinds:
                name, following = f"{kind}{at}", f"{kind}{at + 1}"
                if at + 1 < width and following in data:
                    data[name] = data.get(following, "")
                else:
                    data.pop(name, None)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for sentence in self.read.faults:
            self.add_error("pasted", ValidationError(sentence, code="scores"))
        for pk in self._people:
            for at in range(self.width_now):
                name = f"cell_{pk}_{at}"
                try:
                    data[name] = scoring.number_of(data.get(name) or "")
                except Refusal as refusal:
                    self.add_error(name, ValidationError(refusal.sentence, code=refusal.code))
        if not self.errors:
            self.order = self._order(data)
        return data

    def looked(self) -> None:
        """Read what is filled in without keeping it; only what is pasted, and a cell, can be at
        fault."""
        self.is_valid()
        for field in [each for each in self.errors if not each.startswith(("pasted", "cell_"))]:
            del self.errors[field]

    @property
    def moved_on(self) -> bool:
        """Whether it was refused since somebody else has saved the table meanwhile."""
        return self.has_error(NON_FIELD_ERRORS, "scores.moved-on")

    def fault_said(self, name: str, sentence: str) -> str:
        """Of a row it is said whose it is."""
        kind, _, rest = name.partition("_")
        pk = whole_number(rest.partition("_")[0])
        if kind not in ("cell", "note", "among") or pk not in self._people:
            return sentence
        return f"{self._people[pk].shown_name}: {sentence}"

    @property
    def unsettled(self) -> list[tuple[str, str]]:
        """Why no placement follows from the scores yet, as `mistakes` has it."""
        if self.order is None or self.reasoned:
            return []
        names = {pk: each.shown_name for pk, each in self._people.items()}
        refusal = refusal_of(must_be_settled, self.order, names)
        if refusal is None:
            return []
        if not self.order.lacking:
            return [(refusal.sentence, self.fault_id(f"among_{self.order.ties[0][0]}"))]
        cells = [f"cell_{self.order.lacking[0]}_{at}" for at in range(self.width_now)]
        empty = next((each for each in cells if self[each].value() in ("", None)), cells[0])
        return [(refusal.sentence, self.fault_id(empty))]

    # -- what it says ------------------------------------------------------------------------------

    def _columns(self, data: Mapping[str, Any]) -> list[Column]:
        return [
            Column(
                name=one_line(data.get(f"name_{at}") or "") or f"Round {at + 1}",
                counts=bool(data.get(f"counts_{at}")),
                decides=data.get(f"decides_{at}") or 0,
                low=bool(data.get(f"low_{at}")),
                wins=bool(data.get(f"wins_{at}")),
            )
            for at in range(self.width_now)
        ]

    def _cells(self, data: Mapping[str, Any], pk: int) -> tuple[Decimal | None, ...]:
        return tuple(data.get(f"cell_{pk}_{at}") for at in range(self.width_now))

    def _order(self, data: Mapping[str, Any]) -> scoring.Order | None:
        """The order that would come of it; None where the columns make none. What is said of those
        who are equal counts where it was said of just those."""
        columns = self._columns(data)
        if not any(each.counts or each.decides for each in columns):
            return None
        shown = {
            frozenset(map(whole_number, group.split("=")))
            for group in str(data.get("tied") or "").split(",")
        }
        rows = [Scored(pk, self._cells(data, pk), None) for pk in self._people]
        options = {"low": bool(data.get("low")), "share": bool(data.get("share"))}
        bare = scoring.order_of(columns, rows, **options)
        self._turns = {
            pk: data.get(f"among_{pk}")
            for group in bare.equal
            if frozenset(group) in shown
            for pk in group
        }
        rows = [each._replace(among=self._turns.get(each.player)) for each in rows]
        return scoring.order_of(columns, rows, **options)

    def _order_of_initial(self) -> scoring.Order | None:
        data = dict(self.initial)
        for pk in self._people:
            for at in range(self.width_now):
                data[f"cell_{pk}_{at}"] = scoring.number_of(data.get(f"cell_{pk}_{at}") or "")
        first = self._order({**data, "tied": ""})
        if first is None:
            return None
        return self._order({**data, "tied": tied_text(first.equal)})

    def table(self) -> Table:
        """The table, of a valid form."""
        data = self.cleaned_data
        lines = [
            Line(each, self._cells(data, pk), data[f"note_{pk}"], self._turns_now().get(pk))
            for pk, each in self._people.items()
        ]
        return Table(
            columns=self._columns(data),
            lines=lines,
            name=data.get("name", ""),
            about=data["about"],
            notes=data.get("notes", ""),
            low=data["low"],
            share=data["share"],
            winner_immune=data["winner_immune"],
            shown=data.get("shown", False),
        )

    def _turns_now(self) -> dict[int, int | None]:
        return getattr(self, "_turns", {}) if self.order is not None else {}

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def tied_now(self) -> str:
        """Who is shown to be equal, as the page sends it back."""
        return "" if self.order is None else tied_text(self.order.equal)

    @property
    def columns(self) -> list[ColumnFields]:
        """The fields of each column."""
        return [
            ColumnFields(
                at,
                self[f"name_{at}"],
                self[f"counts_{at}"],
                self[f"decides_{at}"],
                self[f"low_{at}"],
                self[f"wins_{at}"] if self._currency else None,
            )
            for at in range(self.width_now)
        ]

    @property
    def rows(self) -> list[RowFields]:
        """Everybody with their fields."""
        names = [str(self[f"name_{at}"].value() or f"Round {at + 1}")
                 for at in range(self.width_now)]  # fmt: skip
        return [
            RowFields(
                each,
                [Cell(name, self[f"cell_{pk}_{at}"]) for at, name in enumerate(names)],
                self[f"note_{pk}"],
            )
            for pk, each in self._people.items()
        ]

    @property
    def ties(self) -> list[list[tuple[Contestant, forms.BoundField]]]:
        """Those who are equal, with the field that says in which turn they come."""
        if self.order is None or self._says("share"):
            return []
        return [
            [(self._people[pk], self[f"among_{pk}"]) for pk in group] for group in self.order.equal
        ]

    def _says(self, name: str) -> bool:
        if self.is_bound:
            return bool(getattr(self, "cleaned_data", {}).get(name))
        return bool(self.initial.get(name))

    @property
    def finish(self) -> list[tuple[int, list[Contestant], bool]]:
        """What would come of it: each place, who has it, and whether that is still to be settled
        among them."""
        if self.order is None:
            return []
        place, found = 1, []
        for group in self.order.groups:
            found.append((place, [self._people[pk] for pk in group], group in self.order.ties))
            place += len(group)
        return found

    @property
    def lacking(self) -> list[Contestant]:
        """Whom no score places yet."""
        return [] if self.order is None else [self._people[pk] for pk in self.order.lacking]

    @property
    def may_add(self) -> bool:
        """Whether there is room for another column."""
        return self.width_now < self.most


class ColumnFields(NamedTuple):
    """The fields that say what a column is for."""

    at: int
    name: forms.BoundField
    counts: forms.BoundField
    decides: forms.BoundField
    low: forms.BoundField
    wins: forms.BoundField | None


class Cell(NamedTuple):
    """The field of a cell, and what its column is called."""

    column: str
    field: forms.BoundField


class RowFields(NamedTuple):
    """The fields of a contestant."""

    contestant: Contestant
    cells: list[Cell]
    note: forms.BoundField


def tied_text(groups: Sequence[Sequence[int]]) -> str:
    """Groups of equals as a page keeps them."""
    return ",".join("=".join(map(str, sorted(group))) for group in groups)


def filled_in(
    kept: Mapping[str, Any] | None, lines: Sequence[Line], version: int
) -> dict[str, Any]:
    """What a form shows of a table; without one an empty column that counts."""
    if kept is None:
        return {
            "seen": version,
            "width": 1,
            "winner_immune": True,
            "name_0": "Points",
            "counts_0": True,
        }
    columns: Sequence[Column] = kept["columns"]
    found: dict[str, Any] = {**kept, "seen": version, "width": len(columns)}
    for at, column in enumerate(columns):
        for each in _OF_COLUMN:
            found[f"{each}_{at}"] = getattr(column, each) or ""
    for row in lines:
        pk = row.contestant.pk
        found[f"note_{pk}"], found[f"among_{pk}"] = row.note, row.among
        for at, cell in enumerate(row.cells):
            found[f"cell_{pk}_{at}"] = scoring.number_text(cell)
    return found
