#!/bin/sh
# PgBouncer's list of users, from the environment: a password stands in no file of ours. The site's role
# alone: whoever owns the tables goes past it.
set -eu
umask 077
printf '"gauntlet_site" "%s"\n' "$POSTGRES_SITE_PASSWORD" > /run/pgbouncer/users
exec pgbouncer /etc/pgbouncer/pgbouncer.ini
