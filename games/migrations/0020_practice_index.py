"""What 0018 and 0019 add is looked through, and has its index made, while matches go on."""

from django.contrib.postgres.operations import AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("games", "0019_practice"),
    ]

    operations = [
        ValidateConstraint(model_name="serviceprocess", name="service_process_kind"),
        ValidateConstraint(model_name="match", name="match_practice_unrated"),
        AddIndexConcurrently(
            model_name="match",
            index=models.Index(
                condition=models.Q(("bot_seats__gt", 0), ("status", "running")),
                fields=["id"],
                name="match_practice_on",
            ),
        ),
    ]
