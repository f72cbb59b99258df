from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0012_applications_valid"),
    ]

    operations = [
        migrations.AddField(
            model_name="contestant",
            name="checked_in_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When they said that they are there, before it begins.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="season",
            name="check_in_until",
            field=models.DateTimeField(
                blank=True,
                help_text="Until when contestants say that they are there, before it begins.",
                null=True,
            ),
        ),
    ]
