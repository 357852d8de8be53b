"""A worker of one stage: claim, do, settle; every fault ends in a state that somebody owns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg
from pydantic import ValidationError

from skillnet_common.contracts import subjects
from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.errors import DOCUMENT_CODES, ErrorCode, PermanentFault, SkillnetError
from skillnet_common.messaging.quarantine import Unreadable
from skillnet_common.messaging.worker import PullWorker
from skillnet_common.models import RegisteredModel
from skillnet_common.runtime.metrics import WORK, WORK_SECONDS
from skillnet_common.runtime.service import Service
from skillnet_common.settings import WorkSettings
from skillnet_common.versions import DocumentGone, fail_version
from skillnet_common.versions.locks import STATE_BEFORE, version_state
from skillnet_common.work.claims import Claim, LostClaim, WorkTable, settle

log = structlog.get_logger(__name__)

DoWork = Callable[[Claim], Awaitable[None]]
"""Does the work and settles the claim in the transaction that writes its result.

Raises PermanentFault to fail the version (or, where the deployment is at fault, to wait until it is mended),
PassingFault to try later, DocumentGone or LostClaim to drop it.
"""


class StageWorker:
    """Takes the work of one stage from the bus and does it under a claim."""

    def __init__(
        self,
        service: Service,
        settings: WorkSettings,
        stage: Stage,
        do: DoWork,
        *,
        model: RegisteredModel | None = None,
    ) -> None:
        self._database = service.database
        self._stage = stage
        self._model_id = None if model is None else model.model_id
        self._misconfigured_seconds = settings.work_misconfigured_seconds
        self._do = do
        self._table = WorkTable(
            service.database,
            instance=service.instance_id,
            lease_seconds=settings.work_lease_seconds,
            max_attempts=settings.work_max_attempts,
            retry_seconds=settings.work_retry_seconds,
        )
        durable = subjects.work_durable(stage, None if model is None else model.slug)
        self._puller = PullWorker(
            service.bus.jetstream,
            stream=subjects.WORK_STREAM,
            durable=durable,
            handler=self._handle,
            slots=settings.work_slots,
        )
        service.capacity = settings.work_slots

        async def bound() -> None:
            await service.bus.jetstream.consumer_info(subjects.WORK_STREAM, durable)

        service.ready_checks.append(bound)

    async def run(self) -> None:
        """Works until `stop`."""
        await self._puller.run()

    def stop(self) -> None:
        """Takes no more work."""
        self._puller.stop()

    async def _handle(self, message: Msg) -> None:
        try:
            work = WorkMessage.model_validate_json(message.data)
        except ValidationError as error:
            # The row it may have meant is found again by the reconciler.
            raise Unreadable(str(error)) from error
        if work.stage is not self._stage:
            raise Unreadable(f"work of the stage {work.stage} on the way to {self._stage}")
        claim = await self._table.claim(work, model_id=self._model_id)
        if claim is None:
            return
        with WORK_SECONDS.labels(self._stage).time():
            outcome = await self._settle_whatever_happens(claim)
        WORK.labels(self._stage, outcome).inc()

    async def _settle_whatever_happens(self, claim: Claim) -> str:
        bound = log.bind(
            stage=self._stage,
            org_id=str(claim.org_id),
            document_id=str(claim.document_id),
            version=claim.version,
            attempt=claim.attempt,
        )
        try:
            await self._under_lease(claim)
        except asyncio.CancelledError:
            await self._table.give_back(claim)
            raise
        except LostClaim:
            bound.info("claim_lost")
            return "dropped"
        except DocumentGone:
            bound.info("document_gone")
            return await self._drop(claim)
        except PermanentFault as fault:
            bound.warning("work_failed", code=fault.code, reason=fault.message)
            return await self._fail_or_wait(claim, fault)
        except (SkillnetError, *CONNECTION_ERRORS, TimeoutError) as fault:
            reason = str(fault) or type(fault).__name__
            bound.warning("work_postponed", reason=reason)
            return await self._postpone(claim, reason)
        except Exception as fault:
            bound.exception("work_crashed")
            return await self._postpone(claim, f"{type(fault).__name__}: {fault}")
        return "done"

    async def _under_lease(self, claim: Claim) -> None:
        """Does the work while the lease is renewed; a lost lease cancels it."""
        work = asyncio.ensure_future(self._do(claim))
        lease = asyncio.ensure_future(self._keep_lease(claim))
        try:
            await asyncio.wait({work, lease}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
                await lease
            await work
        finally:
            lease.cancel()
            if not work.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
            await asyncio.gather(lease, return_exceptions=True)

    async def _keep_lease(self, claim: Claim) -> None:
        while True:
            await asyncio.sleep(self._table.lease_seconds / 3)
            try:
                await self._table.renew(claim)
            except CONNECTION_ERRORS as error:
                log.warning("lease_not_renewed", error=repr(error))

    async def _fail_or_wait(self, claim: Claim, fault: PermanentFault) -> str:
        """Fails the version for a fault of the document, or for want of consent; for one of the deployment the work
        waits."""
        if fault.code is ErrorCode.CONSENT_REQUIRED:
            # Put aside rather than ended: once the organisation consents, it is replayed as it stands.
            await self._fail(claim, fault.code, fault.message, state="quarantined", cause=fault.message)
            return "quarantined"
        if fault.code in DOCUMENT_CODES:
            await self._fail(claim, fault.code, fault.message, state="failed", cause=fault.message)
            return "failed"
        await self._table.wait_for_mending(claim, fault.message, seconds=self._misconfigured_seconds)
        return "misconfigured"

    async def _drop(self, claim: Claim) -> str:
        """Ends work whose version has gone on without it; what still waits for this stage is tried again."""
        try:
            async with self._database.tenant(claim.org_id) as connection:
                state = await version_state(connection, claim.org_id, claim.document_id, claim.version)
                if state != STATE_BEFORE[self._stage]:
                    await settle(connection, claim, "cancelled")
                    return "dropped"
        except LostClaim:
            return "dropped"
        return await self._postpone(claim, "what the work needs was not found")

    async def _postpone(self, claim: Claim, reason: str) -> str:
        if self._table.exhausted(claim):
            # The cause may hold what users should not see: it stays in the row and in the log.
            message = f"It could not be done in {claim.attempt} attempts. The service's log says why."
            await self._fail(claim, ErrorCode.ATTEMPTS_EXHAUSTED, message, state="quarantined", cause=reason)
            return "quarantined"
        await self._table.retry_later(claim, reason)
        return "postponed"

    async def _fail(self, claim: Claim, code: ErrorCode, message: str, *, state: str, cause: str) -> None:
        try:
            async with self._database.tenant(claim.org_id) as connection:
                await version_state(connection, claim.org_id, claim.document_id, claim.version)
                await settle(connection, claim, state, cause)
                await fail_version(
                    connection,
                    claim.org_id,
                    claim.document_id,
                    claim.version,
                    stage=self._stage,
                    code=code,
                    message=message,
                )
        except LostClaim:
            log.info("claim_lost")
