"""PostgreSQL: roles, migrations, tenant transactions and named queries."""

from skillnet_common.database.bootstrap import ROLES, bootstrap_roles, register_first_model
from skillnet_common.database.migrations import migrate
from skillnet_common.database.pool import Database, check_role
from skillnet_common.database.queries import Queries

__all__ = ["ROLES", "Database", "Queries", "bootstrap_roles", "check_role", "migrate", "register_first_model"]
