"""Where people are signed in, and how often they have signed out everywhere."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0017_second_factor"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="sign_outs",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="How often: no session from before the last time is good any more.",
                verbose_name="signed out everywhere",
            ),
        ),
        migrations.CreateModel(
            name="UserSession",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "session_key",
                    models.CharField(
                        help_text="The session's own key.", max_length=40, unique=True
                    ),
                ),
                (
                    "device",
                    models.CharField(
                        blank=True,
                        help_text="Browser and system, in words.",
                        max_length=60,
                        verbose_name="device",
                    ),
                ),
                (
                    "network",
                    models.CharField(
                        blank=True,
                        help_text="The address, without its last part.",
                        max_length=45,
                        verbose_name="network",
                    ),
                ),
                ("signed_in_at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "last_used_at",
                    models.DateTimeField(
                        default=core.clock.now_utc,
                        help_text="To the quarter of an hour: not every use is written down.",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "ordering": ["-last_used_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("session_key", ""), _negated=True),
                        name="session_keyed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("last_used_at__gte", models.F("signed_in_at"))),
                        name="session_used_later",
                    ),
                ],
            },
        ),
    ]
