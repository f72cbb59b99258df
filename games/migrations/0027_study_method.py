"""By which way of weighing a study is done. Those that there are were done by the first."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0026_puzzle_searches"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="method",
            field=models.SmallIntegerField(
                db_default=1,
                help_text="By which way of weighing: the number of `METHOD` of the engine's.",
            ),
        ),
    ]
