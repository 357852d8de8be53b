"""KEDA's objects, read strictly: its documented fields (keda.sh/v1alpha1, 2.20) and no others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Digits = Annotated[str, Field(pattern=r"^\d+$")]
Number = Annotated[str, Field(pattern=r"^\d+(\.\d+)?$")]
Flag = Annotated[str, Field(pattern="^(true|false)$")]
HostAndPort = Annotated[str, Field(pattern=r"^[a-z0-9.-]+:\d+$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Metadata(_Strict):
    name: str
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class ScaleTargetRef(_Strict):
    name: str
    apiVersion: str = "apps/v1"
    kind: str = "Deployment"
    envSourceContainerName: str = ""


class AuthenticationRef(_Strict):
    name: str
    kind: Literal["TriggerAuthentication", "ClusterTriggerAuthentication"] = "TriggerAuthentication"


class JetStreamMetadata(_Strict):
    """Of the trigger `nats-jetstream`; every value is a string."""

    natsServerMonitoringEndpoint: HostAndPort
    account: str
    stream: str
    consumer: str
    lagThreshold: Digits
    activationLagThreshold: Digits = "0"
    useHttps: Flag = "false"


class PostgresMetadata(_Strict):
    """Of the trigger `postgresql` without a whole address; the password comes from the TriggerAuthentication."""

    host: str
    port: Digits
    userName: str
    dbName: str
    sslmode: Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    query: str
    targetQueryValue: Number
    activationTargetQueryValue: Number = "0"


class _Trigger(_Strict):
    name: str = ""
    useCachedMetrics: bool = False
    metricType: Literal["AverageValue", "Value"] = "AverageValue"


class JetStreamTrigger(_Trigger):
    type: Literal["nats-jetstream"]
    metadata: JetStreamMetadata
    authenticationRef: AuthenticationRef | None = None


class PostgresTrigger(_Trigger):
    type: Literal["postgresql"]
    metadata: PostgresMetadata
    authenticationRef: AuthenticationRef


Trigger = Annotated[JetStreamTrigger | PostgresTrigger, Field(discriminator="type")]


class Policy(_Strict):
    type: Literal["Pods", "Percent"]
    value: int = Field(gt=0)
    periodSeconds: int = Field(gt=0, le=1800)


class ScalingRules(_Strict):
    stabilizationWindowSeconds: int | None = Field(default=None, ge=0, le=3600)
    selectPolicy: Literal["Max", "Min", "Disabled"] = "Max"
    policies: list[Policy] = []


class Behavior(_Strict):
    scaleUp: ScalingRules | None = None
    scaleDown: ScalingRules | None = None


class HpaConfig(_Strict):
    name: str = ""
    behavior: Behavior | None = None


class Advanced(_Strict):
    restoreToOriginalReplicaCount: bool = False
    horizontalPodAutoscalerConfig: HpaConfig | None = None


class Fallback(_Strict):
    failureThreshold: int = Field(ge=0)
    replicas: int = Field(ge=0)
    behavior: Literal["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"] = "static"


class ScaledObjectSpec(_Strict):
    scaleTargetRef: ScaleTargetRef
    pollingInterval: int = Field(default=30, gt=0)
    initialCooldownPeriod: int = Field(default=0, ge=0)
    cooldownPeriod: int = Field(default=300, ge=0)
    idleReplicaCount: int | None = Field(default=None, ge=0)
    minReplicaCount: int = Field(default=0, ge=0)
    maxReplicaCount: int = Field(default=100, gt=0)
    advanced: Advanced | None = None
    fallback: Fallback | None = None
    triggers: list[Trigger] = Field(min_length=1)

    @model_validator(mode="after")
    def _bounds_are_in_order(self) -> ScaledObjectSpec:
        if self.minReplicaCount > self.maxReplicaCount:
            raise ValueError("minReplicaCount is above maxReplicaCount")
        if self.idleReplicaCount is not None and self.idleReplicaCount >= self.minReplicaCount:
            raise ValueError("idleReplicaCount must be below minReplicaCount")
        return self


class ScaledObject(_Strict):
    apiVersion: Literal["keda.sh/v1alpha1"]
    kind: Literal["ScaledObject"]
    metadata: Metadata
    spec: ScaledObjectSpec


class SecretTargetRef(_Strict):
    parameter: str
    name: str
    key: str


class TriggerAuthenticationSpec(_Strict):
    secretTargetRef: list[SecretTargetRef] = Field(min_length=1)


class TriggerAuthentication(_Strict):
    apiVersion: Literal["keda.sh/v1alpha1"]
    kind: Literal["TriggerAuthentication"]
    metadata: Metadata
    spec: TriggerAuthenticationSpec
