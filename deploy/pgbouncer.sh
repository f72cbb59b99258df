#!/bin/sh
# PgBouncer's list of users, from the environment: a password stands in no file of ours.
set -eu
umask 077
printf '"gauntlet" "%s"\n' "$POSTGRES_PASSWORD" > /run/pgbouncer/users
exec pgbouncer /etc/pgbouncer/pgbouncer.ini
