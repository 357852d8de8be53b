"""Which device is taken: one of those listed, or none."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.devices import Device, DeviceUnusable, open_on_first, provider_options

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


def opened(device: Device, provider: str) -> tuple[Device, str]:
    return device, provider


def without_driver(device: Device, provider: str) -> tuple[Device, str]:
    if device is Device.CUDA:
        raise DeviceUnusable("no driver")
    return device, provider


def test_the_first_that_works_is_taken() -> None:
    with capture_logs() as logs:
        assert open_on_first((Device.CUDA, Device.CPU), (CUDA, CPU), opened) == (Device.CUDA, CUDA)
        assert open_on_first((Device.CPU, Device.CUDA), (CUDA, CPU), opened) == (Device.CPU, CPU)
    assert logs == []


def test_the_next_of_the_list_is_taken_with_a_warning() -> None:
    for available, open_on in (((CPU,), opened), ((CUDA, CPU), without_driver)):
        with capture_logs() as logs:
            assert open_on_first((Device.CUDA, Device.CPU), available, open_on) == (Device.CPU, CPU)
        assert [(entry["event"], entry["device"]) for entry in logs] == [("embedding_device_passed_over", "cpu")]


@pytest.mark.parametrize(
    ("available", "reason"), [((CPU,), "has no CUDAExecutionProvider"), ((CUDA, CPU), "no driver")]
)
def test_a_device_that_is_not_listed_is_never_taken(available: tuple[str, ...], reason: str) -> None:
    with pytest.raises(PermanentFault, match=reason) as raised:
        open_on_first((Device.CUDA,), available, without_driver)
    assert raised.value.code is ErrorCode.MISCONFIGURED
    assert "cpu" in str(raised.value.details["available"])


def test_options_are_those_that_the_device_knows() -> None:
    assert provider_options(Device.CPU, 0, None) == {}
    assert provider_options(Device.CUDA, 1, None) == {"device_id": "1"}
    assert provider_options(Device.CUDA, 0, 2048) == {"device_id": "0", "gpu_mem_limit": "2147483648"}
    assert provider_options(Device.TENSORRT, 2, 2048) == {"device_id": "2"}
