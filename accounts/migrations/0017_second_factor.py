"""Whether organisers must have a second factor."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0016_announcement_key"),
    ]

    operations = [
        migrations.CreateModel(
            name="SecondFactorRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("of_organisers", models.BooleanField(verbose_name="required of organisers")),
                ("at", models.DateTimeField(default=core.clock.now_utc)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="second_factor_rules",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["-id"]},
        ),
    ]
