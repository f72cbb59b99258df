"""Clips: a stretch of a replay as a page, and as a moving picture."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from django.test import Client
from PIL import Image

from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from games.models import Match
from games.pictures import clips
from games.reading.replays import replay_of
from games.services.matches import record_import
from tests.games.support import user_named

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"
RECORDS = [
    "domain.standard.strict", "domino-black-white.standard.points", "domino-wars.standard.random",
    "peg-domain.gauntlet.points", "tetronogo.standard.random",
]  # fmt: skip


def imported(name: str) -> Match:
    head = User.objects.create_superuser("head", password="not asked for")
    role_grant(acting_user=head, user=head, role=Role.ORGANISER)
    data = (PLAYTHROUGHS / f"{name}.dmr.json").read_bytes()
    return record_import(acting_user=head, data=data)


def stills(match: Match) -> list[int]:
    return [step["still"] for step in replay_of(match)["steps"] if step["still"] is not None]


@pytest.mark.parametrize("name", RECORDS)
def test_time(db: None, name: str) -> None:
    match = Match.objects.get(pk=imported(name).pk)
    found = stills(match)
    last = found[-1]
    first = max(found[0], last - clips.AT_MOST + 1)
    from games.pictures.diagrams import diagrams_of
    svgs = diagrams_of(match, first, last)
    Path(f"/tmp/svg-{name}.svg").write_text(svgs[-1])
    began = time.monotonic()
    data = clips.clip_of(match, first, last)
    print(name, last - first + 1, round(time.monotonic() - began, 2), len(data))
    Path(f"/tmp/clip-{name}.gif").write_bytes(data)
