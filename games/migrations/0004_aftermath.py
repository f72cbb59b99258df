"""What follows the end of a match is done by a worker, and results wait for their ladders."""

import django.db.models.deletion
from django.db import migrations, models

# Matches that are over have had their aftermath; a table of them need not be written anew.
ON_NOW = "UPDATE games_match SET aftermath_due = true WHERE status = 'running'"


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0003_sweep_bound"),
    ]

    operations = [
        migrations.CreateModel(
            name="RatingRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ladder", models.CharField(max_length=40)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.AddField(
            model_name="match",
            name="aftermath_due",
            field=models.BooleanField(
                default=False,
                help_text="What follows the end is yet to be done, once there is one. True from the start of what is played here, so that the turn that ends it has nothing to write.",
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("aftermath_due", True), ("status", "finished")),
                fields=["finished_at"],
                name="match_aftermath_due",
            ),
        ),
        migrations.AddField(
            model_name="ratingrequest",
            name="match",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="games.match",
            ),
        ),
        migrations.RunSQL(ON_NOW, migrations.RunSQL.noop),
    ]
