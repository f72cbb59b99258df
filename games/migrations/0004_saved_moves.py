"""Let people keep moves for themselves, such as favourite decks."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0003_client_id_per_actor"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedMove",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ruleset", models.CharField(max_length=40)),
                ("name", models.CharField(max_length=40)),
                (
                    "text",
                    models.CharField(
                        help_text="In the ruleset's canonical notation.", max_length=2000
                    ),
                ),
                ("saved_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_moves",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["user", "ruleset", "name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "ruleset", "name"), name="saved_move_name_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("name", ""), _negated=True),
                            models.Q(("text", ""), _negated=True),
                        ),
                        name="saved_move_whole",
                    ),
                ],
            },
        ),
    ]
