"""Words for everybody on every page, and whether accounts are opened."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock
from core.appendonly import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0012_discord_test"),
    ]

    operations = [
        migrations.CreateModel(
            name="RegistrationChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_open", models.BooleanField()),
                (
                    "words",
                    models.CharField(
                        blank=True, help_text="Shown to whoever would register.", max_length=300
                    ),
                ),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="registration_changes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="SiteAnnouncement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "words",
                    models.CharField(
                        help_text="Shown as they are, without formatting.", max_length=300
                    ),
                ),
                (
                    "is_urgent",
                    models.BooleanField(
                        default=False, help_text="Stands out, and cannot be closed by its reader."
                    ),
                ),
                ("begins_at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "ends_at",
                    models.DateTimeField(
                        blank=True, help_text="Empty: until it is ended.", null=True
                    ),
                ),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="site_announcements",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-begins_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("words", ""), _negated=True),
                        name="site_announcement_says_something",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("ends_at__isnull", True),
                            ("ends_at__gte", models.F("begins_at")),
                            _connector="OR",
                        ),
                        name="site_announcement_ends_later",
                    ),
                ],
            },
        ),
        *append_only("accounts", "registrationchange"),
    ]
