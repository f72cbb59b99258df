"""Practice against the site's own bots. What this adds to matches is checked and indexed by 0020."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0018_bots_process"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HouseBot",
            fields=[
                (
                    "level",
                    models.CharField(
                        choices=[("novice", "Novice"), ("club", "Club"), ("strong", "Strong")],
                        max_length=10,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="house_bot",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["level"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("level__in", ["novice", "club", "strong"])),
                        name="house_bot_level",
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="match",
            name="bot_seats",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Where the site's own bots sit: 1 for seat 0, 2 for seat 1. Not 0: it is "
                "practice, for its player alone to see.",
            ),
        ),
        AddConstraintNotValid(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("bot_seats", 0),
                    models.Q(("bot_seats__in", [1, 2]), models.Q(("unrated", ""), _negated=True)),
                    _connector="OR",
                ),
                name="match_practice_unrated",
            ),
        ),
    ]
