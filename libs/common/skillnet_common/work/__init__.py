"""The `work` table: what is to be done, claimed under a lease, and settled exactly once."""

from skillnet_common.work.claims import Claim, LostClaim, WorkTable

__all__ = ["Claim", "LostClaim", "WorkTable"]
