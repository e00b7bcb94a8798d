#!/bin/bash
# needs: sqlite3
set -e
sqlite3 t.db 'create table t(a, b); insert into t values (1, "x"), (2, "y");'
sqlite3 -header -csv t.db 'select * from t order by a desc'
sqlite3 t.db .dump
sqlite3 t.db 'select nothing' || echo "status $?"
sqlite3 t.db ".backup copy.db"
rm t.db copy.db
