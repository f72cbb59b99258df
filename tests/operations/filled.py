"""A site with something of everything in it: runs in the site's hand (`tests.support.hand`)."""

from __future__ import annotations

import hashlib
import io
from itertools import count
from random import Random
from typing import Any

import msgspec
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from accounts.auditing.sealing import audit_head
from accounts.models import AuditEntry, User
from games import store
from games.models import Match
from games.services.matches import match_start, record_import
from tests.engine.playthroughs import playthroughs
from tests.games.support import GAMES, SECOND, T0, Play, record_holds, started

MOVES = 5
AUDIT = AuditEntry._meta.db_table
RESTORED = "database.restore"


def fill() -> int:
    """Demo data with its seasons, every recorded match, and of every game one match that was played
    to its end and one that is on; one that is paused, one in which a turn was taken back, one that
    waits for its players. Returns how many matches there are."""
    call_command("demo_data", "--force", stdout=io.StringIO())
    ada, ben, olga = (User.objects.get(username=name) for name in ("ada", "ben", "olga"))
    for record in playthroughs():
        record_import(acting_user=olga, data=record.read_bytes(), at=T0)
    random = Random(14)
    for ruleset, variant in GAMES:
        whole = started((ada, ben), ruleset, variant=variant, random=random.random)
        whole.to_the_end(random.random, 0)
        for _ in range(2):
            begun = started((ben, ada), ruleset, variant=variant, random=random.random)
            for number in range(1, MOVES):
                table = begun.held.live.table
                seats = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
                begun.move(seats[0], begun.random_move(seats[0], random.random), number * SECOND)
        # The last one of each game has been through an organiser's hands.
        begun.act(olga, "take back", MOVES * SECOND)
        begun.act(olga, "reserve 0 +30", MOVES * SECOND)
        begun.act(olga, "pause", (MOVES + 1) * SECOND)
    match_start(
        acting_user=ada,
        players=(ada, ben),
        ruleset_id="tetronogo",
        variant="standard",
        waits=True,
        at=T0,
    )
    return Match.objects.count()


def digests() -> dict[str, Any]:
    """By table, a digest of all of its rows, and by sequence its next number: but for the entry
    that a restore leaves in the audit log, with the number that it took (see `restored`)."""
    found: dict[str, Any] = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            left_out = f"WHERE action = '{RESTORED}'" if table == AUDIT else "WHERE false"
            cursor.execute(
                f'SELECT t::text FROM "{table}" t EXCEPT ALL'  # noqa: S608
                f' SELECT t::text FROM "{table}" t {left_out} ORDER BY 1'
            )
            rows = "\n".join(text for (text,) in cursor.fetchall())
            found[table] = hashlib.sha256(rows.encode()).hexdigest()
        cursor.execute("SELECT sequencename, last_value FROM pg_sequences ORDER BY 1")
        own = len(restored())
        found["sequences"] = [
            (name, last - own if name == f"{AUDIT}_id_seq" else last)
            for name, last in cursor.fetchall()
        ]
        cursor.execute(
            "SELECT count(*), md5(string_agg(concat_ws(' ', conrelid::regclass, conname, contype,"
            " confrelid::regclass, convalidated), '|' ORDER BY conrelid::regclass::text, conname))"
            " FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
        )
        found["constraints"] = cursor.fetchone()
        # Of which rows one is, is said with other casts once it was read anew: `IN` of texts is.
        cursor.execute(
            "SELECT md5(string_agg("
            r"regexp_replace(indexdef, '::(character varying|text)(\[\])?|[()]', '', 'g'),"
            " '|' ORDER BY indexname)) FROM pg_indexes WHERE schemaname = 'public'"
        )
        found["indexes"] = cursor.fetchone()
        cursor.execute(
            "SELECT md5(string_agg(pg_get_triggerdef(oid), '|' ORDER BY tgrelid::regclass::text,"
            " tgname)) FROM pg_trigger WHERE NOT tgisinternal"
        )
        found["triggers"] = cursor.fetchone()
    assert len(found) > len(apps.get_models())
    return found


def forget_draws() -> int:
    """Have every match be as releases knew it before what its draws are derived from was kept;
    returns of how many it was. Its row stays: going back takes the table."""
    matches = Match.objects.filter(draws__isnull=False)
    for match in matches:
        held = store.held_of(match)
        live = msgspec.structs.replace(held.live, draws=None)
        snapshot = store.snapshot_of(held.ruleset, live, held.readers)
        Match.objects.filter(pk=match.pk).update(snapshot=snapshot)
    return len(matches)


def head() -> str:
    """How far the chain of the audit log goes; nothing is sealed for that."""
    return str(audit_head())


def restored() -> list[dict[str, Any]]:
    """What the entries say that restores have left."""
    entries = AuditEntry.objects.filter(action=RESTORED).order_by("id")
    return list(entries.values_list("data", flat=True))


def play_on() -> int:
    """Play every match that is on, and was begun by `fill`, to its end, so that its record holds;
    returns how many there were."""
    random = Random(15)
    on = Match.objects.running().filter(deadline_at__gte=T0).prefetch_related("players__user")
    played = 0
    for match in on.order_by("pk"):
        first, second = (each.user for each in match.players.order_by("seat"))
        assert first is not None
        assert second is not None
        play = Play(match, (first, second), random.random)
        play.ids = (f"on-{number}" for number in count())
        play.to_the_end(random.random, MOVES * SECOND)
        record_holds(play.match)
        played += 1
    return played


def random_move(*, match: int, seat: int, seed: int) -> str:
    """A legal move for the open decision of a seat."""
    first, second = (each.user for each in Match.objects.get(pk=match).players.order_by("seat"))
    assert first is not None
    assert second is not None
    play = Play(Match.objects.get(pk=match), (first, second))
    return play.random_move(seat, Random(seed).random)
