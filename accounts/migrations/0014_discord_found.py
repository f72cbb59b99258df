from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0013_site_wide"),
    ]

    operations = [
        migrations.AddField(
            model_name="discordlink",
            name="found_by_name",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether organisers of seasons find its owner by the name at Discord.",
            ),
        ),
    ]
