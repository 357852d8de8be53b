"""Settings of embedding, under the names that the specification gave them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from skillnet_inference.devices import Device
from skillnet_inference.identity import Provider
from skillnet_inference.precision import Precision, TablePrecision


class EmbeddingSettings(BaseSettings):
    """Which model embeds, and how. Every field is an environment variable `EMBEDDING_…`.

    With `EMBEDDING_MODEL_PATH` the folder's own description holds for the name, the dimension and the prefixes,
    except for those that are set here expressly.
    """

    model_config = SettingsConfigDict(env_prefix="EMBEDDING_", extra="ignore", frozen=True)

    provider: Provider = Provider.LOCAL
    model: str = Field(default="intfloat/multilingual-e5-small", min_length=1)
    dim: int = Field(default=384, ge=1, le=16_000)
    passage_prefix: str = "passage: "
    query_prefix: str = "query: "

    model_path: Path | None = None
    """A folder with model.onnx, tokenizer.json and model.json; with the API provider only the latter two."""
    precision: Precision = Precision.INT8
    """Arithmetic of the carried model: int8, or fp32 at about half the speed."""
    table_precision: TablePrecision = TablePrecision.INT8
    """How the carried model's token table is stored: int8 (96 MB on disk) or fp32 (384 MB)."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """Worker threads of the local encoder; by default one for every core that the process may use."""

    device: Annotated[tuple[Device, ...], NoDecode, Field(min_length=1)] = (Device.CPU,)
    """Where the local encoder computes: `cpu`, `cuda`, or several by commas, the first that works being taken."""
    device_id: int = Field(default=0, ge=0)
    """Which one of several graphics cards."""
    device_memory_mb: int | None = Field(default=None, ge=64)
    """How much of its memory a CUDA device may give; by default all."""

    api_base: str = ""
    """For instance `https://api.example.com/v1`; `/embeddings` is appended."""
    api_key: SecretStr = SecretStr("")
    api_model: str = ""
    """The model's name at the API; by default `EMBEDDING_MODEL`."""
    api_input_type: bool = False
    """Send `input_type: query|passage`, for servers that add the model's prefix themselves."""
    api_timeout: float = Field(default=60.0, gt=0)
    """Seconds that one request may take."""
    api_concurrency: int = Field(default=4, ge=1, le=64)
    """Requests on their way at once."""
    batch_size: int = Field(default=64, ge=1, le=2048)
    """Texts of one API request. The local encoder takes one text at a time, which is its fastest way."""
    max_retries: int = Field(default=3, ge=0, le=20)
    """Repetitions of an API request after a passing fault."""

    @field_validator("device", mode="before")
    @classmethod
    def _devices_by_commas(cls, value: object) -> object:
        return tuple(name.strip() for name in value.split(",")) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _memory_is_of_cuda(self) -> Self:
        if self.device_memory_mb is not None and Device.CUDA not in self.device:
            raise ValueError("EMBEDDING_DEVICE_MEMORY_MB is for CUDA, which EMBEDDING_DEVICE does not name")
        return self

    @model_validator(mode="after")
    def _api_has_an_address(self) -> Self:
        if self.provider is Provider.API and not self.api_base.startswith(("http://", "https://")):
            raise ValueError("EMBEDDING_PROVIDER=api needs EMBEDDING_API_BASE, for instance https://host/v1")
        return self

    @property
    def sends_text(self) -> bool:
        """Text to embed leaves for somebody else's service: organisations must have consented."""
        return self.provider is Provider.API

    @property
    def api_model_name(self) -> str:
        """The name sent to the API."""
        return self.api_model or self.model
