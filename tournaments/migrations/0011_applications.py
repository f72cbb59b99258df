import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0010_episode_time"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SeasonApplication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("asked", "Not decided yet"),
                            ("waiting", "On the waiting list"),
                            ("admitted", "Admitted"),
                            ("declined", "Declined"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        max_length=10,
                    ),
                ),
                ("words", models.TextField(blank=True, max_length=500)),
                (
                    "turn",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="On the waiting list: the lower moves up first.",
                        null=True,
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        blank=True,
                        help_text="What the season is to call them; empty: their name.",
                        max_length=200,
                    ),
                ),
                (
                    "why",
                    models.CharField(
                        blank=True,
                        help_text="Why it was declined, told to them alone.",
                        max_length=500,
                    ),
                ),
                (
                    "may_ask_again",
                    models.BooleanField(
                        default=False, help_text="Whether they may apply again after a decline."
                    ),
                ),
                ("asked_at", models.DateTimeField(default=core.clock.now_utc)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["season", "asked_at", "id"],
            },
        ),
        migrations.AddField(
            model_name="season",
            name="by_application",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether who enrols themselves only applies, and organisers decide.",
            ),
        ),
        migrations.AddField(
            model_name="season",
            name="places",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="How many may be in when it begins; empty: as many as like.",
                null=True,
                validators=[django.core.validators.MinValueValidator(2)],
            ),
        ),
        AddConstraintNotValid(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=models.Q(("places__isnull", True), ("places__gte", 2), _connector="OR"),
                name="season_places_from_2",
            ),
        ),
        migrations.AddField(
            model_name="seasonapplication",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="season_applications_decided",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="seasonapplication",
            name="invitation",
            field=models.ForeignKey(
                blank=True,
                help_text="The link by which they came onto the waiting list, if by one.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="applications",
                to="tournaments.seasoninvitation",
            ),
        ),
        migrations.AddField(
            model_name="seasonapplication",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="applications",
                to="tournaments.season",
            ),
        ),
        migrations.AddField(
            model_name="seasonapplication",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="season_applications",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="seasonapplication",
            constraint=models.UniqueConstraint(fields=("season", "user"), name="application_once"),
        ),
        migrations.AddConstraint(
            model_name="seasonapplication",
            constraint=models.UniqueConstraint(
                fields=("season", "turn"), name="application_turn_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="seasonapplication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["asked", "waiting", "admitted", "declined", "withdrawn"])
                ),
                name="application_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="seasonapplication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "waiting"), ("turn__isnull", False)),
                    models.Q(
                        models.Q(("status", "waiting"), _negated=True), ("turn__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="application_turn_while_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="seasonapplication",
            constraint=models.CheckConstraint(
                condition=models.Q(("why", ""), ("status", "declined"), _connector="OR"),
                name="application_why_when_declined",
            ),
        ),
    ]
