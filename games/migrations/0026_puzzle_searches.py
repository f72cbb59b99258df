"""Which matches have been looked through for puzzles."""

import django.db.models.deletion
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0025_comments_on_variations_valid"),
    ]

    operations = [
        migrations.CreateModel(
            name="PuzzleSearch",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="puzzle_search",
                        serialize=False,
                        to="games.match",
                    ),
                ),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
            ],
            options={
                "ordering": ["match"],
                "indexes": [models.Index(fields=["at"], name="puzzle_search_by_day")],
            },
        ),
    ]
