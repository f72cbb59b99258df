import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0007_role_names"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SeasonInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.CharField(max_length=22, unique=True)),
                (
                    "note",
                    models.CharField(
                        blank=True,
                        help_text="What it is for, to its organisers alone.",
                        max_length=80,
                    ),
                ),
                (
                    "limit",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="How many may come by it; empty: as many as like.",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(500),
                        ],
                    ),
                ),
                ("made_at", models.DateTimeField(default=core.clock.now_utc)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="season_invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="tournaments.season",
                    ),
                ),
            ],
            options={
                "ordering": ["season", "-id"],
            },
        ),
        migrations.AddField(
            model_name="contestant",
            name="invitation",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="The link by which they came, if by one.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="contestants",
                to="tournaments.seasoninvitation",
            ),
        ),
        migrations.AddConstraint(
            model_name="seasoninvitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("token__regex", "^[A-Za-z0-9_-]{22}$")),
                name="invitation_token_form",
            ),
        ),
        migrations.AddConstraint(
            model_name="seasoninvitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("limit__isnull", True),
                    models.Q(("limit__gte", 1), ("limit__lte", 500)),
                    _connector="OR",
                ),
                name="invitation_limit_range",
            ),
        ),
    ]
