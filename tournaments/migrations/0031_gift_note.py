from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0030_main_match_pictures"),
    ]

    operations = [
        migrations.AlterField(
            model_name="gift",
            name="note",
            field=models.CharField(
                blank=True, help_text="Told to whoever knows of the item.", max_length=300
            ),
        ),
    ]
