"""The audit log and the log of merges only grow; and the groups that stand for roles are there."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.appendonly import append_only

ROLES = ("organisers", "moderators")


def create(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    group = apps.get_model("auth", "Group")
    for name in ROLES:
        group.objects.using(schema_editor.connection.alias).get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [
        *append_only("accounts", "auditentry"),
        *append_only("accounts", "accountmerge"),
        # Going back leaves the groups: people may be in them.
        migrations.RunPython(create, migrations.RunPython.noop),
    ]
