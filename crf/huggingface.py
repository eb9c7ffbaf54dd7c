"""A CRF head for any token-classification model of Hugging Face's `transformers`.

    model = TokenTagger.from_encoder("bert-base-cased", labels=["O", "B-PER", "I-PER"])
    Trainer(model, …, compute_metrics=…, preprocess_logits_for_metrics=best_paths)
    TokenTagger.from_pretrained(folder).tag(["Ada met Charles."], tokenizer)

The chain runs over the first sub-word of each word. In training the model gives the loss; in
evaluation also best paths, so that no metric has to take an argmax of emissions.

Needs `transformers`: `pip install '.[transformers]'`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers import AutoConfig, AutoModel, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import TokenClassifierOutput

from .chain import LinearChain
from .constraints import Constraints
from .nn.module import ChainCRF

IGNORED = -100  # the label of sub-words after the first, and of special ones


@dataclass
class TaggerOutput(TokenClassifierOutput):
    """What the model returns.

    Attributes:
        loss: Mean of −log p over the sequences, in nats; None without labels.
        logits: [B, L, S] the emissions.
        paths: [B, L] the best paths over first sub-words, −100 elsewhere; None in training.
    """

    paths: Tensor | None = None


class TextEntity(NamedTuple):
    """A name in a text.

    Attributes:
        kind: Its type.
        text: As it is written.
        start: Its first character.
        end: The character after its last one.
        probability: That the sentence has this very name.
    """

    kind: str
    text: str
    start: int
    end: int
    probability: float


class LabelledText(NamedTuple):
    """A text with a label for each word, and its names."""

    words: list[str]
    labels: list[str]
    names: list[TextEntity]


class TokenTaggerConfig(PretrainedConfig):
    """The configuration of the network, and the scheme of the labels.

    Args:
        encoder: The network's own configuration, as a dictionary.
        scheme: What forbids label sequences: a scheme, "auto" to recognise it, None for nothing.
    """

    model_type = "crf_token_tagger"

    def __init__(self, encoder: dict | None = None, scheme: str | None = "auto", **rest: Any):
        self.encoder, self.scheme = encoder or {}, scheme
        super().__init__(**rest)


class TokenTagger(PreTrainedModel):
    """A network, a linear layer and a `ChainCRF`.

    `save_pretrained`, `from_pretrained` and `Trainer` take it as any other model.
    """

    config_class = TokenTaggerConfig
    base_model_prefix = "encoder"
    supports_gradient_checkpointing = True

    def __init__(self, config: TokenTaggerConfig, encoder: Any = None) -> None:
        super().__init__(config)
        own = dict(config.encoder)
        kind = own.pop("model_type", "bert")
        if encoder is None:
            encoder = AutoModel.from_config(AutoConfig.for_model(kind, **own))
        self.encoder = encoder
        S = config.num_labels
        rate = own.get("hidden_dropout_prob", own.get("dropout", 0.0))
        self.dropout = torch.nn.Dropout(rate)
        self.classifier = torch.nn.Linear(encoder.config.hidden_size, S)
        constraints = None
        if config.scheme is not None:
            constraints = Constraints.of(config.id2label or {}, config.scheme)
        self.crf = ChainCRF(S, constraints)
        self.post_init()

    @classmethod
    def from_encoder(
        cls, encoder: Any, labels: Sequence[str], scheme: str | None = "auto"
    ) -> "TokenTagger":
        """Put a new head on a trained network.

        Args:
            encoder: The network, or its name or folder, as `AutoModel.from_pretrained` takes it.
            labels: S labels, in the order of their indices.
            scheme: See `TokenTaggerConfig`.
        """
        if not isinstance(encoder, PreTrainedModel):
            encoder = AutoModel.from_pretrained(encoder)
        id2label = dict(enumerate(labels))
        config = TokenTaggerConfig(
            encoder.config.to_dict(),
            scheme,
            id2label=id2label,
            label2id={label: index for index, label in id2label.items()},
        )
        return cls(config, encoder)

    def _init_weights(self, module: torch.nn.Module) -> None:
        """Initial values of what a file lacks."""
        if isinstance(module, ChainCRF):
            module.reset_parameters()
        elif isinstance(module, torch.nn.Linear):
            module.reset_parameters()

    def emissions(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """[B, L, S] the scores of each sub-word's labels."""
        hidden = self.encoder(input_ids, attention_mask=attention_mask).last_hidden_state
        return self.classifier(self.dropout(hidden))

    def chain(self, input_ids: Tensor, attention_mask: Tensor | None, first: Tensor) -> LinearChain:
        """The distribution over the label sequences of words.

        Args:
            input_ids: [B, L] sub-words.
            attention_mask: [B, L], 0 at padding.
            first: [B, L] bool, True at the first sub-word of each word.
        """
        return self.crf.chain(self.emissions(input_ids, attention_mask).float(), first)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        labels: Tensor | None = None,
        first: Tensor | None = None,
        **unused: Any,
    ) -> TaggerOutput:
        """Loss while training, and best paths while evaluating.

        Args:
            input_ids: [B, L] sub-words.
            attention_mask: [B, L], 0 at padding.
            labels: [B, L], −100 at all but the first sub-word of each word.
            first: [B, L] bool, the first sub-words; default where `labels` is not −100.
            unused: What else a tokeniser gives, such as token_type_ids.
        """
        emissions = self.emissions(input_ids, attention_mask)
        if first is None and labels is not None:
            first = labels != IGNORED
        loss = paths = None
        if labels is not None:
            loss = self.crf(emissions.float(), labels, first)
        if first is not None and not self.training:
            tags = self.crf.chain(emissions.float(), first).viterbi().tags
            paths = torch.where(tags < 0, IGNORED, tags)
        return TaggerOutput(loss=loss, logits=emissions, paths=paths)

    @torch.no_grad()
    def tag(
        self,
        texts: Sequence[str] | Sequence[Sequence[str]],
        tokenizer: Any,
        threshold: float | None = None,
    ) -> list[LabelledText]:
        """Label new texts.

        Args:
            texts: Texts, whose words are those of the tokeniser; or lists of words, which offsets
                take as joined by spaces. Words without a sub-word, and those that the tokeniser
                cuts off at its limit, get no label.
            tokenizer: A fast one.
            threshold: See `LinearChain.entities`.

        Raises:
            ValueError: The tokeniser is not a fast one.
        """
        if not tokenizer.is_fast:
            raise ValueError(
                "tokenizer: expected a fast one, which knows the words of its sub-words, got "
                f"{type(tokenizer).__name__}; load it with use_fast=True"
            )
        split = bool(texts) and not isinstance(texts[0], str)
        given: Any = [text if isinstance(text, str) else list(text) for text in texts]
        read = tokenizer(
            given,
            is_split_into_words=split,
            return_offsets_mapping=True,
            return_tensors="pt",
            padding=True,
            truncation=True,
        )
        joined = [text if isinstance(text, str) else " ".join(text) for text in texts]
        spans, starts = [], []
        for b, text in enumerate(given):
            at = _words(read, b, text)
            starts.append([cell for cell, _, _ in at])
            spans.append([(start, end) for _, start, end in at])
        first = torch.zeros_like(read["input_ids"], dtype=torch.bool)
        for b, cells in enumerate(starts):
            first[b, cells] = True
        was, _ = self.training, self.eval()
        device = self.crf.transitions.device
        chain = self.chain(
            read["input_ids"].to(device), read["attention_mask"].to(device), first.to(device)
        )
        self.train(was)
        labels = [str(self.config.id2label[index]) for index in range(self.config.num_labels)]
        best = chain.viterbi().tags.cpu()
        answers = []
        found = chain.entities(labels, threshold=threshold)
        for text, span, row, kept, entities in zip(joined, spans, best, first, found, strict=True):
            names = [
                TextEntity(e.kind, text[span[e.start][0] : span[e.end - 1][1]],
                     span[e.start][0], span[e.end - 1][1], e.probability)
                for e in entities
            ]  # fmt: skip
            words = [text[a:z] for a, z in span]
            answers.append(LabelledText(words, [labels[t] for t in row[kept].tolist()], names))
        return answers


def best_paths(outputs: Any, labels: Any) -> Tensor:
    """Take the best paths out of an evaluation, for `Trainer(preprocess_logits_for_metrics=…)`.

    `compute_metrics` then gets label indices as predictions, −100 where the labels have it.
    """
    return outputs[1]


def _words(read: Any, b: int, text: str | list[str]) -> list[tuple[int, int, int]]:
    """For each word the cell of its first sub-word, and its first and last characters in the text.

    The last is that after the word's end.
    """
    found: dict[int, tuple[int, int, int]] = {}
    starts = [0]
    if not isinstance(text, str):
        for word in text:
            starts.append(starts[-1] + len(word) + 1)
    for cell, word in enumerate(read.word_ids(b)):
        if word is None:
            continue
        start, end = (int(x) for x in read["offset_mapping"][b][cell])
        if not isinstance(text, str):
            start, end = starts[word] + start, starts[word] + end
        first, begin, _ = found.get(word, (cell, start, end))
        found[word] = first, begin, end
    return list(found.values())
