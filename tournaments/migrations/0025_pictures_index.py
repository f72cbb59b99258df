"""What 0024_pictures adds has its indexes made while people enter."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("tournaments", "0024_pictures"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name=owner,
            index=models.Index(
                condition=models.Q(("picture__isnull", False)),
                fields=["picture"],
                name=f"{owner}_picture",
            ),
        )
        for owner in ("season", "contestant")
    ]
