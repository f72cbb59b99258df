"""Who has organised a season until now: the first of them owns it.

The first who may run it today, that is: from now on an owner alone needs the site's role of an
organiser. A co-organiser needs none any more, so whoever has lost it is a member no longer: nobody
may do today what they could not do yesterday.
"""

from typing import Any

from django.db import migrations

_MAY = """
    SELECT FROM accounts_user u
    WHERE u.id = o.user_id AND u.is_active AND (u.is_superuser OR EXISTS (
        SELECT FROM accounts_user_groups m JOIN auth_group g ON g.id = m.group_id
        WHERE m.user_id = u.id AND g.name = 'organisers'
    ))
"""
OWNERS = f"""
    UPDATE tournaments_seasonorganiser mine SET role = 'owner', since = s.created_at
    FROM tournaments_season s
    WHERE s.id = mine.season_id AND NOT EXISTS (
        SELECT FROM tournaments_seasonorganiser o
        WHERE o.season_id = mine.season_id AND o.role = 'owner'
    ) AND mine.id = (
        SELECT o.id FROM tournaments_seasonorganiser o
        WHERE o.season_id = mine.season_id AND o.role = 'organiser'
        ORDER BY NOT EXISTS ({_MAY}), o.id LIMIT 1
    )
"""  # noqa: S608  (constants only)
NO_MEMBERS = f"""
    DELETE FROM tournaments_seasonorganiser o
    WHERE o.role = 'organiser' AND NOT EXISTS ({_MAY})
"""  # noqa: S608  (constants only)


def own(_apps: Any, schema_editor: Any) -> None:
    """Have whoever is first own a season that nobody owns."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(OWNERS)


def settle(_apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(OWNERS)
        cursor.execute(NO_MEMBERS)


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0021_helpers"),
    ]

    operations = [
        migrations.RunPython(settle, migrations.RunPython.noop),
    ]
