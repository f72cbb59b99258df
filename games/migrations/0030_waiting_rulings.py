"""What organisers rule on matches on which moderators have ruled with their pair."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0029_draws"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WaitingRuling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "winner",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="The seat that will count as the winner. Empty: neither.",
                        null=True,
                    ),
                ),
                ("why", models.CharField(max_length=500)),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Nobody: the site itself.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waiting_rulings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waiting_ruling",
                        to="games.match",
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("winner__isnull", True), ("winner__in", [0, 1]), _connector="OR"
                        ),
                        name="waiting_ruling_seat",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("why", ""), _negated=True), name="waiting_ruling_why"
                    ),
                ],
            },
        ),
    ]
