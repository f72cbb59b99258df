"""What 0011 declared is looked through while people enter."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0011_applications"),
    ]

    operations = [
        ValidateConstraint(model_name="season", name="season_places_from_2"),
    ]
