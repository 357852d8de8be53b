"""The vectors of tokens come from the pass that gives the text's vector, which they leave as it is."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from tests.integration.inference.test_local_folder import TABLE, own_folder

from skillnet_common.errors import PermanentFault
from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import open_encoder, prepare_model
from skillnet_inference.manifest import TOKEN_OUTPUT, read_manifest
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.token_centre import CENTRE_TEXTS
from skillnet_inference.tokenizer import Tokenizer

QUESTION = "¿Cuántos días hay para devolver un artículo?"


async def test_the_vectors_are_to_the_bit_those_without_tokens(int8_encoder: Encoder, texts: list[str]) -> None:
    assert int8_encoder.gives_tokens
    encoded = await int8_encoder.aencode_passages_with_tokens(texts[:20])
    assert encoded.vectors.tobytes() == int8_encoder.encode_passages(texts[:20]).tobytes()
    query = await int8_encoder.aencode_query_with_tokens(QUESTION)
    assert query.vector.tobytes() == int8_encoder.encode_query(QUESTION).tobytes()


async def test_every_token_of_the_text_has_48_bytes_and_the_prefix_and_special_ones_none(
    int8_encoder: Encoder, tokenizer: Tokenizer, texts: list[str]
) -> None:
    encoded = await int8_encoder.aencode_passages_with_tokens(texts[:20])
    assert encoded.token_bits is not None
    own = [tokenizer.count(f"passage: {text}") - tokenizer.count("passage:") for text in texts[:20]]
    counts = [len(bits) // 48 for bits in encoded.token_bits]
    # the space before a text may be a token of its own, which is the prefix's
    assert {count - found for count, found in zip(own, counts, strict=True)} <= {0, 1}
    assert counts.count(0) == 0
    assert {len(bits) % 48 for bits in encoded.token_bits} == {0}


async def test_a_questions_tokens_are_unit_vectors_in_floats(int8_encoder: Encoder, tokenizer: Tokenizer) -> None:
    tokens = (await int8_encoder.aencode_query_with_tokens(QUESTION)).tokens
    assert tokens.dtype == np.float32
    assert tokens.shape == (tokenizer.count(QUESTION) - 2, 384)
    assert np.allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-5)


async def test_signs_are_balanced_about_the_centre(int8_encoder: Encoder) -> None:
    """Without a centre 182 of 384 values have one sign in nine tokens of ten."""
    encoded = await int8_encoder.aencode_passages_with_tokens(CENTRE_TEXTS)
    assert encoded.token_bits is not None
    bits = np.unpackbits(np.frombuffer(b"".join(encoded.token_bits), np.uint8).reshape(-1, 48), axis=1)
    share = bits.mean(axis=0)
    assert (np.abs(share - 0.5) > 0.4).sum() == 0
    assert abs(float(share.mean()) - 0.5) < 0.02


async def test_a_text_of_white_space_has_the_tokens_there_are(int8_encoder: Encoder) -> None:
    (bits,) = (await int8_encoder.aencode_passages_with_tokens([" "])).token_bits or []
    assert len(bits) > 0


def test_the_mean_of_the_tokens_is_the_vector(model_cache: Path, int8_encoder: Encoder, tokenizer: Tokenizer) -> None:
    folder = prepare_model(EmbeddingSettings())
    assert read_manifest(folder).token_output == TOKEN_OUTPUT
    session = ort.InferenceSession(folder / "model.onnx")
    ids = np.array([tokenizer.encode(f"query: {QUESTION}")], np.int64)
    (tokens,) = session.run([TOKEN_OUTPUT], {"input_ids": ids})
    mean = tokens[0].mean(axis=0)
    assert mean / np.linalg.norm(mean) @ int8_encoder.encode_query(QUESTION) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
async def test_a_model_of_ones_own_gives_the_tokens_it_is_pooled_from(tmp_path: Path, pooling: str) -> None:
    settings = EmbeddingSettings(model_path=own_folder(tmp_path, pooling, ("input_ids",)), passage_prefix="agua ")
    with closing(open_encoder(settings)) as encoder:
        vectors, bits = await encoder.aencode_passages_with_tokens(["pan harina"])
        query = await encoder.aencode_query_with_tokens("pan")
        assert np.array_equal(vectors, encoder.encode_passages(["pan harina"]))
    assert bits is not None
    centre = TABLE[2] / np.linalg.norm(TABLE[2])  # nearly all words of the centre's texts are unknown to it
    signs = np.unpackbits(np.frombuffer(bits[0], np.uint8).reshape(2, 1), axis=1)[:, :3]
    units = TABLE[3:5] / np.linalg.norm(TABLE[3:5], axis=1, keepdims=True)
    assert signs.tolist() == (units > centre).astype(int).tolist()
    assert query.tokens.shape == (1, 3)


def with_manifest(folder: Path, **fields: object) -> Path:
    manifest = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**manifest, **fields}))
    return folder


def test_a_token_output_that_the_graph_does_not_give_is_refused(tmp_path: Path) -> None:
    folder = with_manifest(own_folder(tmp_path, "mean", ("input_ids",)), token_output="token_embeddings")
    with pytest.raises(PermanentFault, match="no token_embeddings, the token_output"):
        open_encoder(EmbeddingSettings(model_path=folder))


async def test_a_graph_that_pools_and_names_no_tokens_gives_none(tmp_path: Path) -> None:
    folder = with_manifest(own_folder(tmp_path, "none", ("input_ids",)))
    with closing(open_encoder(EmbeddingSettings(model_path=folder))) as encoder:
        assert not encoder.gives_tokens
        with pytest.raises(PermanentFault, match="no vectors of tokens"):
            await encoder.aencode_query_with_tokens("pan")
