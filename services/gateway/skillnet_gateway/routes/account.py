"""Whose key it is, and what its organisation allows."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body

from skillnet_common.contracts.documents import Me
from skillnet_common.contracts.organizations import (
    Organization,
    OrganizationChange,
    PromptChange,
    PromptHistory,
    PromptTemplate,
)
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Admin, AnyCaller, ChangingAdmin
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["account"], route_class=BoundedRoute)


@router.get(
    "/me",
    responses=problem_responses(ErrorCode.UNAUTHORIZED, ErrorCode.UNAVAILABLE),
    summary="The organisation of the key, and what the key may do",
)
async def me(caller: AnyCaller, gateway: TheGateway) -> Me:
    """Needs a key, but no scope."""
    principal = caller.principal
    organization = await gateway.organizations.get(principal.org_id)
    return Me(
        org_id=principal.org_id,
        organization=organization.name,
        key_id=principal.key_id,
        scopes=sorted(principal.scopes),
        audience=list(principal.audience) if principal.audience is not None else None,
        llm_consent=organization.consents.llm,
        consents=organization.consents,
    )


_PROBLEMS = (ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.UNAVAILABLE)
_BODY_PROBLEMS = (*_PROBLEMS, ErrorCode.MALFORMED_JSON, ErrorCode.PAYLOAD_TOO_LARGE, ErrorCode.INVALID_REQUEST)
_CHANGES: Any = {
    "consent to an LLM": {"value": {"consents": {"llm": True}}},
    "consent withdrawn": {"value": {"consents": {"llm": False, "embedding": False, "rerank": False}}},
    "name": {"value": {"name": "Panadería La Espiga"}},
    "smaller chunks": {"value": {"chunks": {"max_tokens": 256, "overlap_sentences": None}}},
}
_TEMPLATES: Any = {
    "template": {
        "value": {
            "template": "Trata de usted y termina con «¿Algo más?».\n\n{context}\n\nPregunta:\n{question}",
        }
    }
}


@router.get(
    "/organization",
    responses=problem_responses(*_PROBLEMS),
    summary="The organisation, its consents and sizes of chunks",
)
async def get_organization(caller: Admin, gateway: TheGateway) -> Organization:
    """Needs the scope `admin`."""
    return await gateway.organizations.get(caller.principal.org_id)


@router.patch(
    "/organization",
    responses=problem_responses(*_BODY_PROBLEMS),
    summary="Rename the organisation, give or withdraw its consents, or set the sizes of its chunks",
)
async def change_organization(
    change: Annotated[OrganizationChange, Body(openapi_examples=_CHANGES)], caller: ChangingAdmin, gateway: TheGateway
) -> Organization:
    """Needs the scope `admin`. What is left out stays as it is; a consent holds from the next question, and from the
    next batch of a document, on. Sizes of chunks hold for what is uploaded from then on;
    `POST /v1/documents/reprocess` cuts what is there anew."""
    return await gateway.organizations.change(caller.principal, change)


@router.get("/organization/prompt", responses=problem_responses(*_PROBLEMS), summary="The template of prompts")
async def get_prompt(caller: Admin, gateway: TheGateway) -> PromptTemplate:
    """Needs the scope `admin`."""
    return await gateway.organizations.template(caller.principal.org_id)


@router.put(
    "/organization/prompt",
    responses=problem_responses(*_BODY_PROBLEMS, ErrorCode.INVALID_TEMPLATE),
    summary="Set the template of prompts",
)
async def set_prompt(
    change: Annotated[PromptChange, Body(openapi_examples=_TEMPLATES)], caller: ChangingAdmin, gateway: TheGateway
) -> PromptTemplate:
    """Needs the scope `admin`. `{context}` and `{question}` must each stand in it once; `{language}` and `{fence}`
    may. The rules on citations, and the fences around what documents and askers say, hold under any template."""
    return await gateway.organizations.set_template(caller.principal, change.template)


@router.delete(
    "/organization/prompt", responses=problem_responses(*_PROBLEMS), summary="Go back to the system's own template"
)
async def reset_prompt(caller: ChangingAdmin, gateway: TheGateway) -> PromptTemplate:
    """Needs the scope `admin`. Returns what holds now; the history is kept."""
    return await gateway.organizations.set_template(caller.principal, None)


@router.get(
    "/organization/prompt/versions", responses=problem_responses(*_PROBLEMS), summary="The changes of the template"
)
async def prompt_history(caller: Admin, gateway: TheGateway) -> PromptHistory:
    """Needs the scope `admin`. Last first, with the key that made each."""
    return await gateway.organizations.templates(caller.principal.org_id)
