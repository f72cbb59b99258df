"""Whoever there was is no guest with rights: looked at while people sign in."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_guests"),
    ]

    operations = [
        ValidateConstraint(model_name="user", name="user_guest_unprivileged"),
    ]
