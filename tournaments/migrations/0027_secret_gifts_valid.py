"""What 0026_secret_gifts forbids is looked for while seasons and items are read and written."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0026_secret_gifts"),
    ]

    operations = [
        ValidateConstraint(model_name="season", name="season_secret_gifts_known"),
        ValidateConstraint(model_name="gift", name="gift_secret_given"),
    ]
