"""A token-classification model of Hugging Face's `transformers`, as the emissions of a chain.

A word is cut into sub-tokens; the scores of its first one are its emissions, as in Devlin et al.
(2019), arXiv:1810.04805, §5.3. The chain goes over the words. Where the weights hold a CRF (tensors
called transitions, start_transitions, end_transitions, as `crf.ChainCRF` and pytorch-crf name
them), its tables are the chain's; all other models have no transitions. Where the labels follow a
scheme, a table that forbids what the scheme forbids can be added: Viterbi then repairs what each
word's best label gets wrong (`with_scheme`).

    tagger = hugging_face.load("my-model")  # config.json, tokenizer.json, model.safetensors
    tagger.chain([["Ada", "lives", "in", "Paris"]]).viterbi()

Needs `transformers`: `pip install '.[transformers]'`. Nothing is asked of any other machine, and
nothing in the folder is run: no pickle, no code of its own.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from .. import Constraints, LinearChain
from ..schemes import scheme_of_tags
from ..strict_json import JsonError, read_json
from .model import AnyTagger, Sentences
from .storage import ModelFileError, check_tags

MOST_CONFIG = 4 << 20  # bytes
NAMES = ("transitions", "start_transitions", "end_transitions")
LARGEST = 1e9  # nats; some models write "forbidden" as a score as low as this
_UNUSED = re.compile(r"(^|\.)(pooler|cls|lm_head|qa_outputs|seq_relationship)\.|position_ids$")
"""Weights of pre-training and pooling, which no score of a token depends on."""


class HuggingFaceTagger(AnyTagger):
    """A model with its tokeniser.

    Args:
        model: For token classification.
        tokenizer: A fast one: it knows which word each sub-token is of.
        tags: The S labels, in the order of the model's scores.
        tables: Its CRF's transitions [S, S], start [S] and end [S]; None: it has none, all are 0.
        constraints: What is forbidden; None: nothing.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        tags: Sequence[str],
        tables: Sequence[Tensor] | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        S = len(tags)
        self.model, self.tokenizer, self.tags = model.eval(), tokenizer, tuple(tags)
        self.has_crf = tables is not None
        tables = tables or (torch.zeros(S, S), torch.zeros(S), torch.zeros(S))
        self.tables = tuple(table.float() for table in tables)
        self.constraints = constraints
        self.longest = _longest(model)

    @property
    def scheme(self) -> str | None:
        """The scheme of the labels, such as "BIO"; None: the scheme forbids nothing, or is none."""
        scheme = scheme_of_tags(self.tags)
        if scheme is None or (constraints := Constraints.of(self.tags)).transitions.all():
            return None
        iob1 = scheme == "BIO" and not torch.equal(
            constraints.transitions, Constraints.bio(self.tags).transitions
        )
        return "IOB1" if iob1 else scheme

    def with_scheme(self) -> "HuggingFaceTagger":
        """The same model, with all forbidden that the scheme of its labels forbids."""
        table = Constraints.of(self.tags)
        return HuggingFaceTagger(self.model, self.tokenizer, self.tags, self.tables, table)

    def to(self, device: torch.device | str) -> "HuggingFaceTagger":
        """Move the network; the chains stay on the CPU."""
        self.model.to(device)
        return self

    def state_dict(self) -> dict[str, Tensor]:
        """Every number that the answers depend on."""
        return self.model.state_dict() | dict(zip(NAMES, self.tables, strict=True))

    @torch.no_grad()
    def chain(
        self, sentences: Sentences, backend: str = "auto", *, constraints: Constraints | None = None
    ) -> LinearChain:
        """p(labels | words) of a batch of sentences.

        Raises:
            ModelFileError: A sentence has more sub-tokens than the model can read.
        """
        all_emissions = [torch.zeros(0, len(self.tags)) for _ in sentences]
        rows = [b for b, words in enumerate(sentences) if words]
        at_once = max(len(rows), 1) if self.tokenizer.pad_token is not None else 1
        for first in range(0, len(rows), at_once):
            batch = rows[first : first + at_once]
            emissions = self.emissions([list(sentences[b]) for b in batch])
            for b, scores in zip(batch, emissions, strict=True):
                all_emissions[b] = scores
        return padded_chain(all_emissions, self.tables, constraints or self.constraints, backend)

    def emissions(self, sentences: list[list[str]]) -> list[Tensor]:
        """Return [L, S] for each sentence: the scores of each word's first sub-token, on the CPU.

        They are 0 for a word without a sub-token. Gradients flow.

        Raises:
            ModelFileError: As for `chain`.
        """
        pieces = self.tokenizer(
            sentences, is_split_into_words=True, return_tensors="pt", padding=len(sentences) > 1
        )
        size = pieces["input_ids"].shape[1]
        if self.longest and size > self.longest:
            raise ModelFileError(
                f"expected a sentence of at most {self.longest} sub-tokens, got {size}; shorten it"
            )
        scores = self.model(**pieces.to(self.model.device)).logits.float().cpu()
        tables = []
        for row, words in enumerate(sentences):
            firsts: dict[int, int] = {}
            for place, word in enumerate(pieces.word_ids(row)):
                if word is not None:
                    firsts.setdefault(word, place)
            emissions = torch.zeros(len(words), len(self.tags))
            emissions[list(firsts)] = scores[row, list(firsts.values())]
            tables.append(emissions)
        return tables

    def unknown(self, tokens: Sequence[str]) -> list[bool]:
        """Which words the tokeniser has no piece for."""
        unknown = self.tokenizer.unk_token_id
        pieces = [self.tokenizer(token, add_special_tokens=False).input_ids for token in tokens]
        return [unknown is not None and unknown in ids for ids in pieces]


def _longest(model: nn.Module) -> int | None:
    """The most sub-tokens that the model has positions for; None: no limit.

    RoBERTa and its kin count positions from the padding's index + 1, BART and OPT from an offset.
    """
    limits = []
    for name, part in model.named_modules():
        if isinstance(part, nn.Embedding) and re.search(r"(position_embeddings|positions)$", name):
            reserved = 0 if part.padding_idx is None else part.padding_idx + 1
            limits.append(part.num_embeddings - max(reserved, getattr(part, "offset", 0)))
    return min(limits, default=None)


def _library() -> Any:
    """The package transformers, which asks no other machine for anything.

    Raises:
        ModelFileError: It is not installed.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no request, whatever a config asks for
    try:
        import transformers  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ModelFileError(
            "a Hugging Face model needs the package transformers, which is not installed here",
            "`pip install transformers`",
        ) from error
    return transformers


def pretrained(folder: Path, tags: Sequence[str]) -> tuple[Any, Any]:
    """Return the network of a folder with a new layer for some tags, and its tokeniser.

    Raises:
        ModelFileError: `transformers` is missing, or the folder cannot be read.
    """
    library = _library()
    if not (folder / "config.json").is_file():
        raise ModelFileError(
            f"{folder}: expected a folder with config.json, tokenizer.json and model.safetensors, "
            "as `save_pretrained` writes it; download the network first"
        )
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    names = dict(enumerate(tags))
    labels = {"id2label": names, "label2id": {tag: n for n, tag in names.items()}}
    how = here | labels | {"use_safetensors": True, "dtype": torch.float32}
    library.logging.set_verbosity_error()  # the new layer is missing in the file, as it must be
    try:
        tokenizer = library.AutoTokenizer.from_pretrained(folder, add_prefix_space=True, **here)
        model = library.AutoModelForTokenClassification.from_pretrained(
            folder, ignore_mismatched_sizes=True, **how
        )
    except Exception as error:  # whatever a damaged file leads to, in a large library
        reason = " ".join(str(error).split())[:300]
        raise ModelFileError(f"{folder}: the network cannot be read: {reason}") from error
    if not tokenizer.is_fast:
        raise ModelFileError(f"{folder}: tokenizer.json is missing; save a fast tokeniser")
    return model, tokenizer


def load(folder: str | Path) -> HuggingFaceTagger:
    """Read a folder as `save_pretrained` writes it; it may come from anyone.

    Raises:
        ModelFileError: `transformers` is missing, a file is missing or damaged, weights are missing
            or would not be used, or it is no model for token classification.
    """
    folder = Path(folder)
    crf = _crf_weights(folder)
    labels = _labels(folder, has_crf=bool(crf))
    tables = crf_tables(crf, len(labels), "config.json") if crf else None
    library = _library()
    logging = library.utils.logging
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    level = logging.get_verbosity()
    logging.set_verbosity_error()  # its report calls weights that it has no place for ignorable
    logging.disable_progress_bar()
    try:
        config = library.AutoConfig.from_pretrained(folder, **here)
        with torch.device("meta"):  # sizes only: nothing is allocated that the file does not hold
            sizes = library.AutoModelForTokenClassification.from_config(config)
        needed = sum(p.numel() for p in sizes.parameters())
        held = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
        if needed > held:  # a byte a weight, at the very least
            raise ModelFileError(
                f"config.json describes {needed:,} weights, and the files hold {held:,} bytes; "
                "use the files of one model"
            )
        tokenizer = library.AutoTokenizer.from_pretrained(folder, add_prefix_space=True, **here)
        how = here | {"use_safetensors": True, "dtype": torch.float32, "output_loading_info": True}
        model, info = library.AutoModelForTokenClassification.from_pretrained(
            folder, config=config, **how
        )
    except ModelFileError:
        raise
    except Exception as error:  # whatever a damaged file leads to, in a large library
        reason = " ".join(str(error).split())[:300]
        raise ModelFileError(f"the Hugging Face folder cannot be read: {reason}") from error
    finally:
        logging.set_verbosity(level)
    _check_weights(info["missing_keys"], set(info["unexpected_keys"]) - crf.keys())
    if not tokenizer.is_fast:
        raise ModelFileError(
            "tokenizer.json is missing; save the tokeniser with `save_pretrained` of a fast one"
        )
    return HuggingFaceTagger(model, tokenizer, labels, tables)


def _check_weights(missing: Iterable[str], others: Iterable[str]) -> None:
    """Refuse weights that would be drawn at random, and weights that would be left out."""
    others = [name for name in others if not _UNUSED.search(name)]
    if missing := list(missing):
        got = f"; it has {_some(others)} instead" if others else ""
        raise ModelFileError(
            f"model.safetensors lacks {_some(missing)}, so the model would tag at random{got}. "
            "Save a model trained for token classification with its own “save_pretrained”, so that "
            "the names are those that transformers gives"
        )
    if others:
        raise ModelFileError(
            f"model.safetensors holds {_some(others)}, which the architecture in config.json does "
            "not have; without them, the tags would differ from those of the model. Expected a "
            "model for token classification as transformers saves it, with a CRF on top "
            f"({', '.join(NAMES)}) or without"
        )


def _some(names: Iterable[str]) -> str:
    """The first few names, and how many there are."""
    names = sorted(name[:80] for name in names)
    more = f" and {len(names) - 4:,} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more


def _crf_weights(folder: Path) -> dict[str, Tensor]:
    """The tensors in the folder that have the names of a CRF's tables."""
    weights: dict[str, Tensor] = {}
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, framework="pt") as file:
                names = [name for name in file.keys() if name.rpartition(".")[2] in NAMES]
                weights |= {name: file.get_tensor(name) for name in names}
        except (SafetensorError, OSError, ValueError) as error:
            raise ModelFileError(
                f"the Hugging Face folder cannot be read: {path.name}: {error}"
            ) from error
    return weights


def _labels(folder: Path, *, has_crf: bool) -> list[str]:
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
    architectures = str(config.get("architectures", "none"))
    if "ForTokenClassification" not in architectures and not has_crf:
        raise ModelFileError(
            "config.json: expected a model for token classification, got "
            f"{architectures[:100]}; train it with a head of that kind"
        )
    names = config.get("id2label")
    labels = [names.get(str(k)) for k in range(len(names))] if isinstance(names, dict) else names
    return check_tags(labels, "config.json, id2label")


def padded_chain(
    rows: Sequence[Tensor],
    tables: Sequence[Tensor],
    constraints: Constraints | None,
    backend: str = "auto",
) -> LinearChain:
    """Return the chain of a ragged batch.

    Each row has the emissions [L, S] of a sentence; the tables are transitions [S, S], start [S]
    and end [S].
    """
    lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
    longest = int(lengths.max()) if len(rows) else 0
    emissions = tables[0].new_zeros(len(rows), longest, len(tables[0]))
    for b, row in enumerate(rows):
        emissions[b, : len(row)] = row
    transitions, start, end = tables
    scores = (emissions, transitions, start, end)
    if constraints is not None:
        scores = constraints.apply(*scores)
    return LinearChain(*scores, torch.arange(longest) < lengths[:, None], backend=backend)


def crf_tables(tensors: Mapping[str, Tensor], S: int, name: str) -> list[Tensor]:
    """The tables `NAMES` of a state dict, as float64: checked before anything is converted.

    A prefix of a table's name, such as "model.crf.", is left out. The S labels are those that the
    file called `name` has.

    Raises:
        ModelFileError: A table is missing, is there twice, or has another shape or odd numbers.
    """
    tables = []
    for table, shape in zip(NAMES, ((S, S), (S,), (S,)), strict=True):
        fitting = [key for key in tensors if key == table or key.endswith(f".{table}")]
        if len(fitting) != 1:
            raise ModelFileError(
                f"weights: expected one tensor called {table}, as in a state dict of pytorch-crf, "
                f"got {len(fitting)}"
            )
        tensor = tensors[fitting[0]]
        if tensor.shape != shape:
            raise ModelFileError(
                f"{table}: expected shape {shape} for the {S} labels of {name}, got "
                f"{tuple(tensor.shape)}; use the labels in the order of the CRF"
            )
        if not tensor.is_floating_point():
            raise ModelFileError(
                f"{table}: expected floating-point numbers, got {tensor.dtype}; save the state "
                "dict as pytorch-crf has it"
            )
        tensor = tensor.double()
        if not ((tensor.abs() <= LARGEST) | (tensor == -torch.inf)).all():
            raise ModelFileError(
                f"{table}: expected a number of at most {LARGEST:g} in size or -inf, got nan "
                "or a larger one"
            )
        tables.append(tensor)
    return tables
