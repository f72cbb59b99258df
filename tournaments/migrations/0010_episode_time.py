"""Episodes keep the time of a death match that is not chosen yet."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0009_invitations_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="episode",
            name="death_match_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When the death match is to be played, until there is one.",
                null=True,
            ),
        ),
        AddConstraintNotValid(
            model_name="episode",
            constraint=models.CheckConstraint(
                condition=Q(death_match_at__isnull=True) | Q(status="choosing"),
                name="episode_time_until_chosen",
            ),
        ),
        ValidateConstraint(model_name="episode", name="episode_time_until_chosen"),
    ]
