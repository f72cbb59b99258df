"""Orders of finish as people write them: names, one a line, the best first; and as a page keeps
what was tapped. Pure, but for the contestants whose names are read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from core.text import name_key, whole_number
from tournaments.models import Contestant

Groups = list[list[int]]

#: A number in front, as in "3.", "3)", "3rd" or "#3"; with "=" behind it a place that is shared.
_NUMBER: Final = re.compile(r"#?(\d{1,4})(?:st|nd|rd|th)?(?:\s*(=)|[.):]|(?=[\s\-])|$)")
#: Bullets and medals in front; a medal may come with a mark that makes a picture of it.
_BULLETS: Final = re.compile("[\\s\\-\u2013\u2014*\u2022\u00b7\u25cf\u25aa>\U0001f3c5\U0001f3c6"
                             "\U0001f947-\U0001f949\U0001f396\ufe0f]+")  # fmt: skip
#: Lines that may stand between names.
_BETWEEN: Final = re.compile("[\\s\\-\u2013\u2014*\u2022\u00b7\u25cf\u25aa>_=]*")
_APART: Final = re.compile(r"\s*[=,]\s*")


class Read(NamedTuple):
    """What a list says: who shares which place, the best first, by ids; or what is wrong with it,
    a sentence for each line."""

    groups: Groups
    faults: list[str]


def read(text: str, people: Iterable[Contestant]) -> Read:
    """Read a list of names. A line names one, or several at equal places joined by ``=`` or a
    comma; with ``=`` in front it shares the place of the line before. Names are found among
    ``people`` by name and username, in whatever case. Where anything is wrong nothing is read."""
    known = known_names(people)
    groups: Groups = []
    faults: list[str] = []
    named: set[int] = set()
    place_before = ""
    for number, line in enumerate(text.splitlines(), start=1):
        names, tied, place = _names_in(line, known)
        # "2= Ada" and "2= Ben" share the second place, and "2= Ada" is not as good as "1. Cleo".
        together = tied or (place != "" and place == place_before)
        found: list[int] = []
        for name in names:
            fits = known.get(name_key(name), set())
            if len(fits) != 1:
                who = "several contestants fit" if fits else "nobody here is called"
                faults.append(f"Line {number}: {who} “{name}”.")
            elif fits <= named:
                faults.append(f"Line {number}: “{name}” is named twice.")
            else:
                named |= fits
                found += fits
        if names:
            place_before = place
        elif not _BETWEEN.fullmatch(line):
            faults.append(f"Line {number} names nobody: “{line.strip()}”.")
        if found and together and groups:
            groups[-1] += found
        elif found:
            groups.append(found)
    return Read([], faults) if faults else Read(groups, [])


def _names_in(line: str, known: Collection[str]) -> tuple[list[str], bool, str]:
    """The names in a line, whether it shares the place of the line before, and a place that it
    says is shared."""
    tied, place = False, ""
    rest = line.strip()
    # A name may look like a bullet or a number itself, and so is looked for first.
    while rest and name_key(rest) not in known:
        if rest.startswith("="):
            tied, rest = True, rest[1:].strip()
        elif bullets := _BULLETS.match(rest):
            rest = rest[bullets.end() :]
        elif numbered := _NUMBER.match(rest):
            place = numbered[1] if numbered[2] else ""
            rest = rest[numbered.end() :]
        else:
            break
    if name_key(rest) in known:
        return [rest], tied, place
    return [each for each in _APART.split(rest) if each], tied, place


def known_names(people: Iterable[Contestant]) -> dict[str, set[int]]:
    """Whom each name may mean."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for each in people:
        names = [each.name, each.shown_name]
        if each.user is not None:
            names += [each.user.username, f"@{each.user.username}"]
        for name in names:
            found[name_key(name)].add(each.pk)
    return dict(found)


# -- what was tapped -------------------------------------------------------------------------------


def order_of(text: str, known: Collection[int]) -> Groups:
    """What was tapped, as a page sends it: ids, the best first, with commas between places and
    ``=`` between equal ones, as ``3,5=7,2``. Whoever is not ``known``, or a second time there, is
    passed over: the page may be older than what has happened since."""
    groups: Groups = []
    seen: set[int] = set()
    for part in text.split(","):
        group = []
        for each in part.split("="):
            pk = whole_number(each)
            if pk is not None and pk in known and pk not in seen:
                seen.add(pk)
                group.append(pk)
        if group:
            groups.append(group)
    return groups


def strangers(text: str, known: Collection[int]) -> list[int]:
    """Who of those tapped is not ``known``, in order."""
    ids = [whole_number(each) for each in re.split("[=,]", text)]
    return list(dict.fromkeys(pk for pk in ids if pk is not None and pk not in known))


def order_text(groups: Sequence[Sequence[int]]) -> str:
    """The same as a page keeps it."""
    return ",".join("=".join(map(str, group)) for group in groups)


def tapped(groups: Groups, pk: int | None, *, together: bool) -> Groups:
    """What is named once somebody is tapped: they come next, or, ``together``, share the place of
    who was last so far; whoever is named already is so no more."""
    if pk is None:
        return groups
    if any(pk in group for group in groups):
        without = ([each for each in group if each != pk] for group in groups)
        return [group for group in without if group]
    if together and groups:
        return [*groups[:-1], [*groups[-1], pk]]
    return [*groups, [pk]]
