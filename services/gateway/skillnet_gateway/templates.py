"""Templates of the prompt: which placeholders there are, what makes one valid, and how it is filled. Pure.

What an organisation writes here is trusted; what is put in for `{context}` and `{question}` is not, and comes fenced
already. A template is filled in one pass, so that braces of a document stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter

from skillnet_common.errors import ErrorCode, RequestError

REQUIRED = ("context", "question")
"""Each exactly once."""
OPTIONAL = ("fence", "language")

DEFAULT_TEMPLATE = """\
Responde con frases breves.

{context}

Pregunta del empleado:
{question}"""


def require_template(template: str) -> None:
    """Raises RequestError `invalid_template` with everything that is wrong, in sentences, under `problems`."""
    problems = problems_of(template)
    if problems:
        raise RequestError(ErrorCode.INVALID_TEMPLATE, " ".join(problems), problems=problems)


def problems_of(template: str) -> list[str]:
    """What keeps the template from being used; nothing where it is good."""
    try:
        fields = [
            (name, spec, conversion) for _, name, spec, conversion in Formatter().parse(template) if name is not None
        ]
    except ValueError:
        return ["A brace is not closed or not opened; write {{ and }} for braces that are meant as such."]
    names = [name for name, _, _ in fields]
    known = ", ".join(f"{{{name}}}" for name in (*REQUIRED, *OPTIONAL))
    problems = [
        f"There is no placeholder {{{name}}}; there are {known}."
        for name in dict.fromkeys(names)
        if name not in (*REQUIRED, *OPTIONAL)
    ]
    problems += [f"{{{name}}} takes no format." for name, spec, conversion in fields if spec or conversion]
    problems += [
        f"{{{name}}} must stand in it exactly once, not {names.count(name)} times."
        for name in REQUIRED
        if names.count(name) != 1
    ]
    return problems


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders' values. It must be valid."""
    return "".join(
        literal + (values[name] if name is not None else "") for literal, name, _, _ in Formatter().parse(template)
    )
