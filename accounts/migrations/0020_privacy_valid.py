"""Whoever there was has not been deleted: looked at while people sign in."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0019_privacy"),
    ]

    operations = [
        ValidateConstraint(model_name="user", name="user_deleted_is_blank"),
    ]
