"""Names of deleted accounts are taken out of what only grows by a function of the owner's, and by
nothing else (`core.appendonly`)."""

from django.db import migrations

from core.appendonly import CREATE_ERASING, CREATE_FUNCTION, DROP_ERASING


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0023_audit_looks"),
    ]

    operations = [
        migrations.RunSQL(CREATE_FUNCTION, migrations.RunSQL.noop),
        migrations.RunSQL(CREATE_ERASING, DROP_ERASING),
    ]
