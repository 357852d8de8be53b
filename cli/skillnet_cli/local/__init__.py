"""The embedded default: PostgreSQL, nats-server and every service as supervised processes on one machine.

`EmbeddedPostgres` and `EmbeddedNats` stand alone (the tests use them directly); `Supervisor` keeps service
processes running; `LocalStack` composes all of them in one data folder.
"""
