"""Who gets the free places of the window."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID


def window_size(capacity: int, *, factor: float, floor: int) -> int:
    """How many pieces of work may be out at once: `factor` times what the live workers do at a time.

    `floor` holds while no worker is up, so that the first one finds something to do.
    """
    return max(round(capacity * factor), 1) if capacity > 0 else floor


@dataclass(slots=True)
class Turns:
    """Shares out places fairly (max-min), and remembers whose turn it is.

    Each place goes to the tenant that holds the fewest; among equals to the one served longest ago. So no tenant
    holds more than its share while another waits, a lone tenant may use the whole window, and nobody starves
    when there are more tenants than places.
    """

    _last_turn: dict[UUID, int] = field(default_factory=dict)
    _turn: int = 0

    def share_out(self, free: int, waiting: Mapping[UUID, int], held: Mapping[UUID, int]) -> dict[UUID, int]:
        """Tenant -> places given, at most `free` together and at most what is `waiting` for each."""
        self._last_turn = {org: turn for org, turn in self._last_turn.items() if org in waiting}
        queue = [(held.get(org, 0), self._last_turn.get(org, 0), org) for org, count in waiting.items() if count > 0]
        heapq.heapify(queue)
        given: dict[UUID, int] = {}
        for _ in range(free):
            if not queue:
                break
            holds, _last, org = heapq.heappop(queue)
            given[org] = given.get(org, 0) + 1
            self._turn += 1
            self._last_turn[org] = self._turn
            if given[org] < waiting[org]:
                heapq.heappush(queue, (holds + 1, self._turn, org))
        return given
