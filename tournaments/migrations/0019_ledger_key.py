"""What has been sent twice is entered once."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0018_messages"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="ledgerentry",
            name="key",
            field=models.UUIDField(
                blank=True,
                editable=False,
                help_text="Of the form by which it was entered, and what it said: sent again, it "
                "counts once.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("key__isnull", False)),
                fields=("by", "key", "payee"),
                name="ledger_sent_once",
            ),
        ),
    ]
