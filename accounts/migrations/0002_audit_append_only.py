"""Make the audit log append-only in the database itself.

UPDATE and DELETE are refused to everybody. TRUNCATE is refused too, unless the session has
switched `gauntlet.allow_truncate` on, which only the test suite does: its transactional tests
empty every table between two tests.
"""

from django.db import migrations

FORWARD = """
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

BACKWARD = """
DROP TRIGGER accounts_auditentry_no_truncate ON accounts_auditentry;
DROP TRIGGER accounts_auditentry_no_change ON accounts_auditentry;
DROP FUNCTION accounts_audit_refuse();
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
