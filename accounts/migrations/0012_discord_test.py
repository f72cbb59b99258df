from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0011_device_zone"),
    ]

    operations = [
        migrations.AddField(
            model_name="discordlink",
            name="tested_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When its owner last had the bot write a test to them.",
                null=True,
            ),
        ),
    ]
