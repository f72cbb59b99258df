"""A leg whose match waits for its players has not begun."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0002_append_only")]
    operations = [
        migrations.RemoveConstraint(model_name="leg", name="leg_running_has_match"),
        migrations.AddConstraint(
            model_name="leg",
            constraint=models.CheckConstraint(
                condition=~Q(status="running") | (Q(match__isnull=False) & ~Q(ruleset="")),
                name="leg_running_has_match",
            ),
        ),
        migrations.AlterField(
            model_name="leg",
            name="started_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When play began: null while its match waits for both players.",
                null=True,
            ),
        ),
    ]
