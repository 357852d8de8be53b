"""The device by setting, with the onnxruntime that is installed."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import onnxruntime
import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import open_encoder
from skillnet_inference.settings import EmbeddingSettings

without_cuda = pytest.mark.skipif(
    "CUDAExecutionProvider" in onnxruntime.get_available_providers(), reason="this onnxruntime has CUDA"
)


@without_cuda
def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(PermanentFault, match="onnxruntime-gpu") as raised:
        open_encoder(EmbeddingSettings(device="cuda"))
    assert raised.value.code is ErrorCode.MISCONFIGURED
    assert raised.value.details == {"devices": ["cuda"], "available": ["cpu"]}


@without_cuda
@pytest.mark.parametrize("device", ["cpu", "cuda,cpu"])
def test_the_processor_gives_the_same_vectors_however_it_was_chosen(
    device: str, texts: list[str], int8_encoder: Encoder
) -> None:
    with closing(open_encoder(EmbeddingSettings(device=device))) as encoder:
        assert encoder.identity == int8_encoder.identity
        assert np.allclose(encoder.encode_passages(texts[:3]), int8_encoder.encode_passages(texts[:3]), atol=1e-6)
