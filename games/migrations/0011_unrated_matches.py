from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0010_waiting_and_missed")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="unrated",
            field=models.CharField(
                blank=True,
                help_text="Why it counts for no rating; public. Empty: it does.",
                max_length=400,
            ),
        ),
    ]
