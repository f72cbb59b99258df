from django.db import migrations, models

import accounts.names.validators


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_discord_mentions"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="device_zone",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="As a browser of theirs said last: for what is sent while they choose none.",
                max_length=64,
                validators=[accounts.names.validators.validate_time_zone],
                verbose_name="time zone of the device",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="time_zone",
            field=models.CharField(
                blank=True,
                help_text="For dates on pages and in what is sent.",
                max_length=64,
                validators=[accounts.names.validators.validate_time_zone],
                verbose_name="time zone",
            ),
        ),
    ]
