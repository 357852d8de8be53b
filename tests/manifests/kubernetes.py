"""The folders of kustomize, read as kustomize reads them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from tests.manifests.files import ROOT, documents

BASE = ROOT / "deploy/k8s/base"
NATS = ROOT / "deploy/nats"
SECRETS = ROOT / "deploy/k8s/secrets.example.yaml"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class LabelSet(_Strict):
    pairs: dict[str, str]
    includeTemplates: bool = False
    includeSelectors: bool = False


class ConfigMapArgs(_Strict):
    name: str
    envs: list[str] = []
    files: list[str] = []


class Image(_Strict):
    name: str
    newTag: str


class Kustomization(_Strict):
    """The fields of kustomize.config.k8s.io/v1beta1 that the base uses."""

    apiVersion: str = Field(pattern="^kustomize.config.k8s.io/v1beta1$")
    kind: str = Field(pattern="^Kustomization$")
    namespace: str
    labels: list[LabelSet] = []
    resources: list[str]
    configMapGenerator: list[ConfigMapArgs]
    images: list[Image] = []


def kustomization(folder: Path = BASE) -> Kustomization:
    (content,) = documents(folder / "kustomization.yaml")
    return Kustomization.model_validate(content)


def resources(kind: str | None = None, folder: Path = BASE) -> list[dict[str, Any]]:
    """Every object of the folder, or those of a kind."""
    found = [one for file in kustomization(folder).resources for one in documents(folder / file)]
    return [one for one in found if kind is None or one["kind"] == kind]


def config_maps() -> dict[str, dict[str, str]]:
    """The generated ones: name -> variables."""
    return {
        generated.name: {
            name: value
            for file in generated.envs
            for line in (BASE / file).read_text(encoding="utf-8").splitlines()
            for name, _, value in [line.partition("=")]
        }
        for generated in kustomization().configMapGenerator
    }


def secrets() -> dict[str, dict[str, str]]:
    """The example's: name -> keys and values."""
    return {one["metadata"]["name"]: one["stringData"] for one in documents(SECRETS)}


@dataclass(frozen=True)
class Workload:
    """A Deployment or Job with one container."""

    name: str
    kind: str
    content: dict[str, Any]

    @property
    def pod(self) -> dict[str, Any]:
        pod: dict[str, Any] = self.content["spec"]["template"]["spec"]
        return pod

    @property
    def container(self) -> dict[str, Any]:
        (container,) = self.pod["containers"]
        found: dict[str, Any] = container
        return found

    @property
    def labels(self) -> dict[str, str]:
        """Of its pods, with those that kustomize adds."""
        (added,) = kustomization().labels
        own: dict[str, str] = self.content["spec"]["template"]["metadata"]["labels"]
        return {**own, **(added.pairs if added.includeTemplates else {})}

    @property
    def environment(self) -> dict[str, str]:
        """What the container gets, with the example's secrets."""
        values: dict[str, str] = {}
        for source in self.container["envFrom"]:
            if "configMapRef" in source:
                values |= config_maps()[source["configMapRef"]["name"]]
            else:
                values |= secrets()[source["secretRef"]["name"]]
        for variable in self.container["env"]:
            reference = variable.get("valueFrom", {}).get("secretKeyRef")
            values[variable["name"]] = (
                secrets()[reference["name"]][reference["key"]] if reference else variable["value"]
            )
        return values

    @property
    def ports(self) -> dict[str, int]:
        return {port["name"]: port["containerPort"] for port in self.container.get("ports", [])}


def workloads() -> dict[str, Workload]:
    return {
        one["metadata"]["name"]: Workload(one["metadata"]["name"], one["kind"], one)
        for one in resources()
        if one["kind"] in {"Deployment", "Job"}
    }
