"""What 0021_helpers forbids is looked for, and has its index made, while seasons go on. What the
release before has opened meanwhile has no owner: it gets one as in 0022_owners."""

from importlib import import_module

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations, models

OWNER = "season_owner_once"
GONE = f"DROP INDEX CONCURRENTLY IF EXISTS {OWNER}"


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("tournaments", "0022_owners"),
    ]

    operations = [
        ValidateConstraint(model_name="seasonorganiser", name="organiser_role_known"),
        ValidateConstraint(model_name="seasonorganiser", name="organiser_rights_known"),
        ValidateConstraint(model_name="seasonorganiser", name="organiser_rights_of_helpers"),
        migrations.RunSQL(
            [
                GONE,
                (
                    f"CREATE UNIQUE INDEX CONCURRENTLY {OWNER}"
                    " ON tournaments_seasonorganiser (season_id) WHERE role = 'owner'"
                ),
            ],
            [GONE],
            state_operations=[
                migrations.AddConstraint(
                    model_name="seasonorganiser",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("role", "owner")),
                        fields=("season",),
                        name="season_owner_once",
                    ),
                ),
            ],
        ),
        migrations.RunPython(
            import_module("tournaments.migrations.0022_owners").own, migrations.RunPython.noop
        ),
    ]
