from django.db import migrations, models
from django.db.models import Q


def shelve(apps, schema_editor):
    """What was played in a season that was cancelled and hidden is public again, off the lists."""
    season = apps.get_model("tournaments", "Season")
    season.objects.filter(visibility="draft", started_at__isnull=False).update(
        visibility="archived"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0004_leg_ready_cleared"),
    ]

    operations = [
        migrations.RunPython(shelve, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name="season", name="season_draft_not_begun"),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.CheckConstraint(
                condition=~Q(visibility="draft")
                | Q(status__in=["enrolling", "cancelled"], started_at__isnull=True),
                name="season_draft_not_begun",
            ),
        ),
    ]
