from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_discord_way"),
    ]

    operations = [
        migrations.AddField(
            model_name="discordlink",
            name="mentions",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether its owner wants to be mentioned by the bot's reminders.",
            ),
        ),
    ]
