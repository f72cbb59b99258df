"""Create the groups that stand for roles."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROLES = ("organisers", "moderators")


def create(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    group = apps.get_model("auth", "Group")
    for name in ROLES:
        group.objects.using(schema_editor.connection.alias).get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_audit_append_only"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    # Going back leaves the groups: people may be in them.
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
