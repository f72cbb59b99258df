"""Puzzles, who has answered them first how, and how strong their solvers are."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_guests_valid"),
        ("games", "0022_study_room_valid"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Puzzle",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("mu", models.FloatField(default=25.0)),
                ("sigma", models.FloatField(default=8.333333333333334)),
                ("key", models.CharField(editable=False, max_length=32, unique=True)),
                ("ruleset", models.CharField(max_length=40)),
                ("variant", models.CharField(max_length=40)),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.TextField(
                        help_text="The position as its seat can know it, as the ruleset writes it."
                    ),
                ),
                ("target", models.IntegerField(help_text="What an answer must bring to be right.")),
                ("solution", models.CharField(max_length=2000)),
                (
                    "source",
                    models.CharField(
                        choices=[("bots", "A game between bots"), ("matches", "A finished match")],
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=core.clock.now_utc)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("solved", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["ruleset", "id"], name="puzzle_by_game")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("seat__in", [0, 1])), name="puzzle_seat"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("solution", ""), _negated=True), name="puzzle_solved_by"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("key", ""), _negated=True), name="puzzle_keyed"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("source__in", ["bots", "matches"])),
                        name="puzzle_source",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("sigma__gt", 0), ("solved__lte", models.F("attempts"))),
                        name="puzzle_counted",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PuzzleSolver",
            fields=[
                ("mu", models.FloatField(default=25.0)),
                ("sigma", models.FloatField(default=8.333333333333334)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="puzzle_solver",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("answered", models.PositiveIntegerField(default=0)),
                ("solved", models.PositiveIntegerField(default=0)),
                ("streak", models.PositiveIntegerField(default=0)),
                ("best_streak", models.PositiveIntegerField(default=0)),
                ("last_daily", models.DateField(blank=True, null=True)),
            ],
            options={
                "ordering": ["user"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("sigma__gt", 0), ("solved__lte", models.F("answered"))),
                        name="puzzle_solver_counted",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("streak__lte", models.F("best_streak"))),
                        name="puzzle_solver_streak",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PuzzleAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "text",
                    models.CharField(
                        blank=True, help_text="Empty: the solution was shown.", max_length=2000
                    ),
                ),
                ("right", models.BooleanField()),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "puzzle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="answers",
                        to="games.puzzle",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="puzzle_answers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "puzzle"), name="puzzle_answer_first"),
                    models.CheckConstraint(
                        condition=models.Q(("right", True), ("text", ""), _negated=True),
                        name="puzzle_answer_not_shown",
                    ),
                ],
            },
        ),
    ]
