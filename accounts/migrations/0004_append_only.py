"""One function for every append-only table, and the audit log first among them: it had one of its
own before."""

from django.db import migrations

from accounts.appendonly import CREATE_FUNCTION, DROP_FUNCTION, append_only

OWN_FUNCTION = """
CREATE FUNCTION accounts_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'The audit log is append-only: % refused.', TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER accounts_auditentry_no_change
    BEFORE UPDATE OR DELETE ON accounts_auditentry
    FOR EACH ROW EXECUTE FUNCTION accounts_audit_refuse();
CREATE TRIGGER accounts_auditentry_no_truncate
    BEFORE TRUNCATE ON accounts_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_audit_refuse();
"""

NO_OWN_FUNCTION = """
DROP TRIGGER accounts_auditentry_no_truncate ON accounts_auditentry;
DROP TRIGGER accounts_auditentry_no_change ON accounts_auditentry;
DROP FUNCTION accounts_audit_refuse();
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_roles")]
    operations = [
        migrations.RunSQL(CREATE_FUNCTION, DROP_FUNCTION),
        migrations.RunSQL(NO_OWN_FUNCTION, OWN_FUNCTION),
        *append_only("accounts", "auditentry"),
    ]
