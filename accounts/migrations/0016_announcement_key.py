"""What was told of something is found by its key, to be taken back."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("accounts", "0015_appeals"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="announcement",
            index=models.Index(fields=["key"], name="announcement_key"),
        ),
    ]
