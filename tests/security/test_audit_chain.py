"""The chain over the audit log: whatever somebody does to the tables who may do anything there, the
next look finds it, and says the first place."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog.testing
import time_machine
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.auditing import sealing, tasks
from accounts.auditing.chain import BEGINNING, Course, Entry, Head, Link, head_of, linked, text_of
from accounts.auditing.sealing import (
    audit_accept_late,
    audit_check,
    audit_fault,
    audit_head,
    audit_last_check,
    audit_lines,
    audit_seal,
    audit_unsealed_since,
)
from accounts.models import AuditCheck, AuditEntry, AuditLink, User
from accounts.services import audit_record
from script.lib.console import ROOT
from tests.support.site_role import become_site_role

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", "ada@example.test", "pw-for-tests")


@pytest.fixture(autouse=True)
def written(ada: User) -> None:
    """Ten entries, sealed."""
    write(ada, 10 - AuditEntry.objects.count())
    audit_seal()
    assert AuditLink.objects.count() == AuditEntry.objects.count() == 10


def write(who: User | None, count: int = 1, **fields: Any) -> None:
    with transaction.atomic():
        for number in range(count):
            data = {"number": number, "words": "Grüße, „Welt“ \\ \U0001f3b2", "part": [1.5, None]}
            audit_record(acting_user=who, action="test.done", target=who, data=data)
    for name, value in fields.items():
        with tampering():
            run(
                f"UPDATE accounts_auditentry SET {name} = %s WHERE id = %s",  # noqa: S608
                value,
                last_id(),
            )


@contextmanager
def tampering() -> Iterator[None]:
    """As somebody who owns the server: no trigger and no foreign key holds them."""
    # What was written before is looked at as if it were committed.
    connection.check_constraints()
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        yield
        cursor.execute("SET session_replication_role = DEFAULT")


def run(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount, statement


def last_id() -> int:
    found: int = AuditEntry.objects.order_by("-id").values_list("id", flat=True)[0]
    return found


def entry_at(position: int) -> int:
    found: int = AuditLink.objects.get(position=position).entry_id
    return found


def fault(*kept: Head) -> str:
    return str(audit_fault(kept=kept)[1] or "")


# -- what is done to it --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "who_id = NULL", "action = 'test.other'", "target_id = '0'", "target_type = 'games.match'",
        "data = data || '{\"number\": 7}'", "data = data - 'words'", "data = '[]'",
        "at = at + interval '1 microsecond'",
    ],
)  # fmt: skip
def test_an_entry_that_was_changed_is_found(change: str) -> None:
    with tampering():
        run(f"UPDATE accounts_auditentry SET {change} WHERE id = %s", entry_at(4))  # noqa: S608
    assert re.fullmatch(rf"Entry {entry_at(4)}, at place 4, is not what was sealed.*", fault())
    assert audit_fault()[0].position == 3


def test_an_entry_that_was_deleted_is_found() -> None:
    gone = entry_at(4)
    with tampering():
        run("DELETE FROM accounts_auditentry WHERE id = %s", gone)
    assert fault() == f"Entry {gone}, at place 4, was deleted."


def test_an_entry_that_was_deleted_with_its_link_is_found() -> None:
    gone = entry_at(4)
    with tampering():
        run("DELETE FROM accounts_auditlink WHERE position = 4")
        run("DELETE FROM accounts_auditentry WHERE id = %s", gone)
    assert fault() == "Place 4 is gone: the next that is there is 5."
    # And where the others have moved up.
    with tampering():
        run("UPDATE accounts_auditlink SET position = position + 100 WHERE position > 4")
        run("UPDATE accounts_auditlink SET position = position - 101 WHERE position > 100")
    assert f"Entry {entry_at(4)}, at place 4, is not what was sealed there" in fault()


def test_the_last_ones_gone_are_found_by_what_was_kept() -> None:
    head = audit_head()
    with tampering():
        run("DELETE FROM accounts_auditentry WHERE id >= %s", entry_at(8))
        run("DELETE FROM accounts_auditlink WHERE position >= 8")
    assert fault() == "", "nothing in the tables tells"
    assert fault(head) == "The chain is cut: it ends at place 7, and went to 10."
    # And once others stand in their place.
    write(None, 5)
    audit_seal()
    assert "The chain was made anew: at place 10" in fault(head)


def test_the_last_ones_gone_are_found_by_the_last_check() -> None:
    assert audit_check().fault == ""
    with tampering():
        run("DELETE FROM accounts_auditentry WHERE id >= %s", entry_at(8))
        run("DELETE FROM accounts_auditlink WHERE position >= 8")
    assert audit_check().fault == "The chain is cut: it ends at place 7, and went to 10."


def test_the_last_ones_gone_are_found_also_of_a_broken_chain() -> None:
    broken = entry_at(3)
    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", broken)
    first = audit_check()
    assert (first.position, first.reached) == (2, 10)
    with tampering():
        run("DELETE FROM accounts_auditentry WHERE id >= %s", entry_at(8))
        run("DELETE FROM accounts_auditlink WHERE position >= 8")
    assert audit_check().fault == f"{first.fault} Besides, 1 more of it does not hold."
    with pytest.raises(CommandError, match="it ends at place 7, and went to 10"):
        call("verify", "--after", "3")


def test_one_inserted_in_between_is_found() -> None:
    """With a number between two others, and a time between theirs."""
    at = datetime.now(UTC) - timedelta(days=3)
    with tampering():
        run("UPDATE accounts_auditentry SET id = id + 100 WHERE id > %s", 0)
        run("UPDATE accounts_auditlink SET entry_id = entry_id + 100")
    # The numbers belong to what is sealed: so does that they are others.
    assert "at place 1, is not what was sealed" in fault()
    with tampering():
        run("UPDATE accounts_auditentry SET id = id - 100")
        run("UPDATE accounts_auditlink SET entry_id = entry_id - 100")
    assert fault() == ""
    with tampering():
        run(
            "INSERT INTO accounts_auditentry (id, action, target_type, target_id, data, at)"
            " OVERRIDING SYSTEM VALUE VALUES (%s, 'match.void', '', '', '{}', %s)",
            AuditEntry.objects.order_by("id")[0].pk - 1, at,
        )  # fmt: skip
    assert audit_seal(everything=True) == 0
    assert re.fullmatch(rf"Entry \d+ says that it is of {at:%Y-%m-%d %H:%M} UTC.*", fault())


def test_one_inserted_with_a_link_is_found() -> None:
    write(None)
    with tampering():
        run("UPDATE accounts_auditlink SET position = position + 100 WHERE position > 4")
        run("UPDATE accounts_auditlink SET position = position - 99 WHERE position > 100")
        run(
            "INSERT INTO accounts_auditlink (position, entry_id, digest, at)"
            " VALUES (5, %s, %s, now())",
            last_id(), "a" * 64,
        )  # fmt: skip
    assert f"Entry {last_id()}, at place 5, is not what was sealed" in fault()


def test_two_that_were_exchanged_are_found() -> None:
    four, five = entry_at(4), entry_at(5)
    with tampering():
        run("UPDATE accounts_auditlink SET entry_id = -1 WHERE position = 4")
        run("UPDATE accounts_auditlink SET entry_id = %s WHERE position = 5", four)
        run("UPDATE accounts_auditlink SET entry_id = %s WHERE position = 4", five)
    assert f"Entry {five}, at place 4, is not what was sealed there" in fault()
    with tampering():
        run("UPDATE accounts_auditlink SET entry_id = -1 WHERE position = 4")
        run("UPDATE accounts_auditlink SET entry_id = %s WHERE position = 5", five)
        run("UPDATE accounts_auditlink SET entry_id = %s WHERE position = 4", four)
    assert fault() == ""
    # And where they have got each other's contents.
    with tampering():
        run(
            "UPDATE accounts_auditentry e SET data = o.data, at = o.at FROM accounts_auditentry o"
            " WHERE (e.id, o.id) IN ((%s, %s), (%s, %s))",
            four, five, five, four,
        )  # fmt: skip
    assert f"Entry {four}, at place 4, is not what was sealed there" in fault()


def test_a_chain_made_anew_is_found_by_what_was_kept() -> None:
    """Whoever may do anything can also work out all digests anew; nothing in the tables tells."""
    head = audit_head()
    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", entry_at(4))
        run("DELETE FROM accounts_auditlink")
    audit_seal(everything=True)
    assert fault() == ""
    assert "The chain was made anew: at place 10" in fault(head)
    audit_check()
    assert head_of(str(head)) == head


def test_the_database_itself_refuses_all_of_it() -> None:
    audit_check()
    for table in ("auditentry", "auditlink", "auditcheck"):
        for statement in ("UPDATE accounts_{} SET at = now()", "DELETE FROM accounts_{}"):
            with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
                run(statement.format(table))


# -- sealing -------------------------------------------------------------------------------------


def test_a_number_that_becomes_visible_late_is_sealed_with_a_later_batch(ada: User) -> None:
    """Numbers are given out before transactions end, which do in another order."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('accounts_auditentry', 'id'))")
        number = cursor.fetchone()[0]
    write(ada, 3)
    audit_seal()
    row = AuditEntry(
        id=number, who=ada, action="test.late", at=datetime.now(UTC) - timedelta(minutes=5)
    )
    row.save(force_insert=True)
    assert number < AuditLink.objects.order_by("-position")[0].entry_id
    assert audit_seal() == 1
    assert AuditLink.objects.get(entry_id=number).position == 14
    assert fault() == ""


def test_sealing_again_changes_nothing() -> None:
    head = audit_head()
    assert audit_seal() == audit_seal(everything=True) == 0
    assert audit_head() == head


def test_a_log_of_years_is_sealed_batch_by_batch(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is when the chain is new: in the order of the numbers, and none counts as added."""
    monkeypatch.setattr(sealing, "BATCH", 3)
    with tampering():
        run("DELETE FROM accounts_auditlink")
    order = list(AuditEntry.objects.order_by("id"))
    for years, row in enumerate(order):
        with tampering():
            at = datetime.now(UTC) - timedelta(days=365 * (20 - years))
            run("UPDATE accounts_auditentry SET at = %s WHERE id = %s", at, row.pk)
    assert audit_seal() == 10
    assert list(AuditLink.objects.values_list("entry_id", flat=True)) == [row.pk for row in order]
    assert fault() == ""


def test_what_came_too_late_is_accepted_by_whoever_says_why(ada: User) -> None:
    write(ada, at=datetime.now(UTC) - timedelta(days=2))
    late = last_id()
    assert audit_seal(everything=True) == 0
    assert f"Entry {late} says that it is of" in fault()
    assert audit_accept_late(words="The clock of a host stood still.") == [late]
    assert fault() == ""
    said = AuditEntry.objects.get(action="audit.late")
    assert said.data == {"entries": [late], "words": "The clock of a host stood still."}
    assert AuditLink.objects.filter(entry=said).exists()
    assert audit_accept_late(words="Again.") == []


# -- the arithmetic ------------------------------------------------------------------------------

AT = datetime(2026, 1, 2, 3, 4, 5, 678, UTC)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner,
    max_size=3), max_leaves=6,
)  # fmt: skip
entries = st.lists(
    st.builds(
        Entry, id=st.integers(1, 50), who=st.none() | st.integers(1, 9),
        action=st.sampled_from(["a.b", "a.c"]), target_type=st.just("x.y"),
        target_id=st.sampled_from(["1", "2"]), data=st.dictionaries(st.text(max_size=3),
        json_values), at=st.datetimes(timezones=st.just(UTC)),
    ),
    min_size=2, max_size=6,
)  # fmt: skip


@given(entries, st.data())
def test_no_other_course_has_the_same_digests(made: list[Entry], data: st.DataObject) -> None:
    links = list(linked(made, Head(0, BEGINNING)))
    course = Course()
    assert [course.take(link) for link in links] == [None] * len(links)
    place = data.draw(st.integers(0, len(made) - 1))
    other = data.draw(entries)[0]
    if other != made[place]:
        course = Course()
        changed = [
            link._replace(entry=other) if n == place else link for n, link in enumerate(links)
        ]
        found = [course.take(link) for link in changed[: place + 1]]
        assert found[:-1] == [None] * place
        assert found[-1] is not None
        assert found[-1].position == place + 1


def test_what_is_hashed_is_what_the_page_says() -> None:
    entry = Entry(7, None, "match.void", "games.match", "3", {"b": "ü", "a": [1, 1.5]}, AT)
    assert text_of(2, "f" * 64, entry) == (
        '{"action":"match.void","at":"2026-01-02T03:04:05.000678Z",'
        '"data":{"a":[1,1.5],"b":"\\u00fc"},"id":7,"position":2,"previous":"' + "f" * 64 + '",'
        '"target_id":"3","target_type":"games.match","who":null}'
    )
    assert text_of(2, "f" * 64, entry) in (ROOT / "docs" / "audit.md").read_text()
    link = next(linked([entry], Head(1, "f" * 64)))
    assert link == Link(
        2, hashlib.sha256(text_of(2, "f" * 64, entry).encode()).hexdigest(), 7, entry
    )
    assert link.digest in (ROOT / "docs" / "audit.md").read_text()


@pytest.mark.parametrize("text", ["", "7", "7:abc", ":" + "a" * 64, "-1:" + "a" * 64])
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a head is"):
        head_of(text)


# -- a stranger's program ------------------------------------------------------------------------


def stranger(lines: Path) -> str:
    """What the program of the page prints."""
    page = (ROOT / "docs" / "audit.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", page, re.S)
    printed: list[str] = []
    names = {
        "open": lambda _name: lines.open(),
        "print": lambda *words: printed.append(str(*words)),
    }
    try:
        exec(compile(program, "audit.md", "exec"), names)  # noqa: S102  (our own page)
    except SystemExit as end:
        printed.append(str(end.code))
    return "\n".join(printed)


def test_the_program_of_the_page_goes_over_an_export(tmp_path: Path) -> None:
    lines = tmp_path / "audit.jsonl"
    out = StringIO()
    call_command("audit", "export", stdout=out)
    lines.write_text(out.getvalue())
    assert stranger(lines) == str(audit_head())
    made = list(audit_lines())
    third = json.loads(made[2])
    third["sealed"]["who"] = 12345
    lines.write_text("\n".join([*made[:2], json.dumps(third), *made[3:]]))
    assert "3" in stranger(lines)
    assert stranger(lines) != str(audit_head())
    lines.write_text("\n".join([*made[:4], *made[5:]]))
    assert "5" in stranger(lines)


# -- commands, and the night ---------------------------------------------------------------------


def call(*words: str) -> str:
    out = StringIO()
    call_command("audit", *words, stdout=out)
    return out.getvalue()


def test_commands_say_what_holds_and_what_does_not() -> None:
    head = call("head").strip()
    assert head == str(audit_head())
    assert call("verify", "--head", head).splitlines() == ["All 10 entries hold.", head]
    assert call("seal") == "0 entries were sealed.\n"
    with pytest.raises(CommandError, match="The chain was made anew: at place 3"):
        call("verify", "--head", f"3:{'a' * 64}")
    assert not AuditCheck.objects.exists()
    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", entry_at(4))
    with pytest.raises(CommandError, match=r"at place 4, .* It holds up to place 3\."):
        call("verify")
    # What is known of is passed over, and what comes after it is not.
    assert "All 6 entries behind place 4 hold." in call("verify", "--after", "4")
    # That ends no alarm, and a head that is wrong raises none.
    assert [bool(check.fault) for check in AuditCheck.objects.order_by("id")] == [True]
    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", entry_at(6))
    with pytest.raises(CommandError, match="at place 6"):
        call("verify", "--after", "4")


def test_each_look_is_kept_and_told_to_the_log() -> None:
    with structlog.testing.capture_logs() as logs:
        check = audit_check()
    head = audit_head()
    assert (check.position, check.digest, check.fault) == (*head, "")
    assert [(line["event"], line["log_level"]) for line in logs] == [("audit.head", "info")]
    assert logs[0]["head"] == str(head)
    broken = entry_at(4)
    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", broken)
    with structlog.testing.capture_logs() as logs:
        check = audit_check()
    assert (logs[0]["event"], logs[0]["log_level"], logs[0]["place"], logs[0]["entry"]) == (
        "audit.broken", "error", 4, broken,
    )  # fmt: skip
    assert check.position == 3
    assert check.fault
    assert AuditCheck.objects.count() == 2


# -- what whoever acts as the site can add -------------------------------------------------------

IN_2100 = datetime(2100, 1, 1, tzinfo=UTC)
A_LOOK = "INSERT INTO accounts_auditcheck (at, position, digest, fault) VALUES (%s, %s, %s, '')"


@pytest.fixture
def by_the_site() -> None:
    """From here on as the site's own role, which owns nothing."""
    become_site_role()


def checks_by_the_task(*moments: datetime) -> int:
    """How many looks the hourly task takes at these moments."""
    before = AuditCheck.objects.count()
    for moment in moments:
        with time_machine.travel(moment, tick=False):
            tasks.check()
    return AuditCheck.objects.count() - before


@pytest.mark.usefixtures("by_the_site")
@pytest.mark.parametrize("at", ["to come", "a minute ago"])
def test_no_look_that_was_added_keeps_the_night_s_from_being_taken(at: str) -> None:
    night = (datetime.now(UTC) + timedelta(days=1)).replace(hour=tasks.NIGHT, minute=15)
    head = audit_head()
    run(A_LOOK, IN_2100 if at == "to come" else night - timedelta(minutes=1), *head)
    assert checks_by_the_task(night) == 1


@pytest.mark.usefixtures("by_the_site")
def test_a_night_that_was_missed_is_made_up_for_whatever_is_yet_to_come() -> None:
    noon = (datetime.now(UTC) + timedelta(days=1)).replace(hour=12, minute=15)
    with time_machine.travel(noon - timedelta(days=1), tick=False):
        audit_check()
    run(A_LOOK, IN_2100, *audit_head())
    hour = timedelta(hours=1)
    assert checks_by_the_task(noon, noon + hour, noon + 2 * hour) == 1
    # Before the hour of the night nothing is missed yet.
    assert checks_by_the_task((noon + timedelta(days=1)).replace(hour=tasks.NIGHT - 1)) == 0


@pytest.mark.usefixtures("by_the_site")
def test_a_look_that_is_yet_to_come_is_a_fault_and_the_last_look_of_nobody() -> None:
    run(A_LOOK, IN_2100, *audit_head())
    number = AuditCheck.objects.get().pk
    assert audit_last_check() is None
    check = audit_check()
    assert check.fault.startswith(f"Look {number} says that it is of 2100-01-01 00:00 UTC")
    assert audit_last_check() == check
    # Nor does one by its number, which is chosen.
    run(
        "INSERT INTO accounts_auditcheck (id, at, position, digest, fault)"
        " VALUES (%s, %s, 10, %s, '')",
        2**62, check.at - timedelta(hours=1), audit_head().digest,
    )  # fmt: skip
    assert audit_last_check() == check


@pytest.mark.parametrize(
    ("position", "words"),
    [(3, "The chain was made anew: at place 3"), (10**17, "The chain is cut: it ends at place 10")],
)
def test_a_look_that_does_not_fit_is_a_fault_and_hides_none(position: int, words: str) -> None:
    run(A_LOOK, datetime.now(UTC), position, "a" * 64)
    head, found = audit_fault()
    assert found is not None
    assert found.words.startswith(words)
    assert head.position == (2 if position == 3 else 10)
    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", entry_at(7))
    assert re.fullmatch(
        r"Entry \d+, at place 7, is not what was sealed .* Besides, 1 more of it does not hold\.",
        fault(),
    )


@pytest.mark.usefixtures("by_the_site")
@pytest.mark.parametrize("position", [1, 10, 12, 10**17, 2**63 - 1])
def test_no_place_is_taken_that_does_not_follow_the_last(ada: User, position: int) -> None:
    write(ada)
    link = "INSERT INTO accounts_auditlink (position, entry_id, digest, at) VALUES (%s, %s, %s, %s)"
    with pytest.raises(DatabaseError, match="does not follow the last"), transaction.atomic():
        run(link, position, last_id(), "a" * 64, datetime.now(UTC))
    assert audit_seal() == 1


def test_a_place_that_was_added_stops_nothing_and_hides_nothing(ada: User) -> None:
    """It is found, and what comes after it is sealed and looked at as ever."""
    write(ada)
    forged = AuditLink(position=11, entry_id=last_id(), digest="a" * 64, at=IN_2100)
    forged.save(force_insert=True)
    write(ada, 3)
    assert audit_seal() == 3
    head, found = audit_fault()
    assert head.position == 10
    assert found is not None
    assert "at place 11, is not what was sealed there" in found.words
    assert found.words.endswith("Besides, 1 more of it does not hold."), "that it is of 2100"
    with tampering():
        run("UPDATE accounts_auditentry SET who_id = NULL WHERE id = %s", entry_at(13))
    assert fault().endswith("Besides, 2 more of it does not hold.")
    # An entry of long ago is not sealed, since the place cannot say when it was.
    write(ada, at=datetime.now(UTC) - timedelta(days=2))
    assert audit_seal(everything=True) == 0
    assert fault().endswith("Besides, 3 more of it does not hold.")


@pytest.mark.usefixtures("by_the_site")
@pytest.mark.parametrize("number", [2**62, 2**63 - 1])
def test_no_entry_s_number_keeps_the_next_from_being_sealed(ada: User, number: int) -> None:
    AuditEntry(id=number, who=ada, action="test.far").save(force_insert=True)
    assert audit_seal() == 1
    write(ada, 2)
    assert audit_seal() == 2
    assert fault() == ""


def test_how_long_an_entry_waits_to_be_sealed_is_told(ada: User) -> None:
    assert audit_unsealed_since() is None
    write(ada, 2)
    first = AuditEntry.objects.order_by("-id")[1]
    assert audit_unsealed_since() == first.at
    audit_seal()
    assert audit_unsealed_since() is None
    # One that is not sealed, since it says that it is of before.
    at = datetime.now(UTC) - timedelta(hours=3)
    write(ada, at=at)
    assert audit_seal(everything=True) == 0
    assert audit_unsealed_since() == at


def test_the_head_is_told_to_the_log_with_each_batch(ada: User) -> None:
    write(ada, 2)
    with structlog.testing.capture_logs() as logs:
        audit_seal()
        audit_seal()
    assert logs == [
        {"event": "audit.sealed", "log_level": "info", "count": 2, "head": str(audit_head())}
    ]
