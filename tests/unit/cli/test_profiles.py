"""The file of profiles, and which gateway a command speaks to."""

from __future__ import annotations

import socket
import stat
import time
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import pytest
import typer
from tests.e2e.system import run_skillnet

from skillnet_cli import completion
from skillnet_cli.profiles import Profile, Profiles, load_profiles, profiles_path, save_profiles, to_toml
from skillnet_cli.target import Target, choose, target_of
from skillnet_common.errors import ErrorCode, SkillnetError

SHOP = Profile("tienda", url="https://skillnet.example", api_key="sk_shop")
OFFICE = Profile("oficina", url="http://127.0.0.1:9", api_key_env="OFFICE_KEY")
BOTH = Profiles({"tienda": SHOP, "oficina": OFFICE}, default="oficina")
ADDRESS = {"SKILLNET_URL": "http://from-env", "SKILLNET_API_KEY": "sk_env"}


def refused(code: ErrorCode, act: Any, *arguments: Any) -> str:
    with pytest.raises(SkillnetError) as error:
        act(*arguments)
    assert error.value.code == code
    return error.value.message


@pytest.mark.parametrize(
    ("org", "folder", "environment", "profiles", "expected"),
    [
        ("tienda", None, ADDRESS | {"SKILLNET_ORG": "oficina"}, BOTH, SHOP),
        (None, Path("/data"), ADDRESS | {"SKILLNET_ORG": "oficina"}, BOTH, None),
        (None, None, ADDRESS | {"SKILLNET_ORG": "tienda"}, BOTH, Target("http://from-env", "sk_env")),
        (None, None, {"SKILLNET_ORG": "tienda"}, BOTH, SHOP),
        (None, None, {}, BOTH, OFFICE),
        (None, None, {}, BOTH.with_default(None), None),
        (None, None, {}, Profiles(), None),
    ],
    ids=["--org", "--data", "address", "SKILLNET_ORG", "default", "no default", "no file"],
)
def test_precedence(
    org: str | None, folder: Path | None, environment: dict[str, str], profiles: Profiles, expected: Any
) -> None:
    assert choose(org, folder, environment, lambda: profiles) == expected


def test_contradictions_and_halves_are_refused() -> None:
    refused(ErrorCode.INVALID_REQUEST, choose, "tienda", Path("/data"), {}, lambda: BOTH)
    refused(ErrorCode.MISCONFIGURED, choose, None, None, {"SKILLNET_URL": "http://x"}, lambda: BOTH)
    assert "oficina, tienda" in refused(ErrorCode.NOT_FOUND, choose, "nada", None, {}, lambda: BOTH)
    refused(ErrorCode.NOT_FOUND, choose, None, None, {"SKILLNET_ORG": "nada"}, lambda: BOTH)


def test_a_broken_file_is_no_concern_of_who_says_the_address() -> None:
    def broken() -> Profiles:
        raise AssertionError("read")

    assert choose(None, None, ADDRESS, broken) == Target("http://from-env", "sk_env")


def test_what_is_saved_is_loaded_again_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    odd = Profile("a.b-c", data='/una carpeta/"con" comillas\\', api_key_file="/ñ/clave")
    saved = BOTH.with_profile(odd, as_default=True)
    save_profiles(path, saved)
    assert load_profiles(path) == saved
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    save_profiles(path, saved.without("a.b-c"))
    assert load_profiles(path) == Profiles(BOTH.profiles)


def test_a_file_with_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(to_toml(BOTH))
    path.chmod(0o644)
    assert "chmod 600" in refused(ErrorCode.MISCONFIGURED, load_profiles, path)
    path.write_text(to_toml(BOTH.without("tienda")))  # no key in it
    assert list(load_profiles(path).profiles) == ["oficina"]


@pytest.mark.parametrize(
    "text",
    [
        "profiles = 1",
        "colour = 'red'",
        "default = 'nada'",
        "[profiles.x]\nurl = 'https://x.test'\napi_key_env = 1",
        "[profiles.x]\nurl = 'https://x.test'\napi_key_env = 'K'\ncolour = 'red'",
        "[profiles.x",
    ],
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    assert str(path) in refused(ErrorCode.MISCONFIGURED, load_profiles, path) or "profile" in text


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("x", "url = 'https://x.test'"),
        ("x", "api_key_env = 'K'"),
        ("x", "url = 'https://x.test'\ndata = '/d'\napi_key_env = 'K'"),
        ("x", "url = 'https://x.test'\napi_key_env = 'K'\napi_key_file = '/k'"),
        ("x", "url = 'ftp://x.test'\napi_key_env = 'K'"),
        ("x", "url = 'https://[x'\napi_key_env = 'K'"),
        ("x", 'data = "\\u007f"\napi_key_env = "K"'),
        ("a b", "url = 'https://x.test'\napi_key_env = 'K'"),
    ],
)
def test_a_profile_that_cannot_be_used_is_in_the_way_of_no_other(tmp_path: Path, name: str, table: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"[profiles.{name!r}]\n{table}\n[profiles.good]\nurl = 'https://x.test'\napi_key_env = 'K'\n")
    profiles = load_profiles(path)
    assert profiles.named("good").url == "https://x.test"
    assert name in refused(ErrorCode.MISCONFIGURED, profiles.named, name)
    save_profiles(path, profiles)
    assert load_profiles(path) == profiles
    assert list(profiles.without(name).profiles) == ["good"]


def test_a_profile_that_cannot_be_used_is_listed_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("default = 'x'\n[profiles.x]\n")
    environment = {"SKILLNET_CONFIG": str(path)}
    listed = run_skillnet("profiles", "list", environment=environment)
    assert (listed.returncode, "none" in listed.stdout) == (0, True), listed.stderr
    assert run_skillnet("usage", environment=environment).returncode == 1
    assert run_skillnet("profiles", "remove", "x", environment=environment).returncode == 0
    assert load_profiles(path) == Profiles()


def test_a_key_that_is_none_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"SKILLNET_URL": "http://127.0.0.1:9", "SKILLNET_API_KEY": "sk_ñ"}
    done = run_skillnet("usage", environment=environment)
    assert (done.returncode, done.stderr.count("\n")) == (5, 1), done.stderr
    assert done.stderr.endswith("[unauthorized]\n")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert completion.document_keys(create_autospec(typer.Context, params={}), "x") == []


def test_a_group_that_does_something_itself_takes_org_too(tmp_path: Path) -> None:
    environment = {"SKILLNET_CONFIG": str(tmp_path / "none.toml")}
    for arguments in (("organization", "--org", "g"), ("organization", "prompt", "show", "--org", "g")):
        done = run_skillnet(*arguments, environment=environment)
        assert (done.returncode, "There is no profile 'g'" in done.stderr) == (4, True), done.stderr


def test_keys_come_from_where_the_profile_says(tmp_path: Path) -> None:
    assert target_of(OFFICE, {"OFFICE_KEY": " sk_office\n"}) == Target("http://127.0.0.1:9", "sk_office")
    assert "OFFICE_KEY" in refused(ErrorCode.MISCONFIGURED, target_of, OFFICE, {})
    key_file = tmp_path / "key"
    profile = Profile("x", url="https://x.test", api_key_file=str(key_file))
    refused(ErrorCode.MISCONFIGURED, target_of, profile, {})
    key_file.write_text("sk_file\n")
    key_file.chmod(0o640)
    assert "chmod 600" in refused(ErrorCode.MISCONFIGURED, target_of, profile, {})
    key_file.chmod(0o600)
    assert target_of(profile, {}).api_key == "sk_file"
    key_file.write_text("")
    refused(ErrorCode.MISCONFIGURED, target_of, profile, {})


def test_keys_are_not_printed() -> None:
    assert "sk_shop" not in repr(BOTH)
    assert "sk_env" not in repr(Target("http://x", "sk_env"))


def test_where_the_file_is() -> None:
    environment = {"SKILLNET_CONFIG": "/a/b.toml", "XDG_CONFIG_HOME": "/xdg", "HOME": "/home/ana"}
    assert profiles_path(environment) == Path("/a/b.toml")
    del environment["SKILLNET_CONFIG"]
    assert profiles_path(environment) == Path("/xdg/skillnet/config.toml")
    del environment["XDG_CONFIG_HOME"]
    assert profiles_path(environment) == Path("/home/ana/.config/skillnet/config.toml")


def test_completion_waits_no_longer_than_a_second_for_a_gateway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(completion, "_SECONDS", 0.2)
    monkeypatch.setenv("SKILLNET_API_KEY", "sk_x")
    with socket.create_server(("127.0.0.1", 0)) as mute:  # takes the connection and says nothing
        monkeypatch.setenv("SKILLNET_URL", f"http://127.0.0.1:{mute.getsockname()[1]}")
        begun = time.monotonic()
        assert completion.document_keys(create_autospec(typer.Context, params={}), "x") == []
        assert time.monotonic() - begun < 5, "the client itself would wait a minute"
