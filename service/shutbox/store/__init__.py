"""SQL: the truth. Rows hold columns, queries take a session, migrations are a command."""
