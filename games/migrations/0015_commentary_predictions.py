"""Who comments on a match, in a third room of its chat, and who is thought to win it.

That what was said before is in a room that there is is looked at by the next migration, while people write."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0014_featured"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MatchCommentator",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "match",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="commentators",
                        to="games.match",
                    ),
                ),
                (
                    "named_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="matches_commented",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["match", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "user"), name="commentator_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Prediction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "at",
                    models.BigIntegerField(
                        help_text="When it was made or last changed, in ms since 1970."
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="games.match",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["match", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("match", "user"), name="prediction_one_each"),
                    models.CheckConstraint(
                        condition=models.Q(("seat__in", [0, 1])), name="prediction_seat_number"
                    ),
                ],
            },
        ),
        migrations.AlterField(
            model_name="chatmessage",
            name="room",
            field=models.CharField(
                choices=[
                    ("players", "Players"),
                    ("spectators", "Spectators"),
                    ("commentary", "Commentary"),
                ],
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint(model_name="chatmessage", name="chat_room_known"),
        AddConstraintNotValid(
            model_name="chatmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(("room__in", ["players", "spectators", "commentary"])),
                name="chat_room_known",
            ),
        ),
    ]
