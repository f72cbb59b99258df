"""Draws are verified in the reader's own browser: of a record as a file, and on a replay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.games.test_records import drawn_record
from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

IMPORT = """
from accounts.models import User
from accounts.services import user_register
from games.services.matches import record_import
from tests.games.test_records import drawn_record
import json
who = User.objects.filter(username="importer").first() or user_register(
    username="importer", email="importer@example.org", password="swordfish-77",
    display_name="Importer")
User.objects.filter(pk=who.pk).update(is_superuser=True, is_staff=True)
who = User.objects.get(pk=who.pk)
print(record_import(acting_user=who, data=json.dumps(drawn_record()).encode()).pk)
"""


def file_of(folder: Path, document: Any) -> Path:
    """A file of a name that is not there yet: one and the same would be no change."""
    path = folder / f"match-{len(list(folder.iterdir()))}.dmr.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


@pytest.mark.parametrize("width", [390, 1280])
def test_a_record_is_verified_where_it_is_read(
    new_page: Callable[..., Page], tmp_path: Path, width: int
) -> None:
    record = drawn_record()
    page = new_page(viewport={"width": width, "height": 800})
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.goto("/draws/check/")
    field = page.get_by_label("Record")
    field.set_input_files(file_of(tmp_path, record))
    page.get_by_text("The one draw follows from the seed and the nonces").wait_for()
    noted = page.get_by_label("The commitment that you noted down")
    noted.fill(record["draws"]["commitment"])
    page.get_by_text("It is the same: this seed").wait_for()
    noted.fill("0" * 64)
    page.get_by_role("status").filter(has_text="WRONG: it is another one").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    lot = record["moves"][0]
    lot["move"] = f"lot {1 - int(lot['move'][-1])}"
    field.set_input_files(file_of(tmp_path, record))
    page.get_by_text("Wrong: 1 draw came out otherwise, the first at entry 1").wait_for()
    field.set_input_files(file_of(tmp_path, {**record, "ruleset": "chess"}))
    page.get_by_text("This site does not know the game of this record.").wait_for()
    field.set_input_files(file_of(tmp_path, "no"))
    page.get_by_text("This is not JSON, so it is no match record.").wait_for()
    assert set(sent) == {"GET"}


def test_a_replay_verifies_its_draws_once_it_is_asked_to(
    site: Site, new_page: Callable[..., Page]
) -> None:
    match = site.python(IMPORT).strip()
    page = new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(f"/matches/{match}/replay/")
    page.locator("#replay[data-ready]").wait_for()
    assert not [url for url in fetched if "vendor/@noble" in url or "record.dmr" in url]
    page.locator("#draws > summary").click()
    page.get_by_text("The one draw follows from the seed and the nonces").wait_for()
    assert page.locator("#draws .draws__item a").get_attribute("href") == "?move=1"
    page.goto(f"/matches/{match}/replay/#draws")
    page.get_by_text("The one draw follows from the seed and the nonces").wait_for()
