"""Actions: each thing that can be done, once, with who may do it and when, its form, the service
that does it, and what is said before and after.

    WALKOVER = Action[AtDeathMatch](
        name="walkover",
        label="Walkover",
        title=lambda s: f"Walkover in {s.death_match}",
        button="Give the walkover",
        done="The death match is decided by walkover.",
        check=lambda s: results.must_be_decidable(s.death_match),
        form=lambda s: partial(WinnerForm, people=s.sides),
        run=lambda s, form: results.death_match_walkover(acting_user=s.user, …),
        danger=True,
    )
    DEATH_MATCH = Actions("death-match", (RULES, WALKOVER, …))

Tables of actions stand at the level of a module, beside what they are about. Every surface that
offers one (a desk, the admin site) finds its subject, takes the action from the table and renders
it; none decides by itself whether there is anything to be done. A subject says who acts, and on
which rows.

`check` is what the service itself asks first, under its lock: it raises the Refusal that whoever
would do it now is told, whatever they filled in. `run` takes the subject and the valid form, and
gives the address where the reader goes on, or a Done, where its table cannot say beforehand what is
said; anything else that it gives is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from core.refusals import NotFound, Refusal, allowed, refusal_of

#: How many rows of a list an action with one form may concern.
ROWS_AT_MOST: Final = 100

S = TypeVar("S")
T = TypeVar("T")
Fact = tuple[object, object]


class Caution(Protocol):
    """Something to know before an action. ``stops``: it will be refused for it."""

    @property
    def sentence(self) -> str:
        """One sentence for people."""

    @property
    def stops(self) -> bool:
        """Whether something must be seen to first."""


@dataclass(frozen=True)
class Stop:
    """The caution that a refusal is."""

    sentence: str
    stops: bool = True


@dataclass(frozen=True)
class Done:
    """What came of an action. ``words``: what is said of it; empty: nothing. ``address``: where the
    reader goes on; empty: where the surface leads."""

    words: str
    address: str = ""


class Offer(NamedTuple):
    """What leads to an action: the link or button, and what it says."""

    name: str
    label: str
    danger: bool
    at_once: bool


@dataclass(frozen=True)
class Prompt:
    """An action as it is put to somebody: what its page says of it, for one subject."""

    title: str
    button: str
    follows: Sequence[str]
    facts: Sequence[Fact]
    cautions: Sequence[Caution]
    ways: Sequence[tuple[str, str]]
    danger: bool
    look: str

    @property
    def stopped(self) -> bool:
        """Whether something must be seen to first."""
        return any(caution.stops for caution in self.cautions)

    def stopped_by(self, refusal: Refusal) -> Prompt:
        """The same, with why it would be refused, unless that is said."""
        if any(caution.sentence == refusal.sentence for caution in self.cautions):
            return self
        return replace(self, cautions=(Stop(refusal.sentence), *self.cautions))


@dataclass(frozen=True, kw_only=True)
class Action(Generic[S]):
    """One thing that can be done.

    ``label`` is what leads there, ``title`` and ``button`` stand on its page, ``done`` is said
    afterwards; texts may be functions of the subject. ``follows``: what it leads to, in sentences.
    ``facts``: pairs that say what it concerns. ``cautions``: what speaks against it. ``ways``:
    words and addresses of what must be seen to first. ``form`` gives what makes the form, of a
    subject; without one nothing is asked.
    ``danger``: its button looks like it. ``at_once``: harmless and easily undone, so that a button
    can do it without a page. ``phrase``: what has to be typed where it cannot be undone and is done
    from afar. ``look``, the words of a second button, and ``found``, the facts that it shows of
    what a form says, are for what can be tried first. ``who``: what the service asks of whoever
    acts, whatever the row; for lists, which offer an action before any row is chosen.
    ``confirmed``: it gives or takes power, or a way into an account, so that whoever does it shows
    first that it is they: a stolen session must not do it. The admin site asks.
    """

    name: str
    label: str | Callable[[S], str]
    title: str | Callable[[S], str]
    button: str | Callable[[S], str]
    done: str | Callable[[S], str]
    check: Callable[[S], object]
    run: Callable[[S, Any], object]
    form: Callable[[S], Callable[..., Any]] | None = None
    follows: Sequence[str] | Callable[[S], Sequence[str]] = ()
    facts: Callable[[S], Sequence[Fact]] | None = None
    cautions: Callable[[S], Sequence[Caution]] | None = None
    ways: Callable[[S], Sequence[tuple[str, str]]] | None = None
    danger: bool = False
    at_once: bool = False
    phrase: Callable[[S], str] | None = None
    look: str = ""
    found: Callable[[S, Any], Sequence[Fact]] | None = None
    who: Callable[[Any], object] | None = None
    confirmed: bool = False

    def offered(self, subject: S) -> bool:
        """Whether there is anything to be done here, for whoever asks."""
        return allowed(self.check, subject)

    def refusal(self, subject: S) -> Refusal | None:
        """Why it would be refused now; None where it would not."""
        return refusal_of(self.check, subject)

    def offer(self, subject: S) -> Offer:
        """What leads to it."""
        label = _text_for(self.label, subject)
        return Offer(self.name, label, danger=self.danger, at_once=self.at_once)

    def do(self, subject: S, form: Any = None) -> Done:
        """Have the service do it, with a valid form where there is one. Raises what it refuses."""
        # Of rows that may be gone, or be called otherwise, afterwards.
        words = _text_for(self.done, subject)
        outcome = self.run(subject, form)
        if isinstance(outcome, Done):
            return outcome
        return Done(words, outcome if isinstance(outcome, str) else "")

    def prompt(self, subject: S) -> Prompt:
        """What its page says."""
        return Prompt(
            title=_text_for(self.title, subject),
            button=_text_for(self.button, subject),
            follows=_text_for(self.follows, subject),
            facts=() if self.facts is None else self.facts(subject),
            cautions=() if self.cautions is None else self.cautions(subject),
            ways=() if self.ways is None else self.ways(subject),
            danger=self.danger,
            look=self.look,
        )


def _text_for(text: T | Callable[[S], T], subject: S) -> T:
    return text(subject) if callable(text) else text


@dataclass(frozen=True)
class Actions(Generic[S]):
    """The table of all actions on one kind of thing, in the order in which they are offered."""

    of: str
    every: tuple[Action[S], ...]

    def __iter__(self) -> Iterator[Action[S]]:
        return iter(self.every)

    def named(self, name: str) -> Action[S]:
        """The action of that name. Raises NotFound ``<of>.none``."""
        for action in self.every:
            if action.name == name:
                return action
        raise NotFound(f"{self.of}.none", "There is no such action.")

    def offered(self, subject: S) -> list[Offer]:
        """What leads to those that would not be refused."""
        return [action.offer(subject) for action in self.every if action.offered(subject)]
