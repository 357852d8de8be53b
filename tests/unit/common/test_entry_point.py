"""A wrong configuration ends a process with a sentence and exit code 78."""

from __future__ import annotations

import pytest

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_common.runtime import entry_point
from skillnet_common.settings import WorkSettings


def test_settings_that_do_not_fit_name_the_variable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORK_SLOTS", "many")

    @entry_point
    def main() -> None:
        WorkSettings()

    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 78
    assert "WORK_SLOTS" in capsys.readouterr().err


def test_a_fault_at_the_start_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    @entry_point
    def main() -> None:
        raise PermanentFault(ErrorCode.MODEL_MISMATCH, "Another model serves.")

    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 78
    assert capsys.readouterr().err == "cannot start: Another model serves. [model_mismatch]\n"


def test_a_server_that_is_away_is_worth_another_start() -> None:
    @entry_point
    def main() -> None:
        raise PassingFault(ErrorCode.UNAVAILABLE, "PostgreSQL cannot be reached.")

    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 75
