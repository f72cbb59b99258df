import django.utils.timezone
from django.db import migrations, models

import tournaments.models.formats


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0002_append_only")]
    operations = [
        migrations.RemoveConstraint(
            model_name="season",
            name="season_format_known",
        ),
        migrations.AlterField(
            model_name="season",
            name="format",
            field=models.CharField(choices=tournaments.models.formats.choices, max_length=20),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=models.Q(("format__regex", "^[a-z]+(-[a-z]+)*$")),
                name="season_format_named",
            ),
        ),
        migrations.AddField(
            model_name="season",
            name="revision",
            field=models.PositiveBigIntegerField(
                default=0,
                help_text="Another one after each action that may change what everybody sees of it: what was made of the season before is made anew.",
            ),
        ),
        migrations.AlterField(
            model_name="season",
            name="changed_at",
            field=models.DateTimeField(
                default=django.utils.timezone.now, help_text="The last event."
            ),
        ),
    ]
