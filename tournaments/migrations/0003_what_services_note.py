import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from accounts.appendonly import append_only, append_only_needs


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0002_webhooks"),
        append_only_needs(),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="episode",
            name="expiry_told_for",
            field=models.DateTimeField(
                blank=True,
                help_text="Which of these the organisers have been told of.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="leg",
            name="no_show_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When organisers were told that somebody was not there in time.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="leg",
            name="prepared_by",
            field=models.ForeignKey(
                blank=True,
                help_text="Who supplied it; records name them.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        *append_only("tournaments", "seasonevent"),
        *append_only("tournaments", "itemevent"),
    ]
