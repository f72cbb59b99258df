"""Let a client id be unique for each actor of a match rather than for the match."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0002_entries_append_only")]
    operations = [
        migrations.RemoveConstraint(model_name="matchentry", name="entry_client_id_unique"),
        migrations.AddConstraint(
            model_name="matchentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("client_id__isnull", False)),
                fields=("match", "actor", "client_id"),
                name="entry_client_id_unique",
            ),
        ),
    ]
