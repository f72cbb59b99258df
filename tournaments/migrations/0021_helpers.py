"""A season has an owner, co-organisers and helpers."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0020_scores"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="OrganiserInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.CharField(max_length=22, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("organiser", "Co-organiser"),
                            ("helper", "Helper"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "rights",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("episodes", "Runs episodes and rounds"),
                                ("matches", "Rules matches"),
                                ("people", "Handles people"),
                                ("ledger", "Keeps the ledger"),
                            ],
                            max_length=10,
                        ),
                        blank=True,
                        default=list,
                        help_text="Of a helper: what they are to do.",
                        size=None,
                    ),
                ),
                ("made_at", models.DateTimeField(default=core.clock.now_utc)),
                ("expires_at", models.DateTimeField()),
                (
                    "answered_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When it was accepted, declined or withdrawn.",
                        null=True,
                    ),
                ),
                (
                    "answer",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("accepted", "Accepted"),
                            ("declined", "Declined"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        help_text="What became of it; empty: nothing yet.",
                        max_length=10,
                    ),
                ),
            ],
            options={
                "ordering": ["season", "-id"],
            },
        ),
        migrations.AddField(
            model_name="seasonorganiser",
            name="admitted_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Whose word let them in; empty: their own, or it was not written down.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="seasonorganiser",
            name="rights",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("episodes", "Runs episodes and rounds"),
                        ("matches", "Rules matches"),
                        ("people", "Handles people"),
                        ("ledger", "Keeps the ledger"),
                    ],
                    max_length=10,
                ),
                blank=True,
                db_default=models.Value(
                    [],
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=10), size=None
                    ),
                ),
                default=list,
                help_text="Of a helper: what they may do. Organisers may do everything.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="seasonorganiser",
            name="role",
            field=models.CharField(
                choices=[("owner", "Owner"), ("organiser", "Co-organiser"), ("helper", "Helper")],
                db_default="organiser",
                default="organiser",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="seasonorganiser",
            name="since",
            field=models.DateTimeField(
                blank=True,
                help_text="Since when; empty: since before it was written down.",
                null=True,
            ),
        ),
        # Since when those are in who are, was not written down.
        migrations.AlterField(
            model_name="seasonorganiser",
            name="since",
            field=models.DateTimeField(
                blank=True,
                default=core.clock.now_utc,
                help_text="Since when; empty: since before it was written down.",
                null=True,
            ),
        ),
        AddConstraintNotValid(
            model_name="seasonorganiser",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["owner", "organiser", "helper"])),
                name="organiser_role_known",
            ),
        ),
        AddConstraintNotValid(
            model_name="seasonorganiser",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("rights__contained_by", ["episodes", "matches", "people", "ledger"])
                ),
                name="organiser_rights_known",
            ),
        ),
        AddConstraintNotValid(
            model_name="seasonorganiser",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("rights__len__gte", 1), ("role", "helper")),
                    models.Q(models.Q(("role", "helper"), _negated=True), ("rights__len", 0)),
                    _connector="OR",
                ),
                name="organiser_rights_of_helpers",
            ),
        ),
        migrations.AddField(
            model_name="organiserinvitation",
            name="made_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="organiserinvitation",
            name="season",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="organiser_invitations",
                to="tournaments.season",
            ),
        ),
        migrations.AddField(
            model_name="organiserinvitation",
            name="user",
            field=models.ForeignKey(
                blank=True,
                help_text="Who is asked; empty: whoever opens the link first.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="organiser_invitations",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="organiserinvitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("token__regex", "^[A-Za-z0-9_-]{22}$")), name="asked_token_form"
            ),
        ),
        migrations.AddConstraint(
            model_name="organiserinvitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("rights__len", 0), ("role", "organiser")),
                    models.Q(("rights__len__gte", 1), ("role", "helper")),
                    _connector="OR",
                ),
                name="asked_rights_of_helpers",
            ),
        ),
        migrations.AddConstraint(
            model_name="organiserinvitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("rights__contained_by", ["episodes", "matches", "people", "ledger"])
                ),
                name="asked_rights_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="organiserinvitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("answer", ""), ("answered_at__isnull", True)),
                    models.Q(
                        ("answer__in", ["accepted", "declined", "withdrawn"]),
                        ("answered_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="asked_answer_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="organiserinvitation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("answer", "")),
                fields=("season", "user"),
                name="asked_once_at_a_time",
            ),
        ),
    ]
