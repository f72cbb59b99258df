from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0007_ratings")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="followed",
            field=models.BooleanField(
                default=False, help_text="Somebody listens to each turn (see `games.hooks`)."
            ),
        ),
    ]
