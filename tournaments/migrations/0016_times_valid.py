"""What 0015 forbids is looked for while seasons are read and written."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0015_times"),
    ]

    operations = [
        ValidateConstraint(model_name="season", name="season_times_by_known"),
        ValidateConstraint(model_name="season", name="season_play_within_days_from_1"),
    ]
