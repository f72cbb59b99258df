import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0006_ways_and_numbers_known")]

    operations = [
        migrations.RemoveConstraint(model_name="itemevent", name="item_event_kind_known"),
        migrations.AlterField(
            model_name="itemevent",
            name="kind",
            field=models.CharField(
                help_text="given, taken-back, brought, copied, blocked, acted, no-effect, spent, "
                "returned or expired",
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="itemevent",
            name="other",
            field=models.ForeignKey(
                blank=True,
                help_text="The Copy or Block that did it; for one of these, what it was aimed at.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="history_as_other",
                to="tournaments.gift",
            ),
        ),
        migrations.AddConstraint(
            model_name="itemevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "given", "taken-back", "brought", "copied", "blocked", "acted",
                            "no-effect", "spent", "returned", "expired",
                        ],
                    )
                ),
                name="item_event_kind_known",
            ),
        ),
    ]  # fmt: skip
