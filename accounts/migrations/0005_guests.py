"""Guests: the check is made of what is written from now on, and then of what is there (0006)."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_lobby"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="is_guest",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Somebody without an account, in one browser: they may practise, and "
                "nothing else.",
                verbose_name="guest",
            ),
        ),
        AddConstraintNotValid(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_guest", False))
                | models.Q(
                    ("email", ""), ("is_bot", False), ("is_staff", False), ("is_superuser", False)
                ),
                name="user_guest_unprivileged",
            ),
        ),
    ]
