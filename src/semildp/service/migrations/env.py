"""Runs migrations on the connection that `semildp.service.database` hands over, in its transaction."""

from alembic import context

from semildp.service.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
