"""The history of a season, and of its items, only grows."""

from django.db import migrations

from core.appendonly import append_only


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0001_seasons")]
    operations = [
        *append_only("tournaments", "seasonevent"),
        *append_only("tournaments", "itemevent"),
    ]
