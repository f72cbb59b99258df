#!/bin/sh
# Run once by the image of PostgreSQL, when it makes its data: a standby may follow it.
set -eu
echo "host replication gauntlet all scram-sha-256" >> "$PGDATA/pg_hba.conf"
