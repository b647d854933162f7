#!/bin/bash
# What the official image's entry point runs once, in a new data directory.
set -e
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" -c 'CREATE EXTENSION gaussdp'
