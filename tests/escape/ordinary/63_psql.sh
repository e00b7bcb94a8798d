#!/bin/bash
# needs: psql
psql --version | cut -d' ' -f1-2
psql -w -h 127.0.0.1 -p 1 -U op -c 'select 1' db
echo "status $?"
psql -w -h /nonexistent -U op -c 'select 1' db
echo "status $?"
