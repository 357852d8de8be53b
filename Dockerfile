# syntax=docker/dockerfile:1
# A target a service, each with its own extra alone: docker build --target embedder -t skillnet/embedder .
ARG PYTHON_VERSION=3.11

FROM python:${PYTHON_VERSION}-slim AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY libs libs
COPY services services
COPY cli cli
COPY evaluation evaluation
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:${PYTHON_VERSION}-slim AS environment
WORKDIR /build
COPY constraints.txt ./
COPY --from=wheel /wheels /wheels
RUN python -m venv /opt/skillnet
ENV PATH=/opt/skillnet/bin:$PATH

FROM environment AS gateway-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[gateway]"

FROM environment AS dispatcher-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[dispatcher]"

# Character recognition is in the parser's libraries; the data of its languages is a few files of Debian's.
FROM environment AS parser-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[parser]"
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tesseract-ocr-spa tesseract-ocr-eng \
    && rm -rf /var/lib/apt/lists/*

FROM environment AS notifier-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[notifier]"

FROM environment AS bootstrap-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[bootstrap]"

# The carried model is rebuilt here rather than at each start; its tokenizer alone serves where an API embeds.
FROM environment AS model-environment
ARG EMBEDDING_PRECISION=int8
ENV EMBEDDING_PRECISION=${EMBEDDING_PRECISION} SKILLNET_MODEL_CACHE=/opt/models

FROM model-environment AS chunker-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[chunker]"
RUN ["python", "-c", "from skillnet_inference.factory import open_tokenizer; from skillnet_inference.settings import EmbeddingSettings; open_tokenizer(EmbeddingSettings())"]

FROM model-environment AS embedder-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[embedder]"
RUN ["python", "-c", "from skillnet_inference.factory import open_tokenizer, prepare_model; from skillnet_inference.settings import EmbeddingSettings; prepare_model(EmbeddingSettings()); open_tokenizer(EmbeddingSettings())"]

FROM model-environment AS retriever-environment
RUN pip install --no-cache-dir --constraint constraints.txt "$(echo /wheels/*.whl)[retriever]"
RUN ["python", "-c", "from skillnet_inference.factory import open_tokenizer, prepare_model; from skillnet_inference.settings import EmbeddingSettings; prepare_model(EmbeddingSettings()); open_tokenizer(EmbeddingSettings())"]

FROM python:${PYTHON_VERSION}-slim AS runtime
LABEL org.opencontainers.image.title="SkillNet retrieval" \
      org.opencontainers.image.description="Document ingestion, retrieval and cited answers" \
      org.opencontainers.image.licenses="AGPL-3.0-only"
# A volume for originals takes over the owner of the folder that it is mounted on.
RUN groupadd --gid 10001 skillnet \
    && useradd --uid 10001 --gid skillnet --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin skillnet \
    && install --directory --owner skillnet --group skillnet /var/lib/skillnet/objects
ENV PATH=/opt/skillnet/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OPS_HOST=0.0.0.0 \
    OPS_PORT=9000
USER 10001:10001
EXPOSE 9000
HEALTHCHECK --interval=10s --timeout=7s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as http; http.urlopen(f'http://127.0.0.1:{os.environ[\"OPS_PORT\"]}/readyz', timeout=6)"]

FROM runtime AS gateway
COPY --from=gateway-environment /opt/skillnet /opt/skillnet
ENV HTTP_HOST=0.0.0.0 HTTP_PORT=8000
EXPOSE 8000
ENTRYPOINT ["python", "-m", "skillnet_gateway"]

FROM runtime AS dispatcher
COPY --from=dispatcher-environment /opt/skillnet /opt/skillnet
ENTRYPOINT ["python", "-m", "skillnet_dispatcher"]

FROM runtime AS parser
COPY --from=parser-environment /opt/skillnet /opt/skillnet
COPY --from=parser-environment /usr/share/tesseract-ocr/5/tessdata /usr/share/tesseract-ocr/5/tessdata
ENV TESSDATA_PREFIX=/usr/share/tesseract-ocr/5/tessdata
ENTRYPOINT ["python", "-m", "skillnet_parser"]

FROM runtime AS notifier
COPY --from=notifier-environment /opt/skillnet /opt/skillnet
ENTRYPOINT ["python", "-m", "skillnet_notifier"]

FROM runtime AS bootstrap
COPY --from=bootstrap-environment /opt/skillnet /opt/skillnet
HEALTHCHECK NONE
ENTRYPOINT ["python", "-m", "skillnet_bootstrap"]

FROM runtime AS model-runtime
ENV SKILLNET_MODEL_CACHE=/opt/models

FROM model-runtime AS chunker
COPY --from=chunker-environment /opt/skillnet /opt/skillnet
COPY --from=chunker-environment --chown=10001:10001 /opt/models /opt/models
ENTRYPOINT ["python", "-m", "skillnet_chunker"]

FROM model-runtime AS embedder
COPY --from=embedder-environment /opt/skillnet /opt/skillnet
COPY --from=embedder-environment --chown=10001:10001 /opt/models /opt/models
ENTRYPOINT ["python", "-m", "skillnet_embedder"]

FROM model-runtime AS retriever
COPY --from=retriever-environment /opt/skillnet /opt/skillnet
COPY --from=retriever-environment --chown=10001:10001 /opt/models /opt/models
ENTRYPOINT ["python", "-m", "skillnet_retriever"]
