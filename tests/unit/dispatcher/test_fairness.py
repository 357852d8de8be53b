"""Who gets the free places of the window."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_dispatcher.domain.fairness import Turns, window_size

TENANTS = [UUID(int=number) for number in range(8)]
COUNTS = st.dictionaries(st.sampled_from(TENANTS), st.integers(0, 30))


@given(free=st.integers(0, 60), waiting=COUNTS, held=COUNTS)
def test_shares_are_fair(free: int, waiting: dict[UUID, int], held: dict[UUID, int]) -> None:
    shares = Turns().share_out(free, waiting, held)
    assert sum(shares.values()) == min(free, sum(waiting.values())), "no place stays empty while somebody waits"
    assert all(0 < count <= waiting[org] for org, count in shares.items())
    total = {org: held.get(org, 0) + shares.get(org, 0) for org in waiting}
    still_waiting = [total[org] for org, count in waiting.items() if shares.get(org, 0) < count]
    for org in shares:
        assert all(total[org] <= other + 1 for other in still_waiting), "one was given more while another has less"


def test_a_lone_tenant_may_use_the_whole_window() -> None:
    (a, *_) = TENANTS
    assert Turns().share_out(16, {a: 100}, {}) == {a: 16}


def test_who_holds_its_share_gets_nothing_while_another_waits() -> None:
    a, b, *_ = TENANTS
    assert Turns().share_out(4, {a: 100, b: 100}, {a: 12}) == {b: 4}


def test_turns_go_round_when_there_are_more_tenants_than_places() -> None:
    turns = Turns()
    waiting = dict.fromkeys(TENANTS, 5)
    served = [org for _ in range(4) for org in turns.share_out(2, waiting, {})]
    assert sorted(served) == sorted(TENANTS)


def test_a_newcomer_comes_before_those_served_already() -> None:
    turns = Turns()
    a, b, c, *_ = TENANTS
    turns.share_out(2, {a: 5, b: 5}, {})
    assert turns.share_out(1, {a: 5, b: 5, c: 5}, {}) == {c: 1}


@pytest.mark.parametrize(("capacity", "factor", "expected"), [(0, 4.0, 16), (1, 4.0, 4), (7, 2.0, 14), (1, 0.1, 1)])
def test_the_window_follows_the_live_workers(capacity: int, factor: float, expected: int) -> None:
    assert window_size(capacity, factor=factor, floor=16) == expected
