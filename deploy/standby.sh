#!/bin/sh
# A standby of PostgreSQL: begins with a copy of the primary, and follows it from then on.
# PRIMARY is the address of the primary, PGDATA where the copy goes.
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p "$PGDATA"
    chmod 0700 "$PGDATA"
    until pg_basebackup --pgdata "$PGDATA" --dbname "$PRIMARY" --checkpoint fast \
        --wal-method stream --write-recovery-conf; do
        echo "The primary cannot be copied yet." >&2
        sleep 2
    done
fi
exec postgres "$@"
