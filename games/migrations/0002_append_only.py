"""What was submitted, timed out, drawn or ruled in a match stays as it was."""

from django.db import migrations

from core.appendonly import append_only


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]
    operations = [*append_only("games", "matchentry")]
