#!/usr/bin/env python3
# needs: python3
import sqlite3

with sqlite3.connect("t.db") as db:
    db.execute("pragma journal_mode=wal")
    db.execute("create table t(a integer primary key, b text)")
    db.executemany("insert into t(b) values (?)", [(c,) for c in "abc"])
other = sqlite3.connect("t.db", timeout=1)
print(other.execute("select * from t where b > 'a' order by a").fetchall())
db.execute("begin immediate")
try:
    sqlite3.connect("t.db", timeout=0.05).execute("begin immediate")
except sqlite3.OperationalError as why:
    print(why)
db.rollback()
