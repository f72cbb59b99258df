"""Entries are found by match and number, so an index on the match alone is written for nothing."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0004_aftermath"),
    ]

    operations = [
        migrations.AlterField(
            model_name="matchentry",
            name="match",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="games.match",
            ),
        ),
    ]
