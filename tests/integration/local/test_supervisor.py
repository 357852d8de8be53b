"""Supervision of real processes: health, restart after a crash, drain in order, nobody left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from skillnet_cli.local.service_process import ProcessStatus, RestartPolicy, ServiceProcess
from skillnet_cli.local.supervisor import Supervisor
from skillnet_common.errors import ErrorCode, SkillnetError

DUMMY = Path(__file__).with_name("dummy_service.py")
QUICK = RestartPolicy(first_delay=0.05, longest_delay=0.2)


class Diary:
    """What the dummy services wrote: `name event` in the order of time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def events(self) -> list[str]:
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        return [line.split(" ", 1)[1] for line in sorted(lines, key=lambda line: float(line.split()[0]))]

    def number_after(self, prefix: str) -> list[int]:
        return [int(event.removeprefix(prefix)) for event in self.events if event.startswith(prefix)]


@pytest.fixture
def diary(folder: Path) -> Diary:
    return Diary(folder / "diary.txt")


@pytest.fixture
async def supervisor(folder: Path) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(folder / "logs", policy=QUICK)
    yield supervisor
    await supervisor.kill()


def service(
    name: str, diary: Diary, *, replicas: int = 1, order: int = 0, wait: float = 10, **env: str
) -> ServiceProcess:
    return ServiceProcess(
        name=name,
        argv=(sys.executable, "-S", str(DUMMY)),
        env={"PATH": os.environ["PATH"], "DIARY": str(diary.path), "NAME": name, **env},
        replicas=replicas,
        stop_order=order,
        stop_seconds=wait,
    )


async def until(condition: Callable[[], bool], timeout: float = 15.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        await asyncio.sleep(0.02)


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def by_name(supervisor: Supervisor) -> dict[str, ProcessStatus]:
    return {status.name: status for status in supervisor.statuses}


async def test_starts_every_replica_and_knows_when_it_is_ready(supervisor: Supervisor, diary: Diary) -> None:
    await supervisor.start([service("one", diary), service("two", diary, replicas=2)])
    statuses = by_name(supervisor)
    assert sorted(statuses) == ["one", "two", "two-2"]
    assert all(status.ready and status.restarts == 0 for status in statuses.values())
    assert len({status.port for status in statuses.values()}) == 3
    assert sorted(diary.number_after("two started ")) == sorted(
        [statuses["two"].pid or 0, statuses["two-2"].pid or 0]
    )


async def test_restarts_what_was_killed_and_its_children_go_too(supervisor: Supervisor, diary: Diary) -> None:
    await supervisor.start([service("worker", diary, CHILD="yes"), service("calm", diary)])
    before = by_name(supervisor)
    assert before["worker"].pid is not None
    (child,) = diary.number_after("worker child ")
    os.kill(before["worker"].pid, signal.SIGKILL)
    await until(lambda: by_name(supervisor)["worker"].restarts == 1 and by_name(supervisor)["worker"].ready)
    after = by_name(supervisor)
    assert after["worker"].pid != before["worker"].pid
    assert after["calm"] == before["calm"]
    assert is_gone(child)


async def test_goes_on_restarting_with_growing_delays(folder: Path, diary: Diary) -> None:
    policy = RestartPolicy(first_delay=0.2, longest_delay=0.4, start_attempts=2)
    supervisor = Supervisor(folder / "logs", policy=policy)
    try:
        await supervisor.start([service("worker", diary)])
        for round_number in range(1, 5):  # more often than a start may fail
            pid = by_name(supervisor)["worker"].pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            await until(lambda n=round_number: len(diary.number_after("worker started ")) == n + 1)  # type: ignore[misc]
        times = [float(line.split()[0]) for line in diary.path.read_text(encoding="utf-8").splitlines()]
        assert [later - earlier > 0.2 for earlier, later in pairwise(times)] == [True] * 4
        assert times[-1] - times[-2] > 0.4
    finally:
        await supervisor.kill()


def test_delays_double_up_to_the_longest() -> None:
    assert [RestartPolicy().delay(failures) for failures in (1, 2, 3, 5, 6, 50)] == [1, 2, 4, 16, 30, 30]


async def test_a_service_that_keeps_failing_at_its_start_is_an_error_with_its_log(
    supervisor: Supervisor, diary: Diary
) -> None:
    with pytest.raises(SkillnetError, match=r"(?s)broken.*3 times.*exit code 3.*cannot live like this") as caught:
        await supervisor.start([service("fine", diary), service("broken", diary, EXIT="3")])
    assert caught.value.code == ErrorCode.START_FAILED
    assert caught.value.details == {"process": "broken"}


async def test_a_misconfigured_service_is_not_tried_again(supervisor: Supervisor, diary: Diary) -> None:
    with pytest.raises(SkillnetError, match=r"ended 1 time,.*exit code 78"):
        await supervisor.start([service("wrong", diary, EXIT="78")])


async def test_a_service_that_is_never_ready_is_an_error(supervisor: Supervisor, diary: Diary) -> None:
    with pytest.raises(SkillnetError, match=r"(?s)Not ready after 1 s: shy\..*starting") as caught:
        await supervisor.start([service("fine", diary), service("shy", diary, NEVER_READY="yes")], timeout=1)
    assert caught.value.code == ErrorCode.START_FAILED


async def test_a_service_that_is_not_ready_for_a_while_is_told_but_not_restarted(
    supervisor: Supervisor, diary: Diary, folder: Path
) -> None:
    (folder / "ready").touch()
    await supervisor.start([service("moody", diary, READY_FILE=str(folder / "ready"))])
    (folder / "ready").unlink()
    await until(lambda: not by_name(supervisor)["moody"].ready)
    (folder / "ready").touch()
    await until(lambda: by_name(supervisor)["moody"].ready)
    assert by_name(supervisor)["moody"].restarts == 0


async def test_drains_group_after_group(supervisor: Supervisor, diary: Diary) -> None:
    await supervisor.start(
        [
            service("last", diary, order=2),
            service("worker", diary, order=1, DRAIN_SECONDS="0.3"),
            service("helper", diary, order=1),
            service("first", diary, order=0, DRAIN_SECONDS="0.3"),
        ]
    )
    await supervisor.stop()
    events = diary.events
    for worker in ("worker", "helper"):
        assert events.index("first drained") < events.index(f"{worker} draining")
        assert events.index(f"{worker} drained") < events.index("last draining")
    assert events[-1] == "last drained"
    assert all(status.pid is None for status in supervisor.statuses)


async def test_what_does_not_stop_is_killed_with_its_children(supervisor: Supervisor, diary: Diary) -> None:
    await supervisor.start([service("deaf", diary, wait=0.5, SHELTER="yes", CHILD="yes")])
    pids = [*diary.number_after("deaf started "), *diary.number_after("deaf child ")]
    started = time.monotonic()
    await supervisor.stop()
    assert 0.5 <= time.monotonic() - started < 20
    assert all(is_gone(pid) for pid in pids)


def test_no_service_outlives_a_killed_supervisor(folder: Path, diary: Diary) -> None:
    script = (
        "import asyncio, os, sys; from pathlib import Path\n"
        "from skillnet_cli.local.service_process import ServiceProcess\n"
        "from skillnet_cli.local.supervisor import Supervisor\n"
        "async def main():\n"
        "    env = {'DIARY': sys.argv[2], 'NAME': 'deaf', 'SHELTER': 'yes'}\n"
        "    argv = (sys.executable, '-S', sys.argv[1])\n"
        "    await Supervisor(Path(sys.argv[3])).start([ServiceProcess('deaf', argv, env)])\n"
        "    print('ready', flush=True); await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", script, str(DUMMY), str(diary.path), str(folder / "logs")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        owner.kill()
    (pid,) = diary.number_after("deaf started ")
    asyncio.run(until(lambda: is_gone(pid)))


async def test_ctrl_c_reaches_the_supervisor_only(supervisor: Supervisor, diary: Diary) -> None:
    await supervisor.start([service("worker", diary)])
    pid = by_name(supervisor)["worker"].pid
    assert pid is not None
    assert os.getsid(pid) == pid != os.getsid(0)


async def test_large_logs_are_rotated(supervisor: Supervisor, diary: Diary, folder: Path) -> None:
    log = folder / "logs" / "worker.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * 11 * 1024 * 1024)
    await supervisor.start([service("worker", diary)])
    await until(lambda: log.stat().st_size < 1024)
    assert log.with_name("worker.log.1").stat().st_size > 10 * 1024 * 1024
