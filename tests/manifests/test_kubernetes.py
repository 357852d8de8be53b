"""deploy/k8s: every object is well formed, and all that it names exists in the base or in the code."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
from tests.manifests.code import BOOTSTRAP, IMAGES, check_values, is_answered, needed, settings_classes, unknown
from tests.manifests.dockerfile import lineage, stages
from tests.manifests.files import ROOT, documents
from tests.manifests.kubernetes import BASE, NATS, SECRETS, config_maps, kustomization, resources, secrets, workloads

from skillnet_bootstrap.provision import DISPATCHER, SERVICE
from skillnet_cli.local.services import SERVICES
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.server_config import CLIENT_PORT, MONITORING_PORT, STORE_FOLDER, password_variable

WORKLOADS = workloads()
NATIVE = [
    one
    for one in (*resources(), *resources(folder=NATS), *documents(SECRETS))
    if not one["apiVersion"].startswith("keda.sh/")
]
_CLOSING_SECONDS = 20
"""What a process takes at most after the drain: for the bus, the pool and the operations port."""


def validate(content: dict[str, Any]) -> None:
    kubernetes_validate.validate(content, kubernetes_validate.latest_version(), strict=True)


@pytest.mark.parametrize("content", NATIVE, ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_an_object_is_what_kubernetes_takes(content: dict[str, Any]) -> None:
    validate(content)


def test_the_validation_sees_a_misspelt_field_and_a_wrong_type() -> None:
    content = copy.deepcopy(WORKLOADS["gateway"].content)
    content["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        validate(content)
    content = copy.deepcopy(WORKLOADS["gateway"].content)
    content["spec"]["replicas"] = "two"
    with pytest.raises(kubernetes_validate.ValidationError):
        validate(content)


@pytest.mark.parametrize("folder", [BASE, NATS], ids=lambda folder: folder.name)
def test_the_kustomization_lists_every_file_and_each_exists(folder: Path) -> None:
    content = kustomization(folder)
    generated = {file for one in content.configMapGenerator for file in (*one.envs, *one.files)}
    listed = {"kustomization.yaml", *content.resources, *generated}
    assert listed == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert len(content.resources) == len(set(content.resources))
    objects = resources(folder=folder)
    names = [(one["apiVersion"], one["kind"], one["metadata"]["name"]) for one in objects]
    assert len(names) == len(set(names))
    assert [one for one in objects if "namespace" in one["metadata"]] == []
    assert {one["metadata"]["namespace"] for one in documents(SECRETS)} == {content.namespace}


def test_there_is_a_workload_for_every_image_and_its_image_is_a_target() -> None:
    assert {name: one.kind for name, one in WORKLOADS.items()} == {
        **dict.fromkeys(SERVICES, "Deployment"),
        BOOTSTRAP: "Job",
    }
    targets = stages(ROOT / "Dockerfile")
    for name, one in WORKLOADS.items():
        assert one.container["image"] == f"skillnet/{name}"
        assert name in targets
    assert {image.name for image in kustomization().images} == {f"skillnet/{name}" for name in IMAGES}


@pytest.mark.parametrize("name", IMAGES)
def test_a_workload_gets_settings_that_it_has_and_all_that_it_needs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = WORKLOADS[name].environment
    assert unknown(name, set(given)) == set()
    assert needed(name) - set(given) == set()
    check_values(name, given, monkeypatch)


@pytest.mark.parametrize("name", IMAGES)
def test_a_secret_is_referred_to_and_nothing_secret_is_written_out(name: str) -> None:
    fields = {
        variable
        for settings in settings_classes(name)
        for field, info in settings.model_fields.items()
        if "SecretStr" in str(info.annotation)
        for variable in [f"{settings.model_config.get('env_prefix', '')}{field}".upper()]
    }
    assert fields
    plain = {variable["name"] for variable in WORKLOADS[name].container["env"] if "value" in variable}
    assert fields & plain == set()
    assert fields & {variable for values in config_maps().values() for variable in values} == set()


def test_every_secret_of_the_example_is_used_and_none_is_needed_that_it_lacks() -> None:
    used: dict[str, set[str]] = {}
    whole: set[str] = set()
    for one in WORKLOADS.values():
        whole |= {source["secretRef"]["name"] for source in one.container["envFrom"] if "secretRef" in source}
        for variable in one.container["env"]:
            if reference := variable.get("valueFrom", {}).get("secretKeyRef"):
                used.setdefault(reference["name"], set()).add(reference["key"])
    for authentication in resources("TriggerAuthentication"):
        for reference in authentication["spec"]["secretTargetRef"]:
            used.setdefault(reference["name"], set()).add(reference["key"])
    for variable in nats_container()["env"]:
        if reference := variable.get("valueFrom", {}).get("secretKeyRef"):
            used.setdefault(reference["name"], set()).add(reference["key"])
    assert used == {name: set(keys) for name, keys in secrets().items() if name not in whole}
    assert whole == set(secrets()) - set(used)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_its_own_rights_and_none_of_the_administrator(name: str) -> None:
    own = WORKLOADS[name].environment
    role = DISPATCHER if name == "dispatcher" else SERVICE
    assert own["DATABASE_URL"].startswith(f"postgresql://{role}:")
    assert own["NATS_USER"] == name
    assert own["NATS_USER"] in {user.name for user in service_users()}
    text = str(WORKLOADS[name].content)
    assert f"'name': 'skillnet-nats', 'key': '{name}'" in text
    assert "admin" not in text


def nats_container() -> dict[str, Any]:
    (server,) = resources("StatefulSet", NATS)
    (container,) = server["spec"]["template"]["spec"]["containers"]
    found: dict[str, Any] = container
    return found


def test_the_bus_is_reached_where_it_listens() -> None:
    (service,) = resources("Service", NATS)
    address = f"{service['metadata']['name']}.{kustomization(NATS).namespace}.svc.cluster.local"
    assert config_maps()["skillnet-bus"]["NATS_URL"] == f"nats://{address}:{CLIENT_PORT}"
    ports = {port["name"]: port["containerPort"] for port in nats_container()["ports"]}
    assert ports == {"client": CLIENT_PORT, "monitoring": MONITORING_PORT}
    assert {port["targetPort"]: port["port"] for port in service["spec"]["ports"]} == ports
    (server,) = resources("StatefulSet", NATS)
    labels = server["spec"]["template"]["metadata"]["labels"]
    (policy,) = resources("NetworkPolicy", NATS)
    selectors = (service["spec"]["selector"], policy["spec"]["podSelector"]["matchLabels"])
    assert all(selector == labels == server["spec"]["selector"]["matchLabels"] for selector in selectors)
    callers = policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    assert selected(callers) == set(IMAGES)


def test_the_bus_is_given_the_password_that_each_user_comes_with() -> None:
    environment = {variable["name"]: variable for variable in nats_container()["env"]}
    for user in (user.name for user in service_users()):
        # In quotes: see `password_variable`.
        assert environment[password_variable(user)]["value"] == f"'$({user.upper()})'"
        secret = environment[user.upper()]["valueFrom"]["secretKeyRef"]
        assert secret == {"name": "skillnet-nats-admin" if user == "admin" else "skillnet-nats", "key": user}
    names = list(environment)  # what is put in must come before what it is put into
    assert all(names.index(user.name.upper()) < names.index(password_variable(user.name)) for user in service_users())


def test_the_bus_keeps_its_store_on_a_volume_and_is_the_server_of_the_compose_file() -> None:
    container = nats_container()
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert STORE_FOLDER.startswith(f"{mounts['data']}/")
    (generated,) = kustomization(NATS).configMapGenerator
    (server,) = resources("StatefulSet", NATS)
    (volume,) = server["spec"]["template"]["spec"]["volumes"]
    assert volume["configMap"]["name"] == generated.name
    assert container["args"] == ["--config", f"{mounts['config']}/{generated.files[0]}"]
    (compose,) = documents(ROOT / "docker-compose.yml")
    assert container["image"] == compose["services"]["nats"]["image"]


@pytest.mark.parametrize("name", SERVICES)
async def test_probes_ask_what_the_operations_port_answers(name: str) -> None:
    one = WORKLOADS[name]
    assert one.ports["ops"] == int(one.environment["OPS_PORT"])
    assert ("http" in one.ports) == (name == "gateway")
    if name == "gateway":
        assert one.ports["http"] == int(one.environment["HTTP_PORT"])
    exposed = {port for stage in lineage(stages(ROOT / "Dockerfile"), name) for port in stage.every("EXPOSE")}
    assert {str(port) for port in one.ports.values()} == exposed
    probes = {kind: one.container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}
    assert {kind: probe["path"] for kind, probe in probes.items()} == {
        "startup": "/livez",
        "liveness": "/livez",
        "readiness": "/readyz",
    }
    for probe in probes.values():
        assert one.ports[probe["port"]] == one.ports["ops"]
        assert await is_answered(probe["path"])


@pytest.mark.parametrize("name", SERVICES)
def test_a_pod_is_given_the_time_that_its_service_takes_to_drain(name: str) -> None:
    one = WORKLOADS[name]
    before = one.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    drain = float(one.environment["DRAIN_SECONDS"])
    assert one.pod["terminationGracePeriodSeconds"] >= before + drain + _CLOSING_SECONDS


@pytest.mark.parametrize("name", IMAGES)
def test_a_pod_runs_without_privileges_on_a_file_system_it_cannot_write(name: str) -> None:
    one = WORKLOADS[name]
    (user,) = [line for stage in lineage(stages(ROOT / "Dockerfile"), name) for line in stage.every("USER")]
    pod = one.pod["securityContext"]
    assert (pod["runAsNonRoot"], f"{pod['runAsUser']}:{pod['runAsGroup']}") == (True, user)
    assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
    context = one.container["securityContext"]
    assert context == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert one.pod["automountServiceAccountToken"] is False
    # Variables of Kubernetes' own, such as GATEWAY_PORT, would be taken for settings.
    assert one.pod["enableServiceLinks"] is False
    assert one.container["resources"]["requests"].keys() == {"cpu", "memory"}
    assert "memory" in one.container["resources"]["limits"]
    mounts = {mount["name"]: mount["mountPath"] for mount in one.container.get("volumeMounts", [])}
    assert set(mounts) == {volume["name"] for volume in one.pod.get("volumes", [])}


def test_the_parser_is_given_the_memory_that_its_files_may_take() -> None:
    one = WORKLOADS["parser"]
    (settings,) = settings_classes("parser")
    megabytes = int(one.container["resources"]["limits"]["memory"].removesuffix("Mi"))
    fields = settings.model_fields
    assert megabytes >= fields["work_slots"].default * fields["parse_memory_mb"].default + 256


def test_selectors_select_exactly_what_they_are_for() -> None:
    for name in SERVICES:
        spec = WORKLOADS[name].content["spec"]
        assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
        assert selected(spec["selector"]["matchLabels"]) == {name}
    (service,) = resources("Service")
    assert selected(service["spec"]["selector"]) == {"gateway"}
    assert {port["targetPort"] for port in service["spec"]["ports"]} <= WORKLOADS["gateway"].ports.keys()


def test_what_runs_twice_is_never_taken_down_at_once() -> None:
    twice = {name for name in SERVICES if WORKLOADS[name].content["spec"].get("replicas", 1) > 1}
    assert twice == {"gateway", "dispatcher", "retriever"}
    budgets = {one["metadata"]["name"]: one["spec"] for one in resources("PodDisruptionBudget")}
    assert set(budgets) == twice
    for name, spec in budgets.items():
        assert selected(spec["selector"]["matchLabels"]) == {name}
        assert spec["minAvailable"] < WORKLOADS[name].content["spec"]["replicas"]


def test_the_network_lets_in_http_and_metrics_alone() -> None:
    policies = {one["metadata"]["name"]: one["spec"] for one in resources("NetworkPolicy")}
    everybody = set(IMAGES)
    assert selected(policies["nobody-by-default"]["podSelector"]["matchLabels"]) == everybody
    assert "ingress" not in policies["nobody-by-default"]
    assert selected(policies["http-to-gateway"]["podSelector"]["matchLabels"]) == {"gateway"}
    assert selected(policies["metrics-to-monitoring"]["podSelector"]["matchLabels"]) == everybody
    ports = {port["port"] for spec in policies.values() for rule in spec.get("ingress", []) for port in rule["ports"]}
    assert ports <= {name for one in WORKLOADS.values() for name in one.ports}


def test_the_job_gives_up_on_what_trying_again_cannot_mend() -> None:
    from skillnet_common.runtime.entry import EX_CONFIG

    job = WORKLOADS[BOOTSTRAP]
    (rule,) = job.content["spec"]["podFailurePolicy"]["rules"]
    assert rule["onExitCodes"] == {"containerName": BOOTSTRAP, "operator": "In", "values": [EX_CONFIG]}
    assert job.pod["restartPolicy"] == "Never"


def test_settings_are_lines_that_kustomize_reads_as_they_are_meant() -> None:
    for file in (BASE / "settings").iterdir():
        assert [line for line in file.read_text().splitlines() if not re.fullmatch(r"[A-Z_]+=\S+", line)] == []


def selected(labels: dict[str, str]) -> set[str]:
    return {name for name, one in WORKLOADS.items() if labels.items() <= one.labels.items()}
