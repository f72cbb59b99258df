"""Processes of one more kind: the check of the kinds allows it (and is looked through by 0020)."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0017_late"),
    ]

    operations = [
        migrations.AlterField(
            model_name="serviceprocess",
            name="kind",
            field=models.CharField(
                choices=[
                    ("web", "Web"),
                    ("deadlines", "Deadlines"),
                    ("worker", "Worker"),
                    ("bots", "Bots"),
                    ("beat", "Beat"),
                ],
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint(
            model_name="serviceprocess",
            name="service_process_kind",
        ),
        AddConstraintNotValid(
            model_name="serviceprocess",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["web", "deadlines", "worker", "bots", "beat"])),
                name="service_process_kind",
            ),
        ),
    ]
