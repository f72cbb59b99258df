"""What cannot be done, and why: the one way in which anything here says no.

Pure: the engine raises these, services do, and every surface answers them alike. What kind of
refusal it is stands where it is raised, in its class; what a kind is over HTTP is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Final


class RefusalKind(StrEnum):
    """What somebody who is refused can do about it."""

    MALFORMED = "malformed"  # nothing: it means nothing, whatever the state of things
    FORBIDDEN = "forbidden"  # nothing: it is for somebody else to do
    NOT_FOUND = "not found"  # ask for something else: this is not there, or not for them to know of
    CONFLICT = "conflict"  # something else first: things stand otherwise just now
    TOO_OFTEN = "too often"  # wait


HTTP_STATUS: Final = {
    RefusalKind.MALFORMED: 400,
    RefusalKind.FORBIDDEN: 403,
    RefusalKind.NOT_FOUND: 404,
    RefusalKind.CONFLICT: 409,
    RefusalKind.TOO_OFTEN: 429,
}
#: Of a page whose form could not be done, for what is in it or as things stand, and says why.
FORM_REFUSED: Final = 422


class Refusal(Exception):
    """Something that cannot stand, in conflict with how things stand.

    ``code`` is stable and machine readable (``area.reason``), ``sentence`` is one English sentence
    for people. ``squares`` names the squares of the board that the sentence is about, for boards to
    mark, and ``field`` what of a form, or which option, it is about; empty where there are none.
    ``row`` is the number of the row that it is about, where many are handed in at once.
    """

    kind = RefusalKind.CONFLICT
    row: int | None = None
    #: Seconds after which it can be done, where nothing else has to change.
    retry_after: int | None = None

    def __init__(
        self, code: str, sentence: str, squares: tuple[str, ...] = (), *, field: str = ""
    ) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.squares = squares
        self.field = field

    def reworded(self, sentence: str) -> Refusal:
        """The same, in other words."""
        other = Refusal(self.code, sentence, self.squares, field=self.field)
        other.kind, other.row = self.kind, self.row
        other.retry_after = self.retry_after
        return other

    @property
    def alone(self) -> str:
        """What it says where its field is not there to be seen. An option is named then, since its
        sentence says only what it may be; the names of other fields tell people nothing."""
        named = self.field and self.code.endswith(".options")
        return f"{self.field}: {self.sentence}" if named else self.sentence

    @property
    def status(self) -> int:
        """The HTTP status of an answer that says so."""
        return HTTP_STATUS[self.kind]

    @property
    def form_status(self) -> int:
        """The same of a page that shows the form again which could not be done: something else can
        be said or chosen there; what is for somebody else to do, or for later, stays so."""
        kept = (RefusalKind.FORBIDDEN, RefusalKind.TOO_OFTEN)
        return self.status if self.kind in kept else FORM_REFUSED


class NotUnderstood(Refusal):
    """What was sent means nothing."""

    kind = RefusalKind.MALFORMED


class Forbidden(Refusal):
    """It is there, and not for this person to do."""

    kind = RefusalKind.FORBIDDEN


class NotFound(Refusal):
    """It is not there, or this person is not to know of it."""

    kind = RefusalKind.NOT_FOUND


class TooOften(Refusal):
    """It has been done as often as it may be for now; ``retry_after``: seconds to wait."""

    kind = RefusalKind.TOO_OFTEN

    def __init__(self, code: str, sentence: str, *, retry_after: int = 60) -> None:
        super().__init__(code, sentence)
        self.retry_after = max(1, retry_after)


class Refusals(Refusal):
    """Several things that cannot stand, each by itself, in ``each``. Kind and code are those of the
    first; the sentence has those of all, but of rows, which may be many, the first only."""

    def __init__(self, each: Sequence[Refusal]) -> None:
        self.each = tuple(each)
        first = next((refusal for refusal in self.each if refusal.row is not None), None)
        chosen = [refusal for refusal in self.each if refusal.row is None or refusal is first]
        sentences = dict.fromkeys(refusal.sentence for refusal in chosen)
        super().__init__(each[0].code, " ".join(sentences), each[0].squares)
        self.kind = each[0].kind


def each_of(refusal: Refusal) -> Sequence[Refusal]:
    """All that a refusal says: itself, or each of several."""
    if not isinstance(refusal, Refusals):
        return (refusal,)
    return tuple(leaf for each in refusal.each for leaf in each_of(each))


def allowed(check: Callable[..., object], *args: object, **kwargs: object) -> bool:
    """Whether what would refuse something lets it pass, for pages that offer what can be done."""
    return refusal_of(check, *args, **kwargs) is None


def refusal_of(check: Callable[..., object], *args: object, **kwargs: object) -> Refusal | None:
    """What a check raises; None where it lets something pass."""
    try:
        check(*args, **kwargs)
    except Refusal as refusal:
        return refusal
    return None


class Together:
    """Goes on behind something that is refused, so that all of it is told at the end::

        faults = Together()
        for number, row in enumerate(rows):
            with faults.of(number):
                ...
        faults.settle()

    For what is looked at before anything is done.
    """

    def __init__(self) -> None:
        self.refused: list[Refusal] = []
        # Of a thousand rows each is looked up here, not compared with all before it.
        self._said: set[tuple[int | None, str, RefusalKind, str, str]] = set()

    @contextmanager
    def of(self, row: int | None = None) -> Iterator[None]:
        """One of the things to look at: that of a row, where there are rows."""
        try:
            yield
        except Refusal as refusal:
            self.note(refusal, row)

    def note(self, refusal: Refusal, row: int | None = None) -> None:
        """Say why something, or a row, cannot stand."""
        for each in (refusal, *each_of(refusal)):
            each.row = row if each.row is None else each.row
        said = (refusal.row, refusal.field, refusal.kind, refusal.code, refusal.sentence)
        if said not in self._said:
            self._said.add(said)
            self.refused.append(refusal)

    def settle(self) -> None:
        """Raise what was refused, as Refusals where it is more than one thing."""
        if len(self.refused) > 1:
            raise Refusals(self.refused)
        if self.refused:
            raise self.refused[0]
