"""What a fuzzer hands in: JSON of any kind, texts that nearly mean something, and sound documents
and files in which something has been changed.

How many of each is tried is one number: `EXAMPLES` of `script/fuzz`, or a few dozen in every run of
the tests. Those in `script/test` are the same each time; those of `script/fuzz` are new ones, and
what fails is shown as small as it gets.
"""

from __future__ import annotations

import copy
import json
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

#: How many examples of each kind `script/fuzz` asks for.
ASKED: Final = "GAUNTLET_FUZZ_EXAMPLES"
#: How much a process may grow by, whatever it is sent (KiB): a file of a few hundred kilobytes that
#: is unpacked to a gigabyte is no fault that shows otherwise.
GROWTH_AT_MOST: Final = 768 * 1024
# Of this process, where the system is Linux: what it holds, and has held at most.
_STATUS: Final = Path("/proc/self/status")
# A 5 written there has it forget what it has held at most.
_FORGET: Final = Path("/proc/self/clear_refs")

_asked = int(os.environ.get(ASKED, "0"))


def examples(in_tests: int) -> Callable[[Any], Any]:
    """How a test of the fuzzer's runs: so many examples in `script/test`, the same each time; as
    many new ones as are asked for in `script/fuzz`."""
    return settings(
        max_examples=_asked or in_tests,
        derandomize=not _asked,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=bool(_asked),
    )


def is_enough(in_tests: int) -> bool:
    """Whether so many examples are tried that what they reach can be told beforehand."""
    return not _asked or _asked >= in_tests


@contextmanager
def bounded() -> Iterator[None]:
    """The process grows by no more than it may, be it only for a moment: whatever it has held
    before counts for nothing."""
    before = _held_from_now_on()
    yield
    grown = _held_at_most() - before
    assert grown < GROWTH_AT_MOST, f"grew by {grown // 1024} MiB"


def _held_from_now_on() -> int:
    """What this process holds now (KiB), which is the most that it has held from now on."""
    if _FORGET.exists():
        _FORGET.write_text("5")
    return _held_at_most()


def _held_at_most() -> int:
    if _FORGET.exists():
        lines = (line.split() for line in _STATUS.read_text().splitlines())
        return next(int(line[1]) for line in lines if line and line[0] == "VmHWM:")
    # Elsewhere nothing is forgotten: growth up to an earlier peak stays unseen there.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# -- texts and values -----------------------------------------------------------------------------

_TEXTS: Final = (
    "", "0", "-1", "1e999", "9" * 400, "NaN", "\x00", "\ud800", "\u202e", "x" * 5000, "[]", "{}",
    "null", "true", "../../etc/passwd", "%00", "' OR 1=1 --", "<script>", "{{ 7 * 7 }}", "\r\n",
    "٣", "\U0001f600", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00",
)  # fmt: skip
_NUMBERS: Final = (
    0, -1, 1, 2, 255, 256, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**400,
    0.5, -0.0, 1e308, 1e-320,
)  # fmt: skip

texts = st.one_of(st.sampled_from(_TEXTS), st.text(max_size=40))
scalars = st.one_of(
    st.none(), st.booleans(), st.sampled_from(_NUMBERS), st.integers(), texts,
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


def written(value: Any) -> bytes:
    """A value as JSON, with what JSON cannot say as escapes."""
    return json.dumps(value, allow_nan=True).encode("utf-8", "surrogatepass")


# -- documents in which something has been changed ------------------------------------------------


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = (
        value.items() if isinstance(value, dict)
        else enumerate(value) if isinstance(value, list) else ()
    )  # fmt: skip
    for key, part in inner:
        yield (*path, key)
        yield from _places(part, (*path, key))


@st.composite
def changed(draw: Any, documents: list[Any]) -> Any:
    """One of the documents with one to four changes: a part dropped, doubled, exchanged for another
    of its parts, or for anything."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _time in range(draw(st.integers(1, 4))):
        places = list(_places(document))
        if not places:
            break
        *way, last = draw(st.sampled_from(places))
        holder = document
        for key in way:
            holder = holder[key]
        kind = draw(st.sampled_from(("value", "like", "drop", "double", "other", "more")))
        if kind == "drop":
            del holder[last]
        elif kind == "double" and isinstance(holder, list):
            holder.insert(last, copy.deepcopy(holder[last]))
        elif kind == "other":
            found = document
            for key in draw(st.sampled_from(places)):
                try:
                    found = found[key]
                except (KeyError, IndexError):  # it has been moved
                    break
            holder[last] = copy.deepcopy(found)
        elif kind == "more" and isinstance(holder, dict):
            holder[draw(texts)] = draw(values)
        elif kind == "like":
            holder[last] = draw(_like(holder[last]))
        else:
            holder[last] = draw(values)
    return document


def _like(value: Any) -> Any:
    """Something of the same kind, which gets further than anything else."""
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, int | float):
        return st.one_of(st.integers(-3, 40), st.sampled_from(_NUMBERS))
    return near(value) if isinstance(value, str) else values


@st.composite
def near(draw: Any, text: str) -> str:
    """A text with a few letters dropped, doubled, moved or exchanged."""
    letters = list(text)
    for _time in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(letters)))
        kind = draw(st.sampled_from(("drop", "double", "letter", "text", "swap")))
        if kind == "drop":
            del letters[at : at + draw(st.integers(1, 3))]
        elif kind == "double":
            letters[at:at] = letters[at : at + 4]
        elif kind == "letter":
            letters[at:at] = draw(st.sampled_from(list(" 0123456789ABCDEFabc>,.:;-+*/#?\n\t")))
        elif kind == "text":
            letters[at:at] = draw(texts)
        elif letters:
            letters[at - 1 : at], letters[:1] = letters[:1], letters[at - 1 : at]
    return "".join(letters)


@st.composite
def broken(draw: Any, files: list[bytes]) -> bytes:
    """One of the files with bytes exchanged, cut out, doubled or cut off; seldom as it is."""
    data = bytearray(draw(st.sampled_from(files)))
    for _time in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(("set", "cut", "copy", "end", "bytes")))
        if kind == "set" and at < len(data):
            data[at] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[at : at + draw(st.integers(1, 64))]
        elif kind == "copy":
            data[at:at] = data[at : at + draw(st.integers(1, 64))]
        elif kind == "end":
            del data[at:]
        else:
            data[at:at] = draw(st.binary(max_size=16))
    return bytes(data)
