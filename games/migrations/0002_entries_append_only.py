"""Make the entries of matches append-only in the database itself: what was submitted, timed out,
drawn or ruled stays as it was. TRUNCATE is left to the test suite, as for the audit log."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION games_entry_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('gauntlet.allow_truncate', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'Match entries are append-only: % refused.', TG_OP
        USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER games_matchentry_no_change
    BEFORE UPDATE OR DELETE ON games_matchentry
    FOR EACH ROW EXECUTE FUNCTION games_entry_refuse();
CREATE TRIGGER games_matchentry_no_truncate
    BEFORE TRUNCATE ON games_matchentry
    FOR EACH STATEMENT EXECUTE FUNCTION games_entry_refuse();
"""

BACKWARD = """
DROP TRIGGER games_matchentry_no_truncate ON games_matchentry;
DROP TRIGGER games_matchentry_no_change ON games_matchentry;
DROP FUNCTION games_entry_refuse();
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
