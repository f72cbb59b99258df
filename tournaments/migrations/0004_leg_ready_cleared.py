from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0003_what_services_note"),
    ]

    operations = [
        migrations.AddField(
            model_name="leg",
            name="ready_cleared_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When others last made players say anew that they are ready: the grace "
                "of who is not there counts from it at the earliest.",
                null=True,
            ),
        ),
    ]
