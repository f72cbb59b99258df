import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

import accounts.names.validators
import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0014_held_places"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FreeDate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("date", models.DateField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("not", "Not on this day"), ("also", "Also then")], max_length=4
                    ),
                ),
                ("first", models.PositiveSmallIntegerField(default=0)),
                ("until", models.PositiveSmallIntegerField(default=24)),
            ],
            options={
                "ordering": ["free_hours", "date", "first", "id"],
            },
        ),
        migrations.CreateModel(
            name="FreeHours",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "zone",
                    models.CharField(
                        help_text="In which the hours were said.",
                        max_length=64,
                        validators=[accounts.names.validators.validate_time_zone],
                    ),
                ),
                (
                    "week",
                    models.CharField(
                        help_text="A 1 for each hour that is free, else a 0; from Monday 0:00.",
                        max_length=168,
                    ),
                ),
                ("changed_at", models.DateTimeField(default=core.clock.now_utc)),
            ],
            options={
                "verbose_name_plural": "free hours",
            },
        ),
        migrations.CreateModel(
            name="TimeProposal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "times",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(), size=3
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("accepted", "Accepted"),
                            ("declined", "Declined"),
                            ("countered", "Answered with other times"),
                            ("withdrawn", "Withdrawn"),
                            ("lapsed", "Lapsed"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "chosen",
                    models.DateTimeField(
                        blank=True, help_text="The time that was accepted, if one was.", null=True
                    ),
                ),
                ("made_at", models.DateTimeField(default=core.clock.now_utc)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["leg", "-id"],
            },
        ),
        migrations.AddField(
            model_name="leg",
            name="times_reminded_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When an organiser last reminded whoever is to propose times or to answer.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="season",
            name="play_within_days",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="So many days after it is known who meets, a death match is to have begun: the last that players may agree on. Empty: no such end.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="season",
            name="times_by",
            field=models.CharField(
                choices=[
                    ("organisers", "Organisers alone"),
                    ("open", "Players agree on a time while there is none"),
                    ("move", "Players agree on a time, and may move it"),
                ],
                db_default="open",
                default="open",
                help_text="Who says when a death match is played; organisers always may.",
                max_length=10,
            ),
        ),
        AddConstraintNotValid(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=models.Q(("times_by__in", ["organisers", "open", "move"])),
                name="season_times_by_known",
            ),
        ),
        AddConstraintNotValid(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("play_within_days__isnull", True),
                    ("play_within_days__gte", 1),
                    _connector="OR",
                ),
                name="season_play_within_days_from_1",
            ),
        ),
        migrations.AddField(
            model_name="freehours",
            name="user",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="free_hours",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="freedate",
            name="free_hours",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="dates",
                to="tournaments.freehours",
            ),
        ),
        migrations.AddField(
            model_name="timeproposal",
            name="leg",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="proposals",
                to="tournaments.leg",
            ),
        ),
        migrations.AddField(
            model_name="timeproposal",
            name="proposer",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="times_proposed",
                to="tournaments.contestant",
            ),
        ),
        migrations.AddConstraint(
            model_name="freehours",
            constraint=models.CheckConstraint(
                condition=models.Q(("week__regex", "^[01]{168}$")), name="free_hours_whole_week"
            ),
        ),
        migrations.AddConstraint(
            model_name="freehours",
            constraint=models.CheckConstraint(
                condition=models.Q(("zone", ""), _negated=True), name="free_hours_zone_named"
            ),
        ),
        migrations.AddConstraint(
            model_name="freedate",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("first", 0), ("kind", "not"), ("until", 24)),
                    models.Q(
                        ("first__lt", models.F("until")), ("kind", "also"), ("until__lte", 24)
                    ),
                    _connector="OR",
                ),
                name="free_date_hours",
            ),
        ),
        migrations.AddConstraint(
            model_name="freedate",
            constraint=models.UniqueConstraint(
                fields=("free_hours", "date", "kind", "first"), name="free_date_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="timeproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        ["open", "accepted", "declined", "countered", "withdrawn", "lapsed"],
                    )
                ),
                name="time_proposal_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="timeproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("times__len__gte", 1), ("times__len__lte", 3)),
                name="time_proposal_few_times",
            ),
        ),
        migrations.AddConstraint(
            model_name="timeproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("chosen__isnull", False), ("status", "accepted")),
                    models.Q(
                        models.Q(("status", "accepted"), _negated=True), ("chosen__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="time_proposal_chosen",
            ),
        ),
        migrations.AddConstraint(
            model_name="timeproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("chosen__isnull", True),
                    ("times__contains", [models.F("chosen")]),
                    _connector="OR",
                ),
                name="time_proposal_chosen_of_them",
            ),
        ),
        migrations.AddConstraint(
            model_name="timeproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at__isnull", True), ("status", "open")),
                    models.Q(
                        models.Q(("status", "open"), _negated=True), ("ended_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="time_proposal_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="timeproposal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "open")),
                fields=("leg",),
                name="time_proposal_one_open",
            ),
        ),
    ]
