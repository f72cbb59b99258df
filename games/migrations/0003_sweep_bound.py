"""The instant at which a match must be looked at changes with every turn, and had an index: every
turn wrote the row anew in all of its indexes. It has none now; an earlier bound, which hardly ever
changes, has one. Rows of matches leave room for their next version beside them."""

from django.db import migrations, models

HOT = """
ALTER TABLE games_match SET (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0.05,
    toast.autovacuum_vacuum_cost_delay = 0
);
ALTER TABLE games_matchentry SET (
    autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);
"""
AS_BEFORE = """
ALTER TABLE games_match RESET (
    fillfactor,
    autovacuum_vacuum_scale_factor,
    autovacuum_vacuum_cost_delay,
    toast.autovacuum_vacuum_scale_factor,
    toast.autovacuum_vacuum_cost_delay
);
ALTER TABLE games_matchentry RESET (
    autovacuum_vacuum_insert_scale_factor,
    autovacuum_analyze_scale_factor
);
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0002_append_only")]
    operations = [
        migrations.RemoveIndex(model_name="match", name="match_wake"),
        migrations.AddField(
            model_name="match",
            name="sweep_at",
            field=models.BigIntegerField(
                blank=True,
                help_text="When the sweep comes upon it: never later than it must be looked at. It has an index, so a turn changes it only to come earlier; the sweep moves it to the instant.",
                null=True,
            ),
        ),
        migrations.RunSQL(
            "UPDATE games_match SET sweep_at = wake_at WHERE wake_at IS NOT NULL",
            migrations.RunSQL.noop,
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("sweep_at__isnull", False)),
                fields=["sweep_at"],
                name="match_sweep",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sweep_at__isnull", True), ("wake_at__isnull", True)),
                    models.Q(
                        ("sweep_at__isnull", False),
                        ("sweep_at__lte", models.F("wake_at")),
                        ("wake_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="match_wakes_in_sweep",
            ),
        ),
        migrations.RunSQL(HOT, AS_BEFORE),
    ]
