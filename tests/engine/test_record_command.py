"""`manage.py record`, in process and as the command that people run."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.engine import draws as derived
from games.engine import records
from games.management.commands import record as command
from games.management.commands.record import schema_text

ROOT = Path(__file__).resolve().parents[2]

GOOD = {
    "format": "deathmatch-record/1",
    "ruleset": "tetronogo",
    "variant": "standard",
    "seats": ["Ada", "Ben"],
    "advantage": 1,
    "moves": [{"seat": 0, "move": "concede"}],
}
UNFINISHED = {**GOOD, "moves": [{"seat": 1, "move": "pick T", "t": 3.2}]}
BAD = {**GOOD, "moves": [*GOOD["moves"], {"seat": 1, "move": "concede"}]}  # type: ignore[misc]

GOOD_LINE = {
    "ok": True,
    "finished": True,
    "winner": 1,
    "reason": "concession",
    "scores": [0, 0],
    "draws": {"verified": 0, "supplied": 0, "agreed": 0, "unverifiable": 0},
}


def put(folder: Path, name: str, document: Any) -> str:
    """A file below ``folder``; its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return str(path)


class Said:
    """What one run of the command printed, and its exit status."""

    def __init__(self, *arguments: str, stdin: bytes = b"") -> None:
        out, err = io.StringIO(), io.StringIO()
        kept, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin))
        self.status: Any = 0
        try:
            call_command("record", *arguments, stdout=out, stderr=err)
        except SystemExit as leave:
            self.status = leave.code
        finally:
            sys.stdin = kept
        self.out, self.err = out.getvalue(), err.getvalue()

    @property
    def lines(self) -> list[dict[str, Any]]:
        assert self.out == "" or self.out.endswith("\n")
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def files(self) -> list[str]:
        return [line["file"] for line in self.lines]


# -- files ---------------------------------------------------------------------------------------


def test_a_record_that_stands(tmp_path: Path) -> None:
    file = put(tmp_path, "a.dmr.json", GOOD)
    said = Said("check", file)
    assert said.status == 0
    assert said.lines == [{"file": file, **GOOD_LINE}]
    assert list(said.lines[0]) == ["file", *GOOD_LINE]
    assert said.err == ""


def test_a_record_that_does_not_stand(tmp_path: Path) -> None:
    file = put(tmp_path, "a.dmr.json", BAD)
    said = Said("check", file)
    assert said.status == 1
    assert said.lines == [
        {"file": file, "ok": False, "at": 1, "error": "match.over: The match is over."}
    ]
    assert list(said.lines[0]) == ["file", "ok", "at", "error"]


def test_one_bad_record_among_many_makes_the_exit_status_1(tmp_path: Path) -> None:
    good, bad = put(tmp_path, "a.json", GOOD), put(tmp_path, "b.txt", BAD)
    said = Said("check", good, bad, good)
    assert said.status == 1
    assert said.files == [good, bad, good]
    assert [line["ok"] for line in said.lines] == [True, False, True]


def test_an_unfinished_record_is_fine(tmp_path: Path) -> None:
    said = Said("check", put(tmp_path, "a.dmr.json", UNFINISHED))
    assert said.status == 0
    assert said.lines[0] | {"file": ""} == {
        "file": "",
        "ok": True,
        "finished": False,
        "winner": None,
        "reason": None,
        "scores": [0, 0],
        "draws": {"verified": 0, "supplied": 0, "agreed": 0, "unverifiable": 0},
    }


def test_what_was_drawn_is_listed_only_when_it_is_asked_for(tmp_path: Path) -> None:
    drawn = {k: v for k, v in GOOD.items() if k != "advantage"}
    drawn["moves"] = [{"seat": "chance", "move": "lot 1"}, *GOOD["moves"]]  # type: ignore[misc]
    file = put(tmp_path, "a.dmr.json", drawn)
    lot = {"at": 0, "label": "lot", "move": "lot 1", "state": "unverifiable"}
    said = Said("check", file, "--draws").lines[0]
    assert said["drawn"] == [lot]
    assert "steps" not in said
    assert "drawn" not in Said("check", file).lines[0]
    assert list(Said("check", file, "--draws", "--steps").lines[0])[-2:] == ["steps", "drawn"]


def test_the_draw_that_is_wrong_is_listed_with_what_it_should_be(tmp_path: Path) -> None:
    seed = "00" * 32
    wrong = {
        **{k: v for k, v in GOOD.items() if k != "advantage"},
        "draws": {
            "method": derived.METHOD,
            "seed": seed,
            "commitment": derived.seed_commitment(seed),
            "nonces": [{}, {}],
        },
    }
    right = derived.Draws(seed).numbers("lot")(2)
    wrong["moves"] = [{"seat": "chance", "move": f"lot {1 - right}"}]
    said = Said("check", put(tmp_path, "a.dmr.json", wrong), "--draws")
    assert said.status == 1
    assert said.lines[0]["error"].startswith("draws.other: ")
    assert said.lines[0]["drawn"] == [
        {"at": 0, "label": "lot", "move": f"lot {1 - right}", "state": "wrong"}
        | {"wanted": f"lot {right}"}
    ]


def test_steps_come_last_and_only_when_asked_for(tmp_path: Path) -> None:
    good, bad = put(tmp_path, "a.json", UNFINISHED), put(tmp_path, "b.json", b"{")
    said = Said("check", "--steps", good, bad)
    assert list(said.lines[0])[-1] == "steps"
    assert said.lines[0]["steps"] == [{"scores": [0, 0], "to_move": [0], "reserve": [120, 120]}]
    assert list(said.lines[1]) == ["file", "ok", "at", "error", "steps"]
    assert "steps" not in Said("check", good).lines[0]
    assert Said("check", good, "--steps").lines == said.lines[:1]


def test_standard_input_is_a_dash(tmp_path: Path) -> None:
    said = Said("check", "-", stdin=json.dumps(GOOD).encode())
    assert said.lines == [{"file": "-", **GOOD_LINE}]
    assert Said("check", "-", stdin=b"").status == 1
    assert Said("check", "-", stdin=b"\xff\xfe").status == 1


def test_standard_input_and_files_may_be_mixed(tmp_path: Path) -> None:
    bad = put(tmp_path, "b.json", BAD)
    said = Said("check", bad, "-", "-", stdin=json.dumps(GOOD).encode())
    assert said.files == [bad, "-", "-"]
    assert [line["ok"] for line in said.lines] == [False, True, False]


def test_a_closed_standard_input_is_not_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(command.UnreadableRecord):
        command._content("-")


# -- folders -------------------------------------------------------------------------------------


def test_a_folder_means_its_records_sorted_and_recursively(tmp_path: Path) -> None:
    for name in ("b.dmr.json", "a/z.dmr.json", "a/b/c.dmr.json", "a.dmr.json", ".d/e.dmr.json"):
        put(tmp_path, name, GOOD)
    for name in ("x.json", "a/y.txt", "dmr.json.bak", "B.DMR.JSON"):
        put(tmp_path, name, BAD)
    said = Said("check", str(tmp_path))
    assert said.status == 0
    assert [str(Path(file).relative_to(tmp_path)) for file in said.files] == [
        ".d/e.dmr.json",
        "a/b/c.dmr.json",
        "a/z.dmr.json",
        "a.dmr.json",
        "b.dmr.json",
    ]
    assert Said("check", f"{tmp_path}/").files == said.files


def test_a_folder_is_named_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "games/a.dmr.json", GOOD)
    monkeypatch.chdir(tmp_path)
    assert Said("check", "games").files == ["games/a.dmr.json"]
    assert Said("check", ".").files == ["games/a.dmr.json"]


def test_a_folder_without_records_is_no_failure_but_is_said(tmp_path: Path) -> None:
    put(tmp_path, "notes.txt", b"")
    said = Said("check", str(tmp_path))
    assert said.status == 0
    assert said.out == ""
    assert str(tmp_path) in said.err


def test_a_folder_may_have_the_name_of_a_record(tmp_path: Path) -> None:
    inner = put(tmp_path, "season.dmr.json/a.dmr.json", GOOD)
    assert Said("check", str(tmp_path)).files == [inner]


def test_links_in_folders(tmp_path: Path) -> None:
    put(tmp_path, "real/a.dmr.json", GOOD)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "good.dmr.json").symlink_to(tmp_path / "real" / "a.dmr.json")
    (folder / "gone.dmr.json").symlink_to(tmp_path / "nowhere")
    (folder / "loop.dmr.json").symlink_to(folder / "loop.dmr.json")
    (folder / "round").symlink_to(folder)
    said = Said("check", str(folder))
    assert said.status == 1
    assert [(Path(line["file"]).name, line["ok"]) for line in said.lines] == [
        ("gone.dmr.json", False),
        ("good.dmr.json", True),
        ("loop.dmr.json", False),
    ]


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.dmr.json")
    said = Said("check", str(tmp_path))
    assert said.status == 1
    assert said.lines[0]["error"] == "This is not a regular file."


def test_a_folder_that_cannot_be_listed_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions do not stop a superuser, so the operating system's refusal is played.
    put(tmp_path, "open/a.dmr.json", GOOD)
    locked = tmp_path / "locked"
    locked.mkdir()
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if str(path) == str(locked):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    said = Said("check", str(tmp_path))
    assert said.status == 1
    assert said.lines[0] == {
        "file": str(locked),
        "ok": False,
        "at": None,
        "error": "Permission denied",
    }
    assert said.lines[1]["ok"]


# -- whatever a file holds -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["missing.dmr.json", "no/such/folder/a.dmr.json", "a" * 300, "zero\0byte"]
)
def test_what_is_not_there_is_a_failure(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = Said("check", name)
    assert said.status == 1
    (line,) = said.lines
    assert (line["file"], line["ok"], line["at"]) == (name, False, None)
    assert line["error"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 1000,
        bytes(range(256)) * 50,
        b"\x7fELF\x02\x01\x01" + b"\x00" * 500,
        b"\x1f\x8b\x08\x00" + random.Random(1).randbytes(200),
        b"[" * 10**6,
        b'{"a":' * 10**6,
        b"9" * 10**6,
        b'"' + b"a" * 10**6,
        b"\xef\xbb\xbf{}",
        b"NaN",
        json.dumps({**GOOD, "seats": ["\ud800", "\udfff"]}).encode(),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_any_content_gets_one_line_and_no_traceback(content: bytes, tmp_path: Path) -> None:
    said = Said("check", put(tmp_path, "a.dmr.json", content))
    assert said.status == 1
    (line,) = said.lines
    assert (line["ok"], line["at"]) == (False, None)
    assert said.err == ""


def test_a_file_that_is_too_large_is_not_read_to_its_end() -> None:
    said = Said("check", "/dev/zero")
    assert said.status == 1
    assert "at most" in said.lines[0]["error"]


def test_errors_may_quote_what_no_terminal_can_show(tmp_path: Path) -> None:
    document = {**GOOD, "ruleset": "\U0001f600\u202e\x1b[31m"}
    said = Said("check", put(tmp_path, "a.dmr.json", document))
    assert said.out.isascii()
    assert "\x1b" not in said.out
    assert "\U0001f600" in said.lines[0]["error"]


def test_a_name_that_is_no_text_is_printed_all_the_same(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.dmr.json"
    Path(os.fsdecode(path)).write_text(json.dumps(GOOD))
    said = Said("check", str(tmp_path))
    assert said.out.isascii()
    assert os.fsencode(said.files[0]) == path


def test_a_bug_in_a_ruleset_does_not_silence_the_other_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = records.check

    def broken(registry: Any, data: bytes, **wanted: bool) -> dict[str, Any]:
        if b"broken" in data:
            raise ZeroDivisionError("division by zero")
        verdict: dict[str, Any] = check(registry, data, **wanted)
        return verdict

    monkeypatch.setattr(records, "check", broken)
    broken_file = put(tmp_path, "a.json", b"broken")
    said = Said("check", broken_file, put(tmp_path, "b.json", GOOD))
    assert said.status == 1
    assert said.lines[0] == {
        "file": broken_file,
        "ok": False,
        "at": None,
        "error": "The checker itself failed: ZeroDivisionError: division by zero",
    }
    assert said.lines[1]["ok"]


# -- the schema ----------------------------------------------------------------------------------


def test_the_schema_is_printed() -> None:
    said = Said("schema")
    assert said.status == 0
    assert json.loads(said.out)["title"] == "Deathmatch record"


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "docs" / "record.schema.json").read_text()
    assert published == schema_text(), (
        "docs/record.schema.json is out of date: "
        "run `python manage.py record schema > docs/record.schema.json`"
    )


# -- wrong use -----------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [(), ("check",), ("dance",), ("check", "--stpes", "x")])
def test_wrong_use_is_explained(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("record", *arguments)


# -- the real command ----------------------------------------------------------------------------


def run(
    *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "manage.py", "record", *arguments],
        cwd=ROOT,
        input=stdin,
        env=env,
        capture_output=True,
        timeout=60,
        check=False,
    )


def without_addresses(**more: str) -> dict[str, str]:
    """This environment without what says where the services are and which settings to use."""
    left_out = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    return {key: value for key, value in os.environ.items() if key not in left_out} | more


def test_no_database_is_needed(tmp_path: Path) -> None:
    good = put(tmp_path, "a.dmr.json", GOOD)
    done = run("check", good, "-", env=without_addresses(), stdin=json.dumps(GOOD).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert [json.loads(line)["file"] for line in done.stdout.splitlines()] == [good, "-"]


def test_a_database_that_does_not_answer_is_not_missed(tmp_path: Path) -> None:
    good, bad = put(tmp_path, "a.dmr.json", GOOD), put(tmp_path, "b.dmr.json", b"\x00[")
    env = without_addresses(
        DATABASE_URL="postgresql://nobody@127.0.0.1:1/none", REDIS_URL="redis://127.0.0.1:1"
    )
    done = run("check", str(tmp_path), "--steps", env=env)
    assert (done.returncode, done.stderr) == (1, b"")
    assert [json.loads(line)["file"] for line in done.stdout.splitlines()] == [good, bad]


def test_a_reader_that_has_read_enough_is_no_error(tmp_path: Path) -> None:
    good = put(tmp_path, "a.dmr.json", GOOD)
    with subprocess.Popen(
        [sys.executable, "manage.py", "record", "check", *[good] * 3000],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1
