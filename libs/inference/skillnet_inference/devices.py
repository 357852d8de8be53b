"""Where the local encoder computes. A device changes speed, not who a model is: identities never name one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import TypeVar

import structlog

from skillnet_common.errors import ErrorCode, PermanentFault

_log = structlog.get_logger()

_MEBIBYTE = 1024 * 1024

Session = TypeVar("Session")
Options = Mapping[str, str]


class Device(StrEnum):
    """A kind of processor that a build of onnxruntime may support."""

    CPU = "cpu"
    CUDA = "cuda"
    TENSORRT = "tensorrt"
    MIGRAPHX = "migraphx"
    DIRECTML = "directml"
    COREML = "coreml"


_PROVIDERS = {
    Device.CPU: "CPUExecutionProvider",
    Device.CUDA: "CUDAExecutionProvider",
    Device.TENSORRT: "TensorrtExecutionProvider",
    Device.MIGRAPHX: "MIGraphXExecutionProvider",
    Device.DIRECTML: "DmlExecutionProvider",
    Device.COREML: "CoreMLExecutionProvider",
}
_NUMBERED = {Device.CUDA, Device.TENSORRT, Device.MIGRAPHX, Device.DIRECTML}


class DeviceUnusable(Exception):
    """The library knows the device, but it does not work here: no driver, no such card, no memory."""


def provider_options(device: Device, number: int, memory_mb: int | None) -> dict[str, str]:
    """What onnxruntime is told of the device: which one of several, and how much of its memory it may take.

    See https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html for `gpu_mem_limit`.
    """
    options = {"device_id": str(number)} if device in _NUMBERED else {}
    if device is Device.CUDA and memory_mb is not None:
        options["gpu_mem_limit"] = str(memory_mb * _MEBIBYTE)
    return options


def open_on_first(
    devices: Collection[Device], available: Collection[str], open_on: Callable[[Device, str], Session]
) -> Session:
    """A session on the first of the devices that works, `open_on` being given the device and its provider's name.

    A device that is not listed is never taken. Raises PermanentFault `misconfigured`, with what is available, where
    none works.
    """
    reasons = []
    for device in devices:
        provider = _PROVIDERS[device]
        if provider not in available:
            reasons.append(f"{device}: this onnxruntime has no {provider}")
            continue
        try:
            session = open_on(device, provider)
        except DeviceUnusable as error:
            reasons.append(f"{device}: {error}")
            continue
        if reasons:
            _log.warning("embedding_device_passed_over", device=device, passed_over=reasons)
        return session
    usable = sorted(device for device, provider in _PROVIDERS.items() if provider in available)
    raise PermanentFault(
        ErrorCode.MISCONFIGURED,
        f"No device of EMBEDDING_DEVICE can be used ({'; '.join(reasons)}). This onnxruntime supports "
        f"{', '.join(usable)}; for a graphics card install onnxruntime-gpu in place of onnxruntime.",
        devices=[str(device) for device in devices],
        available=usable,
    )
