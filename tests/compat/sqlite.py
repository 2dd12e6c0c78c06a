"""SQLite: transactions, write-ahead log with two connections, many threads, memory-mapped reading."""

import concurrent.futures
import os
import sqlite3
import tempfile

import compat

directory = tempfile.TemporaryDirectory()
path = os.path.join(directory.name, "data.db")


def write_ahead_log():
    with sqlite3.connect(path) as connection:
        compat.equal(connection.execute("PRAGMA journal_mode=WAL").fetchone()[0], "wal")
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        connection.executemany("INSERT INTO item (name) VALUES (?)", [(str(i),) for i in range(1000)])


def second_connection():
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA mmap_size=1048576")
        compat.equal(connection.execute("SELECT count(*) FROM item").fetchone()[0], 1000)


def add_one(number):
    connection = sqlite3.connect(path, timeout=30)
    with connection:
        connection.execute("INSERT INTO item (name) VALUES (?)", (f"thread {number}",))
    connection.close()


def writers_in_threads():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(add_one, range(50)))
    with sqlite3.connect(path) as connection:
        compat.equal(connection.execute("SELECT count(*) FROM item").fetchone()[0], 1050)


def rollback():
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM item")
    connection.rollback()
    compat.equal(connection.execute("SELECT count(*) FROM item").fetchone()[0], 1050)
    compat.equal(connection.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    connection.close()


compat.run(write_ahead_log, second_connection, writers_in_threads, rollback)
