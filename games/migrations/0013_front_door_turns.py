"""Whom the matches that are on wait for: each on its own, so that a turn waits for its own at most."""

from typing import Any

from django.db import migrations

# As they say it themselves: a decision is open, and no answer to it is in. While one is paused it
# waits for nobody. All is read from the row itself, so a turn that comes in between is not missed.
_OPEN = """
    (held #>> '{{open,{seat}}}' IS NOT NULL AND NOT EXISTS (
        SELECT FROM jsonb_array_elements(held -> 'sealed') sealed
        WHERE sealed #>> '{{decision,seat}}' = '{seat}'
    ))::int
"""
WAITS_FOR = f"""
    UPDATE games_match SET to_move = CASE
        WHEN paused THEN 0
        WHEN waits_until IS NOT NULL THEN 3
        ELSE (
            SELECT {_OPEN.format(seat=0)} + 2 * {_OPEN.format(seat=1)}
            FROM (SELECT snapshot::jsonb #> '{{live,table}}' AS held OFFSET 0) tables
        )
        END
    WHERE id = %s AND status = 'running'
"""  # noqa: S608  (constants only)


def fill(_apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT id FROM games_match WHERE status = 'running' ORDER BY id")
        for row in cursor.fetchall():
            cursor.execute(WAITS_FOR, row)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("games", "0012_front_door_indexes"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
