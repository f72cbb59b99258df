"""Static files: whatever a page leads to has a name that follows from what is in it, is kept for
good, and is answered without Django."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import brotli
import httpx
import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.templatetags.static import static

from config.statics import StaticFiles
from core.modules import led_to
from script.lib import statics
from script.lib.console import ROOT, Failure
from tests.support.site import Site

HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")
NAMED = {
    ".html": re.compile(r'(?:src|href|data-board)="([^"]+)"'),
    ".css": re.compile(r'url\("?([^")]+)"?\)'),
    ".js": re.compile(r'(?:^|[\s;])(?:import|export)\b[^;]*?["\']([./][^"\';]+)["\'];'),
}


def named_in(text: str, kind: str, base: str) -> Iterator[str]:
    """The static files that a page, a style sheet or a module names."""
    for name in NAMED.get(kind, re.compile("(?!)")).findall(text):
        address = urlsplit(urljoin(base, name))
        if address.path.startswith(settings.STATIC_URL):
            yield address.path


@pytest.mark.parametrize("page", ["/", "/watch/", "/accounts/login/", "/api/"])
def test_all_that_a_page_leads_to_is_kept_for_good(site: Site, page: str) -> None:
    with httpx.Client(base_url=site.base_url, timeout=30) as client:
        answer = client.get(page, follow_redirects=True)
        assert answer.status_code == 200
        waiting, seen = set(named_in(answer.text, ".html", page)), set[str]()
        assert waiting
        while waiting:
            path = waiting.pop()
            seen.add(path)
            assert HASHED.search(path), path
            found = client.get(path)
            assert found.status_code == 200, path
            assert "immutable" in found.headers["cache-control"], path
            assert found.headers["x-content-type-options"] == "nosniff"
            waiting |= {*named_in(found.text, Path(path).suffix, path)} - seen


def test_the_manifest_is_served_as_one(site: Site) -> None:
    answer = httpx.get(f"{site.base_url}{static('img/site.webmanifest')}", timeout=30)
    assert answer.headers["content-type"] == "application/manifest+json"


def test_every_module_names_others_by_their_contents() -> None:
    """Those of boards too, which a page names only while a match is played."""
    shared, own = ROOT.glob("static/js/**/*.js"), ROOT.glob("games/rulesets/*/static/*.js")
    found = {
        **{str(path.relative_to(ROOT / "static")): path for path in shared},
        **{str(path.relative_to(ROOT / "games")): path for path in own},
    }
    modules = {name: path for name, path in found.items() if "import" in path.read_text()}
    assert len(modules) > 15
    assert any(name.startswith("rulesets/") for name in modules)
    for name, module in modules.items():
        base = static(name)
        text = (Path(settings.STATIC_ROOT) / base.removeprefix(settings.STATIC_URL)).read_text()
        names = list(named_in(text, ".js", base))
        assert len(names) == len(list(named_in(module.read_text(), ".js", f"/static/{name}")))
        assert [name for name in names if not HASHED.search(name)] == []


def test_what_a_module_leads_to_is_known_beforehand() -> None:
    """As a browser finds it in what was collected, step by step."""
    root = Path(settings.STATIC_ROOT)
    manifest = json.loads((root / "staticfiles.json").read_text())["paths"]
    plain = {f"{settings.STATIC_URL}{hashed}": name for name, hashed in manifest.items()}
    longest = 0
    for name in manifest:
        kind = Path(name).suffix
        if kind not in {".js", ".css"} or not name.startswith(("js/", "css/", "rulesets/")):
            continue
        waiting, seen = [static(name)], set[str]()
        while waiting:
            path = waiting.pop()
            text = (root / path.removeprefix(settings.STATIC_URL)).read_text()
            led = {each for each in named_in(text, kind, path) if each.endswith(kind)}
            waiting += led - seen
            seen |= led
        found = led_to(name)
        assert sorted(found) == sorted(plain[path] for path in seen - {static(name)}), name
        longest = max(longest, len(found))
    assert longest > 15


def test_every_page_names_all_its_modules() -> None:
    """A browser that finds out only as it reads them waits for one after the other."""
    scripts = re.compile(r"<script type=\"module\" src=\"{% static '([^']+)' %}\"")
    found = 0
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text()
        for name in scripts.findall(text):
            if led_to(name) and path.name != "base.html":
                assert re.search(rf'{{% modules [^%]*"{re.escape(name)}"', text), path
                found += 1
    assert found > 8


# -- before Django -------------------------------------------------------------------------------


async def django(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body"})


def answered(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    async def ask() -> tuple[int, dict[str, str], bytes]:
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [
                (name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
            ],
        }
        asked = ApplicationCommunicator(StaticFiles(django), scope)
        start = await asked.receive_output(30)
        body = await asked.receive_output(30)
        told = {name.decode(): value.decode() for name, value in start["headers"]}
        return start["status"], told, body.get("body", b"")

    return asyncio.run(ask())


SCRIPT = "js/match/app.js"


def collected(name: str) -> bytes:
    return (Path(settings.STATIC_ROOT) / static(name).removeprefix("/static/")).read_bytes()


def test_a_file_is_answered_before_django() -> None:
    status, headers, body = answered(static(SCRIPT))
    assert (status, body) == (200, collected(SCRIPT))
    assert headers["content-type"].startswith("text/javascript")
    assert headers["content-length"] == str(len(body))


@pytest.mark.parametrize(
    ("takes", "coding", "plain"),
    [
        ("gzip, deflate, br, zstd", "br", brotli.decompress),
        ("gzip, deflate", "gzip", gzip.decompress),
        ("identity", "", bytes),
        ("", "", bytes),
    ],
)
def test_whoever_takes_it_compressed_gets_it_so(
    takes: str, coding: str, plain: Callable[[bytes], bytes]
) -> None:
    status, headers, body = answered(static(SCRIPT), accept_encoding=takes)
    assert status == 200
    assert headers.get("content-encoding", "") == coding
    assert headers["content-length"] == str(len(body))
    assert headers["vary"] == "Accept-Encoding"
    assert plain(body) == collected(SCRIPT)
    assert answered(static(SCRIPT), "HEAD", accept_encoding=takes) == (200, headers, b"")
    # A strong tag would stand for the same bytes, which two codings are not.
    assert headers["etag"].startswith("W/")
    status, told, body = answered(
        static(SCRIPT), accept_encoding=takes, if_none_match=headers["etag"]
    )
    assert (status, body) == (304, b"")
    for name in ("etag", "vary", "cache-control"):
        assert told[name] == headers[name]


def test_what_has_no_compressed_copy_has_a_strong_tag() -> None:
    _, headers, _ = answered(static("img/icon-180.png"), accept_encoding="gzip, br")
    assert headers["etag"].startswith('"')
    assert "vary" not in headers
    assert answered(static("img/icon-180.png"), if_none_match=headers["etag"])[0] == 304


def test_all_that_shrinks_is_there_compressed() -> None:
    root = Path(settings.STATIC_ROOT)
    found = [
        path
        for path in root.rglob("*")
        if path.suffix in {".css", ".js", ".svg"}
        and HASHED.search(path.name)
        and path.stat().st_size > 500
    ]
    assert len(found) > 100
    for path in found:
        for coding in (".br", ".gz"):
            assert path.with_name(path.name + coding).exists(), path.name


def test_the_head_of_a_file_and_a_part_of_it() -> None:
    whole = collected(SCRIPT)
    status, headers, body = answered(static(SCRIPT), "HEAD")
    assert (status, headers["content-length"], body) == (200, str(len(whole)), b"")
    # A part is of the file itself, in whatever coding a reader would take the whole of it.
    status, headers, body = answered(static(SCRIPT), range="bytes=2-5", accept_encoding="br")
    assert (status, body) == (206, whole[2:6])
    assert "content-encoding" not in headers
    assert headers["content-range"] == f"bytes 2-5/{len(whole)}"
    # Whether a part fits to what somebody has, a weak tag cannot say: they get the whole.
    tag = headers["etag"]
    assert answered(static(SCRIPT), range="bytes=2-5", if_range=tag)[::2] == (200, whole)


def test_a_file_takes_no_other_method() -> None:
    assert answered(static(SCRIPT), "POST")[0] == 405


@pytest.mark.parametrize(
    "path",
    ["/", "/static/", "/static/js/", "/static/none.js", "/static/../manage.py", "/staticjs",
     "/static/js/../../../manage.py", "/static/\\..\\manage.py", "/static//etc/passwd"],
)  # fmt: skip
def test_everything_else_is_for_django(path: str) -> None:
    assert answered(path)[0] == 418


# -- collecting ----------------------------------------------------------------------------------


def test_a_changed_file_makes_another_collection(tmp_path: Path) -> None:
    (tmp_path / "static" / "js").mkdir(parents=True)
    script = tmp_path / "static" / "js" / "a.js"
    names = set()
    for text in ("1;", "2;"):
        script.write_text(text)
        names.add(statics.fingerprint(tmp_path))
    script.rename(script.with_name("b.js"))
    names.add(statics.fingerprint(tmp_path))
    assert len(names) == 3
    assert statics.fingerprint(tmp_path) in names


def test_what_is_collected_is_not_collected_again(tmp_path: Path) -> None:
    found = statics.Statics(tmp_path)
    found.folder.mkdir()
    (found.folder / statics.MANIFEST).touch()
    found.collect(Path("/nowhere/python"), {})
    assert found.environment() == {"GAUNTLET_STATIC_ROOT": str(found.folder)}


def test_a_collection_that_fails_leaves_nothing_and_says_why(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'a.js is missing' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(Failure, match=r"a\.js is missing"):
        statics.Statics(tmp_path / "kept").collect(python, dict(os.environ))
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_few_collections_are_kept_and_those_in_use(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    kept = tmp_path / "kept"
    for number in range(6):
        (kept / f"old{number}").mkdir(parents=True)
        os.utime(kept / f"old{number}", (number, number))
        (kept / f"new{number}").mkdir()
    found = statics.Statics(kept)
    found.collect(python, dict(os.environ))
    lately = {f"new{number}" for number in range(6)}
    assert {path.name for path in kept.iterdir()} == lately | {
        found.folder.name, "old2", "old3", "old4", "old5",
    }  # fmt: skip


def test_whoever_works_on_the_files_collects_for_the_others(tmp_path: Path) -> None:
    """Else a site in debug, which has them plain, would leave a collection without hashed names."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nenv > {tmp_path}/seen\n")
    python.chmod(0o755)
    statics.Statics(tmp_path / "kept").collect(python, {**os.environ, "GAUNTLET_DEBUG": "1"})
    assert "GAUNTLET_DEBUG" not in (tmp_path / "seen").read_text()


def test_a_module_that_names_a_missing_one_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.js").write_text('import { b } from "./b.js";\n')
    settings_module = tmp_path / "broken.py"
    settings_module.write_text(
        "from config.settings.test import *\n"
        f"STATICFILES_DIRS = [{str(source)!r}]\nINSTALLED_APPS = ['django.contrib.staticfiles']\n"
        "STATICFILES_FINDERS = STATICFILES_FINDERS[:1]\n"
    )
    done = subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        env={
            **os.environ,
            "PYTHONPATH": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "broken",
            "GAUNTLET_STATIC_ROOT": str(tmp_path / "collected"),
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode
    assert "b.js" in done.stderr
