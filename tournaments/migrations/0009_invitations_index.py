"""What 0008 adds has its index made while people enter."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("tournaments", "0008_invitations"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="contestant",
            index=models.Index(
                condition=models.Q(("invitation__isnull", False)),
                fields=["invitation"],
                name="contestant_invitation",
            ),
        ),
    ]
