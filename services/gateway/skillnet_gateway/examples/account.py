"""The organisation, its keys, and work that was given up."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from pydantic import BaseModel

from skillnet_common.contracts.documents import Me
from skillnet_common.contracts.keys import CreatedKey, Key, KeyList, Scope
from skillnet_common.contracts.organizations import (
    ChunkLimits,
    Consents,
    Organization,
    PromptHistory,
    PromptTemplate,
    PromptVersion,
)
from skillnet_common.contracts.quarantine import QuarantinedWork, QuarantinePage, ReplayReply
from skillnet_common.contracts.work import Stage
from skillnet_gateway.examples.documents import DOCUMENT_ID

_ORG_ID = UUID("0195f6a0-0000-7000-8000-000000000001")
_ADMIN_KEY = UUID("0195f6a0-0000-7000-8000-000000000002")
_CREATED = datetime(2027, 3, 1, 8, 30, tzinfo=UTC)
_CONSENTS = Consents(llm=True)
_TEMPLATE = "Trata de usted y termina con «¿Algo más?».\n\n{context}\n\nPregunta:\n{question}"

_KEY = Key(
    key_id=UUID("0195f6a0-0000-7000-8000-000000000003"),
    name="Intranet",
    hint="sk_4fK2…",
    scopes=[Scope.READ],
    audience=["tienda"],
    created_at=_CREATED,
    created_by=_ADMIN_KEY,
    expires_at=datetime(2027, 12, 31, tzinfo=UTC),
)
_WORK = QuarantinedWork(
    work_id=UUID("0195f6a0-0000-7000-8000-000000000004"),
    document_id=DOCUMENT_ID,
    version=3,
    title="Política de devoluciones",
    source="upload",
    external_key="tienda/devoluciones.pdf",
    stage=Stage.EMBED,
    attempts=5,
    last_error="provider_failed: the endpoint answered 503",
    created_at=_CREATED,
    quarantined_at=datetime(2027, 3, 1, 9, 0, tzinfo=UTC),
    outrun=False,
)

ACCOUNT: tuple[BaseModel, ...] = (
    Me(
        org_id=_ORG_ID,
        organization="Panadería La Espiga",
        key_id=_KEY.key_id,
        scopes=[Scope.READ],
        audience=["tienda"],
        llm_consent=True,
        consents=_CONSENTS,
    ),
    Organization(
        org_id=_ORG_ID,
        name="Panadería La Espiga",
        consents=_CONSENTS,
        chunks=ChunkLimits(max_tokens=256, min_tokens=50, overlap_sentences=2, model_window=512, own=["max_tokens"]),
    ),
    PromptTemplate(template=_TEMPLATE, version=2, is_default=False, created_at=_CREATED, created_by=_ADMIN_KEY),
    PromptHistory(
        versions=[
            PromptVersion(version=2, template=_TEMPLATE, created_at=_CREATED, created_by=_ADMIN_KEY),
            PromptVersion(version=1, template=None, created_at=_CREATED, created_by=_ADMIN_KEY),
        ]
    ),
    _KEY,
    KeyList(keys=[_KEY]),
    CreatedKey(**dict(_KEY), api_key="sk_4fK2…"),
    _WORK,
    QuarantinePage(work=[_WORK]),
    ReplayReply(document_id=DOCUMENT_ID, version=3, stage=Stage.EMBED),
)
