"""Finished matches that are looked at again, and what people say of their positions: a fourth room of
the chat. That what was said before fits is looked at by the next migration, while people write."""

import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

import core.clock

KNOWN = models.Q(("room__in", ["players", "spectators", "commentary", "study"]))
OF_A_STEP = models.Q(
    models.Q(("room", "study"), ("step__isnull", False)),
    models.Q(models.Q(("room", "study"), _negated=True), ("step__isnull", True)),
    _connector="OR",
)


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0020_practice_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="Study",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="study",
                        serialize=False,
                        to="games.match",
                    ),
                ),
                ("asked_at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "worked_at",
                    models.DateTimeField(
                        default=core.clock.now_utc, help_text="When a worker last took it up."
                    ),
                ),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                (
                    "positions",
                    models.PositiveIntegerField(help_text="How many there are to be weighed."),
                ),
                (
                    "answers",
                    models.PositiveIntegerField(help_text="How many there are to be judged."),
                ),
            ],
            options={
                "verbose_name_plural": "studies",
                "ordering": ["match"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("done_at", None)),
                        fields=["worked_at"],
                        name="study_to_do",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StudyPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("position", "Position"), ("answer", "Answer")], max_length=10
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="Of the entry of the match that it is about."
                    ),
                ),
                (
                    "found",
                    models.JSONField(help_text="A `Worth` or a `Judgement` of the engine's."),
                ),
                (
                    "study",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="games.study",
                    ),
                ),
            ],
            options={
                "ordering": ["study", "kind", "number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "kind", "number"), name="study_part_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["position", "answer"])),
                        name="study_part_kind",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="chatmessage",
            name="step",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="In a study: of which step of the replay it is said.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="chatmessage",
            name="room",
            field=models.CharField(
                choices=[
                    ("players", "Players"),
                    ("spectators", "Spectators"),
                    ("commentary", "Commentary"),
                    ("study", "Study"),
                ],
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint(model_name="chatmessage", name="chat_room_known"),
        AddConstraintNotValid(
            model_name="chatmessage",
            constraint=models.CheckConstraint(condition=KNOWN, name="chat_room_known"),
        ),
        AddConstraintNotValid(
            model_name="chatmessage",
            constraint=models.CheckConstraint(condition=OF_A_STEP, name="chat_step_in_study"),
        ),
    ]
