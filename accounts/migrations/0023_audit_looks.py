"""Who looks at a row again and again leaves one entry an hour: the index that says so is made while
the site goes on."""

import datetime

import django.db.models.functions.datetime
from django.db import migrations, models

ONCE = "audit_look_once_an_hour"
GONE = f"DROP INDEX CONCURRENTLY IF EXISTS {ONCE}"


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("accounts", "0022_audit_chain"),
    ]

    operations = [
        migrations.RunSQL(
            [
                GONE,
                (
                    f"CREATE UNIQUE INDEX CONCURRENTLY {ONCE} ON accounts_auditentry"
                    " (who_id, action, target_type, target_id,"
                    " date_trunc('hour', at AT TIME ZONE 'UTC'))"
                    " WHERE action IN ('look.row', 'look.list')"
                ),
            ],
            [GONE],
            state_operations=[
                migrations.AddConstraint(
                    model_name="auditentry",
                    constraint=models.UniqueConstraint(
                        models.F("who"),
                        models.F("action"),
                        models.F("target_type"),
                        models.F("target_id"),
                        django.db.models.functions.datetime.TruncHour("at", tzinfo=datetime.UTC),
                        condition=models.Q(("action__in", ["look.row", "look.list"])),
                        name="audit_look_once_an_hour",
                    ),
                ),
            ],
        ),
    ]
