"""A row for each process, beside the one of the web service: what the previous release knows and
writes stays as it is."""

import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0005_entries_by_one_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="ServiceProcess",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("web", "Web"),
                            ("deadlines", "Deadlines"),
                            ("worker", "Worker"),
                            ("beat", "Beat"),
                        ],
                        max_length=10,
                    ),
                ),
                ("host", models.CharField(max_length=255)),
                ("pid", models.PositiveIntegerField()),
                ("started_at", models.BigIntegerField(help_text="In ms since 1970.")),
                (
                    "at",
                    models.BigIntegerField(help_text="Its last sign of life, in ms since 1970."),
                ),
                (
                    "skew_ms",
                    models.BigIntegerField(
                        blank=True,
                        help_text="By how much its host's clock is ahead of the database's. Empty: never compared.",
                        null=True,
                    ),
                ),
                (
                    "skew_out_by_ms",
                    models.PositiveBigIntegerField(
                        default=0, help_text="By how much that may be out."
                    ),
                ),
                (
                    "ahead_ms",
                    models.BigIntegerField(
                        default=0,
                        help_text="By how much what it shows is ahead of the database's clock, which it makes up for: not 0 only after that was set.",
                    ),
                ),
            ],
            options={
                "verbose_name": "process",
                "verbose_name_plural": "processes",
                "ordering": ["kind", "host", "pid", "id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["web", "deadlines", "worker", "beat"])),
                        name="service_process_kind",
                    )
                ],
            },
        ),
    ]
