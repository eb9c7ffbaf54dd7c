"""A token-classification model of Hugging Face's `transformers`, as the emissions of a chain.

A word is cut into sub-tokens; the scores of its first one are its emissions, as in Devlin et al.
(2019), arXiv:1810.04805, §5.3. Such a model has no transitions. Where its labels are BIO labels, a
table that forbids what BIO forbids can stand in their place: Viterbi then mends what each word's
best label gets wrong (`with_bio_table`).

    tagger = hugging_face.load("my-model")  # config.json, tokenizer.json, model.safetensors
    tagger.chain([["Ada", "lives", "in", "Paris"]]).viterbi()

Needs `transformers`: `pip install '.[transformers]'`. Nothing is asked of any other machine, and
nothing in the folder is run: no pickle, no code of its own.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from .. import Constraints, LinearChain
from ..strict_json import JsonError, read_json
from .evaluation import are_bio
from .storage import MAX_TAG_LENGTH, MAX_TAGS, ModelFileError

MOST_CONFIG = 4 << 20  # bytes


class HuggingFaceTagger:
    """A model with its tokeniser.

    Args:
        model: For token classification.
        tokenizer: A fast one: it knows which word each sub-token is of.
        tags: Its labels, in the order of its scores.
        constraints: What is forbidden; None: nothing.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        tags: Sequence[str],
        constraints: Constraints | None = None,
    ) -> None:
        self.model, self.tokenizer, self.tags = model.eval(), tokenizer, tuple(tags)
        self.constraints = constraints

    def with_bio_table(self) -> "HuggingFaceTagger | None":
        """The same model, with all forbidden that BIO forbids; None if it has other labels."""
        if not are_bio(self.tags):
            return None
        table = Constraints.bio(self.tags)
        return HuggingFaceTagger(self.model, self.tokenizer, self.tags, table)

    @torch.no_grad()
    def chain(self, sentences: Sequence[Sequence[str]], backend: str = "auto") -> LinearChain:
        """p(labels | words) of a batch of sentences.

        Args:
            sentences: Lists of words, of any lengths.
            backend: As for `LinearChain`.

        Raises:
            ModelFileError: A sentence has more sub-tokens than the model can read.
        """
        S, L = len(self.tags), max(map(len, sentences), default=0)
        emissions = torch.zeros(len(sentences), L, S)
        mask = torch.zeros(len(sentences), L, dtype=torch.bool)
        for b, words in enumerate(sentences):
            if words:
                emissions[b, : len(words)] = self._emissions(list(words))
                mask[b, : len(words)] = True
        scores = (emissions, torch.zeros(S, S), torch.zeros(S), torch.zeros(S))
        if self.constraints is not None:
            scores = self.constraints.apply(*scores)
        return LinearChain(*scores, mask, backend=backend)

    def _emissions(self, words: list[str]) -> torch.Tensor:
        """[L, S] the scores of each word's first sub-token; 0 where a word has none."""
        pieces = self.tokenizer(words, is_split_into_words=True, return_tensors="pt")
        most = getattr(self.model.config, "max_position_embeddings", None)
        if most and pieces["input_ids"].shape[1] > most:
            raise ModelFileError(
                f"expected a sentence of at most {most} sub-tokens, got "
                f"{pieces['input_ids'].shape[1]}; shorten it"
            )
        scores = self.model(**pieces).logits[0].float()
        found = torch.zeros(len(words), len(self.tags))
        seen: set[int] = set()
        for place, word in enumerate(pieces.word_ids(0)):
            if word is not None and word not in seen:
                seen.add(word)
                found[word] = scores[place]
        return found

    def unknown(self, tokens: Sequence[str]) -> list[bool]:
        """Which words the tokeniser has no piece for."""
        vocabulary, unknown = self.tokenizer, self.tokenizer.unk_token_id
        return [
            unknown is not None and unknown in vocabulary(token, add_special_tokens=False).input_ids
            for token in tokens
        ]


def load(folder: str | Path) -> HuggingFaceTagger:
    """Read a folder as `save_pretrained` writes it; it may come from anyone.

    Raises:
        ModelFileError: `transformers` is missing, a file is missing or damaged, or it is no model
            for token classification.
    """
    folder = Path(folder)
    labels = _labels(folder)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no request, whatever a config asks for
    try:
        from transformers import (  # pyright: ignore[reportMissingImports]
            AutoConfig,
            AutoModelForTokenClassification,
            AutoTokenizer,
        )
    except ImportError as error:
        raise ModelFileError(
            "a Hugging Face model needs the package transformers, which is not installed here: "
            "`pip install transformers`"
        ) from error
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(folder, **here)
        with torch.device("meta"):  # sizes only: nothing is allocated that the file does not hold
            sizes = AutoModelForTokenClassification.from_config(config)
        needed = sum(p.numel() for p in sizes.parameters())
        held = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
        if needed > held:  # a byte a weight, at the very least
            raise ModelFileError(
                f"config.json describes {needed:,} weights, and the files hold {held:,} bytes; "
                "use the files of one model"
            )
        tokenizer = AutoTokenizer.from_pretrained(folder, add_prefix_space=True, **here)
        model = AutoModelForTokenClassification.from_pretrained(
            folder, config=config, use_safetensors=True, dtype=torch.float32, **here
        )
    except ModelFileError:
        raise
    except Exception as error:  # whatever a damaged file leads to, in a large library
        reason = " ".join(str(error).split())[:300]
        raise ModelFileError(f"the Hugging Face folder cannot be read: {reason}") from error
    if not tokenizer.is_fast:
        raise ModelFileError(
            "tokenizer.json is missing; save the tokeniser with `save_pretrained` of a fast one"
        )
    return HuggingFaceTagger(model, tokenizer, labels)


def _labels(folder: Path) -> list[str]:
    """The labels that config.json names, in order; refused what is no token classifier."""
    path = folder / "config.json"
    try:
        config = read_json(path.read_bytes(), MOST_CONFIG)
    except (OSError, JsonError) as error:
        raise ModelFileError(f"config.json: not JSON ({error})") from error
    if not isinstance(config, dict):
        raise ModelFileError("config.json: expected an object, as `save_pretrained` writes it")
    if "auto_map" in config:
        raise ModelFileError(
            "config.json asks for code of the model’s own (auto_map), which is not run here; use a "
            "model of an architecture that transformers has"
        )
    names = config.get("architectures") or []
    if not any(isinstance(n, str) and n.endswith("ForTokenClassification") for n in names):
        raise ModelFileError(
            "config.json: expected a model for token classification, got "
            f"{', '.join(map(str, names))[:100] or 'none'}; train it with a head of that kind"
        )
    said = config.get("id2label")
    if not isinstance(said, dict) or not 1 <= len(said) <= MAX_TAGS:
        got = f"{len(said):,}" if isinstance(said, dict) else "none"
        raise ModelFileError(f"config.json: expected 1 to {MAX_TAGS} labels (id2label), got {got}")
    labels = [said.get(str(k)) for k in range(len(said))]
    found = [one for one in labels if isinstance(one, str) and one.isprintable()]
    if len(set(found)) < len(said) or any(not 0 < len(one) <= MAX_TAG_LENGTH for one in found):
        raise ModelFileError(
            "config.json: expected labels that differ (id2label), numbered from 0, each of at most "
            f"{MAX_TAG_LENGTH} visible characters"
        )
    return found
