"""What contestants are called where people read it.

The names of those who have no account here were given by another installation, with the document of
its season, or by the organisers, for a place that they hold, and somebody here may be called that.
So no such name stands alone. Where one is set into a page or a sentence, `Contestant.shown_name`
says so; where one stands in a sentence that has been written down, as those of events are, `Naming`
does; in a drawing, whose names have little room, a sign does (`sign_of`), which is explained beside
it.

What is written down has names alone (`plain`): accounts are those of the site where it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from django.utils.functional import cached_property
from django.utils.text import Truncator

from tournaments.models import Contestant
from tournaments.models.contestants import NO_ACCOUNT

SIGN: Final = "*"
SIGN_EXPLAINED: Final = f"{SIGN} no account here"


class Naming:
    """The names of a season's contestants in sentences that were written down."""

    def __init__(self, contestants: Iterable[Contestant]) -> None:
        people = [(each.name, each.user_id) for each in contestants]
        self._unmatched = frozenset(name for name, user in people if user is None)
        self._all = {name for name, _ in people}

    @classmethod
    def of(cls, season_id: int) -> Naming:
        """Those of a season; one query where everybody has an account here, else two."""
        people = Contestant.objects.filter(season=season_id)
        if not people.filter(user=None).exists():
            return cls(())
        return cls(people.only("name", "user"))

    @classmethod
    def of_each(cls, season_ids: Iterable[int]) -> dict[int, Naming]:
        """Those of several seasons, by season, in as many queries as those of one."""
        seasons = set(season_ids)
        some = Contestant.objects.filter(season__in=seasons, user=None)
        with_unmatched = set(some.order_by().values_list("season", flat=True).distinct())
        people = dict[int, list[Contestant]]((each, []) for each in seasons)
        if with_unmatched:
            rows = Contestant.objects.filter(season__in=with_unmatched)
            for each in rows.only("name", "user", "season"):
                people[each.season_id].append(each)
        return {season: cls(found) for season, found in people.items()}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The longest first: "Ana Lee" is not Ana.
        names = "|".join(map(re.escape, sorted(self._all, key=len, reverse=True)))
        return re.compile(rf"(?<!\w)({names})(?!\w)( {re.escape(NO_ACCOUNT)})?")

    @property
    def has_unmatched(self) -> bool:
        """Whether anybody has no account here."""
        return bool(self._unmatched)

    def marked(self, text: str) -> str:
        """``text`` with the mark after each name that somebody without an account here has, once
        however often it is asked for. Where somebody with an account is called the same it is
        marked, too: a sentence does not say which of them it means."""
        if not self._unmatched:
            return text
        return self._pattern.sub(self._with_mark, text)

    def _with_mark(self, found: re.Match[str]) -> str:
        name, mark = found.groups()
        return f"{name} {NO_ACCOUNT}" if mark or name in self._unmatched else name


def plain(text: str) -> str:
    """``text`` without marks, as it is written down."""
    return text.replace(f" {NO_ACCOUNT}", "")


def name_within(contestant: Contestant, most: int | None) -> str:
    """`Contestant.shown_name` for where there is room for the mark and ``most`` letters of a name;
    whole where that is None, and where no mark follows, which whoever sets it cuts."""
    if contestant.user_id is not None or most is None:
        return contestant.shown_name
    return f"{Truncator(contestant.name).chars(most)} {NO_ACCOUNT}"


def sign_of(contestant: Contestant) -> str:
    """The sign behind a name in a drawing; empty behind that of somebody with an account."""
    return SIGN if contestant.user_id is None else ""
