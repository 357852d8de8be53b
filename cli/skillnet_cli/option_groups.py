"""Options that several commands share: a dataclass, of which each field is an option."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")


def takes_groups(command: Callable[..., R]) -> Callable[..., R]:
    """Offers the fields of every parameter that is a dataclass as options of the command, in its place.

    The fields are annotated as the parameters of a command are, and have defaults. Typer itself knows no groups.
    """
    groups: dict[str, type[Any]] = {}
    offered: list[Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for parameter in signature(command).parameters.values():
        kind = hints[parameter.name]
        if isinstance(kind, type) and is_dataclass(kind):
            groups[parameter.name] = kind
            offered += _fields_as_parameters(kind)
        else:
            offered.append(parameter.replace(annotation=kind, kind=Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**given: Any) -> R:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        return command(**given)

    run.__signature__ = Signature(offered)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in offered}
    return run


def _fields_as_parameters(kind: type[Any]) -> list[Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    return [
        Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(kind)
    ]
