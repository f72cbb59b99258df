"""Accounts that are deleted: that this was asked for, the names that nobody takes any more, and what
may be changed for it in what only grows (`core.appendonly`). The check of accounts is made of what
is written from now on, and then of what is there (`0020_privacy_valid`)."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

import core.clock
from core.appendonly import CREATE_FUNCTION


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0018_sessions"),
    ]

    operations = [
        migrations.RunSQL(CREATE_FUNCTION, migrations.RunSQL.noop),
        migrations.CreateModel(
            name="ReservedName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
            ],
            options={
                "ordering": ["-at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")),
                        name="reserved_name_digest",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AccountDeletion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked_at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "due_at",
                    models.DateTimeField(
                        help_text="From when on it is done, once nothing is in its way."
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deletion",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["due_at", "id"],
                "indexes": [models.Index(fields=["due_at"], name="deletion_due")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("due_at__gt", models.F("asked_at"))),
                        name="deletion_waits_a_while",
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="user",
            name="deleted_at",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                help_text="When its owner had it deleted: nothing of theirs is left in this row.",
                null=True,
            ),
        ),
        AddConstraintNotValid(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("deleted_at", None),
                    models.Q(
                        ("device_zone", ""),
                        ("display_name", "Former player"),
                        ("email", ""),
                        ("is_active", False),
                        ("is_staff", False),
                        ("is_superuser", False),
                        ("time_zone", ""),
                        ("username__startswith", "former-"),
                    ),
                    _connector="OR",
                ),
                name="user_deleted_is_blank",
            ),
        ),
    ]
