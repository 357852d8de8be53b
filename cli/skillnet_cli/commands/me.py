"""`skillnet me`: whose key this is, and what it may do."""

from __future__ import annotations

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, print_json, print_table
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.documents import Me


@reports_errors
def me(data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show whose key this is: organisation, scopes, audience, consents."""
    with find_target(data).client() as client:
        found = client.me()
    if as_json:
        print_json(found)
    else:
        print_table(["", ""], _rows(found))


def _rows(found: Me) -> list[tuple[str, object]]:
    audience = "every group" if found.audience is None else ", ".join(found.audience) or "no group"
    consents = [name for name, given in found.consents if given]
    return [
        ("organisation", found.organization),
        ("organisation id", found.org_id),
        ("key id", found.key_id),
        ("scopes", ", ".join(found.scopes)),
        ("sees documents of", audience),
        ("consents", ", ".join(consents) or "none"),
    ]
