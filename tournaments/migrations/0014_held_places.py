from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0013_check_in"),
    ]

    operations = [
        migrations.AddField(
            model_name="seasoninvitation",
            name="for_place",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether it is for one place, which is held for whoever has it.",
            ),
        ),
        migrations.AddField(
            model_name="seasoninvitation",
            name="mailed_at",
            field=models.DateTimeField(
                blank=True, help_text="When it was sent by mail; to where is not kept.", null=True
            ),
        ),
    ]
