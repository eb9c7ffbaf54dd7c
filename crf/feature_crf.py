"""FeatureCRF: a CRF on features that are written down as strings, without a network.

    score(x, y) = Σ_t Σ_f value_f(x, t) (w[f, y_t] + v[f, y_(t-1), y_t]) + transitions, start, end

What CRFsuite and sklearn-crfsuite do, with the recursions of this package: the same feature dicts,
scikit-learn's interface, the same penalties c1 and c2.

Source: Lafferty, McCallum and Pereira (2001); Sutton and McCallum (2012), section 2.3.
"""

import inspect
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from . import sparse
from .chain import LinearChain
from .module import ChainCRF
from .optimisers import LBFGS

FORMAT = "linear-chain CRF on features, 1"


class _Batch(NamedTuple):
    """Some sequences: B of them, L cells each."""

    chosen: np.ndarray  # [B] which they are
    state: sparse.Bags  # the features of the B·L cells
    pairs: sparse.Bags  # those of them that have weights for pairs of tags
    tags: Tensor  # [B, L]
    mask: Tensor  # [B, L]

    @property
    def rows(self) -> list[Tensor]:
        """What the batch uses of each table: of transitions, start and end the one row."""
        return [self.state.rows, self.pairs.rows, *[torch.zeros(1, dtype=torch.long)] * 3]


class FeatureCRF:
    """A linear-chain CRF on sparse features, with scikit-learn's interface.

    Training minimises Σ −log p(y | x) + c1 ‖w‖₁ + c2 ‖w‖² (nats, summed over the sequences), as
    CRFsuite does: its c1 and c2 mean the same here. Every feature meets every tag, and every tag
    every other, whether training saw it or not.

    X is a list of sequences, a sequence a list of tokens, a token's features a list of names or a
    dict of names to numbers, truth values, strings, lists or dicts, as CRFsuite takes it. y is a
    list of tags, which are strings, per sequence. Features unknown to training are ignored.

    Args:
        algorithm: "adagrad", a few passes in batches; or "lbfgs", to the optimum, without c1.
        c1: Weight of the L1 penalty, which makes most weights 0.
        c2: Weight of the L2 penalty.
        max_iterations: Passes of Adagrad (default 6), or iterations of L-BFGS (default 100).
        learning_rate: The length of Adagrad's first step.
        batch_size: Sequences in a batch.
        min_frequency: `fit` drops features that occur less often.
        transition_features: Beginnings of names, such as ("word:",): features that begin so also
            have a weight for each pair of tags, at the step into their token.
        random_state: Seed of the order of the batches.

    Attributes:
        classes_: The tags, sorted.
        rows_: The row of each feature in `weights_`.
        pair_rows_: The row of each feature with weights for pairs of tags in `pair_weights_`.
        crf_: The `ChainCRF` with the other transitions.
        losses_: Of each pass, or evaluation of L-BFGS: nats per token, without the penalties.

    Example:
        >>> X = [[{"word": "they"}, {"word": "fish"}], [{"word": "fish"}, {"word": "swim"}]]
        >>> y = [["PRON", "VERB"], ["NOUN", "VERB"]]
        >>> model = FeatureCRF().fit(X, y)
        >>> model.predict([[["word:fish"], ["word:swim"]]])
        [['NOUN', 'VERB']]
        >>> model.score(X, y)
        1.0

    Source: Duchi, Hazan and Singer (2011), "Adaptive subgradient methods" (Adagrad, with its
    proximal step for L1); Nocedal and Wright (2006), chapter 7 (L-BFGS).
    """

    def __init__(
        self,
        *,
        algorithm: str = "adagrad",
        c1: float = 0.0,
        c2: float = 0.1,
        max_iterations: int | None = None,
        learning_rate: float = 0.2,
        batch_size: int = 32,
        min_frequency: int = 1,
        transition_features: Sequence[str] = (),
        random_state: int = 0,
    ) -> None:
        self.algorithm = algorithm
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.min_frequency = min_frequency
        self.transition_features = transition_features
        self.random_state = random_state

    def __repr__(self) -> str:
        default = inspect.signature(type(self)).parameters
        said = {k: v for k, v in self.get_params().items() if v != default[k].default}
        return f"FeatureCRF({', '.join(f'{k}={v!r}' for k, v in said.items())})"

    # ------------------------------------------------------------------ what scikit-learn asks

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments, by name.

        Args:
            deep: Without meaning here.
        """
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> "FeatureCRF":
        """Set some of the constructor's arguments; they count from the next `fit` on.

        Args:
            params: New values by name.

        Raises:
            ValueError: There is no argument of that name.
        """
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"{name}: expected one of {', '.join(known)}, got another name; correct it"
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags  # pyright: ignore[reportMissingImports]

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    # ------------------------------------------------------------------ learning

    def fit(self, X: Sequence[Sequence[sparse.Item]], y: Sequence[Sequence[str]]) -> "FeatureCRF":
        """Learn all weights anew.

        Args:
            X: The features of each token of each sequence.
            y: Their tags.

        Returns:
            The model itself.

        Raises:
            TypeError: An item is no features, or a tag is no string.
            ValueError: The lengths differ, there is no token, or an argument makes no sense.
        """
        self._check_arguments()
        _check_same_lengths(X, y)
        self._start(tag for sequence in y for tag in sequence)
        batches = self._learnable(X, y, self.min_frequency)
        if self.algorithm == "lbfgs":
            self._lbfgs(batches, 100 if self.max_iterations is None else self.max_iterations)
            return self
        source = np.random.default_rng(self.random_state)
        for _ in range(6 if self.max_iterations is None else self.max_iterations):
            self._adagrad(batches[k] for k in source.permutation(len(batches)))
        return self

    def partial_fit(
        self,
        X: Sequence[Sequence[sparse.Item]],
        y: Sequence[Sequence[str]],
        classes: Sequence[str] | None = None,
    ) -> "FeatureCRF":
        """Learn from some more sequences: one pass of Adagrad. New features are taken up.

        Args:
            X: The features of each token of each sequence.
            y: Their tags.
            classes: All tags there will ever be; in the first call, default: those in y.

        Returns:
            The model itself.

        Raises:
            TypeError: An item is no features, or a tag is no string.
            ValueError: A tag is not among the classes, the lengths differ, there is no token, or
                the model was trained by L-BFGS or saved without what training needs.
        """
        self._check_arguments()
        _check_same_lengths(X, y)
        if self.algorithm != "adagrad":
            raise ValueError(
                f"partial_fit: expected algorithm 'adagrad', got {self.algorithm!r}; "
                "L-BFGS needs all sequences at once"
            )
        if not self.__sklearn_is_fitted__():
            every = (tag for sequence in y for tag in sequence)
            self._start(every if classes is None else classes)
        elif self._saved_without_state:
            raise ValueError(
                "partial_fit: expected a model with its training state, got one saved without; "
                "save it with training_state=True"
            )
        self._adagrad(self._learnable(X, y))
        return self

    def _check_arguments(self) -> None:
        if self.algorithm not in ("adagrad", "lbfgs"):
            raise ValueError(
                f"algorithm: expected 'adagrad' or 'lbfgs', got {self.algorithm!r}; choose one"
            )
        if self.algorithm == "lbfgs" and self.c1:
            raise ValueError(
                f"c1: expected 0 with algorithm 'lbfgs', got {self.c1}; choose 'adagrad' for L1"
            )
        if isinstance(self.transition_features, str):
            raise TypeError(
                "transition_features: expected a tuple of beginnings of names, got a str; "
                f"give ({self.transition_features!r},)"
            )
        for name in ("c1", "c2", "learning_rate"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(
                    f"{name}: expected a number of at least 0, got {getattr(self, name)}; "
                    "give 0 for none"
                )
        if self.batch_size < 1:
            raise ValueError(f"batch_size: expected at least 1, got {self.batch_size}; give 32")

    def _start(self, classes: Iterable[Any]) -> None:
        """No feature known, all weights 0."""
        found = set(classes)
        if bad := [tag for tag in found if not isinstance(tag, str)]:
            raise TypeError(f"y: expected tags that are strings, got {bad[0]!r}; use str(tag)")
        if not found:
            raise ValueError("y: expected at least one tag, got no token; give some sequences")
        self.classes_ = sorted(str(tag) for tag in found)
        S = len(self.classes_)
        self.rows_: dict[str, int] = {}
        self.pair_rows_: dict[str, int] = {}
        self.crf_ = ChainCRF(S)
        for parameter in self.crf_.parameters():
            torch.nn.init.zeros_(parameter)
        # All that is learnt is in tables: of features, and with one row each those of `crf_`.
        dense = [parameter.data.view(1, -1) for parameter in self.crf_.parameters()]
        start = [torch.zeros(0, S), torch.zeros(0, S * S), *dense]
        self._tables = [sparse.AdagradTable(values) for values in start]
        self.losses_: list[float] = []
        self._saved_without_state = False

    @property
    def weights_(self) -> Tensor:
        """[F, S] score of tag s where the feature is 1."""
        return self._tables[0].values

    @property
    def pair_weights_(self) -> Tensor:
        """[P, S, S] score of going from tag i to tag j where the feature is 1."""
        S = len(self.classes_)
        return self._tables[1].values.view(-1, S, S)

    def _entries(self, X: Any, *, grow: bool = False) -> tuple[sparse.Entries, sparse.Entries]:
        """The features, and those of them that have weights for pairs of tags."""
        beginnings = tuple(self.transition_features)
        state = sparse.encode(X, self.rows_, grow=grow)
        if not beginnings:
            return state, sparse.Entries.none(len(state.counts))
        return state, sparse.encode(X, self.pair_rows_, grow=grow, beginnings=beginnings)

    def _learnable(self, X: Any, y: Any, lowest: int = 1) -> list[_Batch]:
        """The sequences in batches; their features get rows, unless they are too rare."""
        both = list(self._entries(X, grow=True))
        if lowest > 1:
            both[0], self.rows_ = sparse.drop_rare(both[0], self.rows_, lowest)
            both[1], self.pair_rows_ = sparse.drop_rare(both[1], self.pair_rows_, lowest)
        self._tables[0].grow(len(self.rows_))
        self._tables[1].grow(len(self.pair_rows_))
        batches = list(self._batches(X, both, self._indices(y)))
        for batch in batches:
            for table, rows in zip(self._tables, batch.rows, strict=True):
                table.seen[rows] += 1
        return batches

    def _indices(self, y: Any) -> np.ndarray:
        index = {tag: s for s, tag in enumerate(self.classes_)}
        try:
            return np.array([index[tag] for sequence in y for tag in sequence], int)
        except KeyError as error:
            raise ValueError(
                f"y: expected one of the tags {', '.join(self.classes_)}, got {error.args[0]!r}; "
                "name all tags in the first call, as `classes`"
            ) from None

    def _batches(
        self, X: Any, entries: Any, tags: np.ndarray | None = None, size: int | None = None
    ) -> Iterator[_Batch]:
        """Sequences of about the same length together."""
        size = size or self.batch_size
        lengths = np.array([len(sequence) for sequence in X], int)
        begins = np.cumsum(lengths) - lengths
        order = np.argsort(lengths, kind="stable")
        for first in range(0, len(order), size):
            chosen = order[first : first + size]
            mask = np.arange(lengths[chosen].max()) < lengths[chosen, None]
            cells = np.flatnonzero(mask)
            tokens = (begins[chosen, None] + np.arange(mask.shape[1]))[mask]
            gold = np.zeros(mask.shape, int)
            if tags is not None:
                gold[mask] = tags[tokens]
            state, pairs = (sparse.Bags.of(x, tokens, cells, mask.size) for x in entries)
            yield _Batch(chosen, state, pairs, torch.from_numpy(gold), torch.from_numpy(mask))

    def _scores(self, batch: _Batch) -> tuple[Tensor, Tensor | None]:
        """Emissions [B, L, S]; and what the features add to the transitions, [B, L, S, S]."""
        (B, L), S = batch.mask.shape, len(self.classes_)
        state, pairs, *_ = self._tables
        emissions = batch.state.times(state.values[batch.state.rows]).view(B, L, S)
        if not len(pairs.values):
            return emissions, None
        return emissions, batch.pairs.times(pairs.values[batch.pairs.rows]).view(B, L, S, S)

    def _chain(self, emissions: Tensor, steps: Tensor | None, mask: Tensor) -> LinearChain:
        if steps is None:
            return self.crf_.chain(emissions, mask)
        transitions, start, end = self.crf_.parameters()
        return LinearChain(emissions, transitions + steps[:, 1:], start, end, mask)

    def _loss(self, batch: _Batch) -> tuple[float, list[Tensor]]:
        """Σ −log p(gold), and its derivatives in the rows of the tables that the batch uses."""
        emissions, steps = self._scores(batch)
        scores = [x.requires_grad_() for x in (emissions, steps) if x is not None]
        with torch.enable_grad():
            if steps is None:
                loss = self.crf_(emissions, batch.tags, batch.mask, "sum")
            else:
                loss = -self._chain(emissions, steps, batch.mask).log_prob(batch.tags).sum()
            found = torch.autograd.grad(loss, [*scores, *self.crf_.parameters()])
        cells, S = batch.mask.numel(), len(self.classes_)
        of_state = batch.state.gradient(found[0].view(cells, S))
        if steps is None:
            of_pairs = self._tables[1].values
        else:
            of_pairs = batch.pairs.gradient(found[1].view(cells, S * S))
        return loss.item(), [of_state, of_pairs, *(x.view(1, -1) for x in found[-3:])]

    def _adagrad(self, batches: Iterable[_Batch]) -> None:
        """One pass."""
        total, tokens = 0.0, 0
        for batch in batches:
            loss, gradients = self._loss(batch)
            for table, rows, gradient in zip(self._tables, batch.rows, gradients, strict=True):
                if len(rows):
                    table.step(rows, gradient, self.learning_rate, self.c1, self.c2)
            total, tokens = total + loss, tokens + int(batch.mask.sum())
        self.losses_.append(total / tokens)

    def _lbfgs(self, batches: list[_Batch], iterations: int) -> None:
        """To the optimum of the loss with its L2 penalty."""
        weights = [table.values for table in self._tables if table.values.numel()]
        tokens = sum(int(batch.mask.sum()) for batch in batches)
        optimiser = LBFGS(
            weights, max_iter=iterations, tolerance_change=1e-12, line_search_fn="strong_wolfe"
        )

        def per_token() -> float:
            loss, derivatives = 0.0, [2 * self.c2 * table.values for table in self._tables]
            for batch in batches:
                part, gradients = self._loss(batch)
                loss += part
                for whole, rows, gradient in zip(derivatives, batch.rows, gradients, strict=True):
                    whole.index_add_(0, rows, gradient)
            self.losses_.append(loss / tokens)
            for w, derivative in zip(weights, filter(Tensor.numel, derivatives), strict=True):
                w.grad = derivative / tokens
            penalty = self.c2 * sum(float(w.double().square().sum()) for w in weights)
            return (loss + penalty) / tokens

        optimiser.step(per_token)
        for w in weights:
            w.grad = None

    # ------------------------------------------------------------------ using it

    def chain(self, X: Sequence[Sequence[sparse.Item]]) -> LinearChain:
        """The distribution over tag sequences: everything one may ask of it.

        Args:
            X: The features of each token of each sequence.

        Returns:
            A batch of len(X) chains, as long as the longest; tag s is `classes_[s]`.

        Raises:
            TypeError: An item is no features.
            ValueError: The model is not fitted.
        """
        for chosen, chain in self._predictions(X, len(X)):
            return chain[torch.from_numpy(np.argsort(chosen))]
        return self.crf_.chain(torch.zeros(0, 0, len(self.classes_)))

    def _predictions(self, X: Any, size: int | None = None) -> Iterator[tuple[Any, LinearChain]]:
        """Which sequences, and their chains, batch by batch."""
        if not self.__sklearn_is_fitted__():
            raise ValueError("FeatureCRF: expected a fitted model, got a new one; call fit or load")
        _check_sequences("X", X)
        with torch.no_grad():
            for batch in self._batches(X, self._entries(X), None, size):
                yield batch.chosen, self._chain(*self._scores(batch), batch.mask)

    def predict(self, X: Sequence[Sequence[sparse.Item]]) -> list[list[str]]:
        """The best tags, by Viterbi.

        Args:
            X: The features of each token of each sequence.

        Returns:
            A list of tags per sequence.

        Raises:
            TypeError: An item is no features.
            ValueError: The model is not fitted.
        """
        found: list[list[str]] = [[]] * len(X)
        for chosen, chain in self._predictions(X):
            for b, row in zip(chosen.tolist(), chain.viterbi().tags.tolist(), strict=True):
                found[b] = [self.classes_[tag] for tag in row if tag >= 0]
        return found

    def predict_marginals(self, X: Sequence[Sequence[sparse.Item]]) -> list[list[dict[str, float]]]:
        """The probability of each tag at each token, p(y_t = s | x).

        Args:
            X: The features of each token of each sequence.

        Returns:
            A list per sequence, of a dict from tags to probabilities per token.

        Raises:
            TypeError: An item is no features.
            ValueError: The model is not fitted.
        """
        found: list[Any] = [[]] * len(X)
        for chosen, chain in self._predictions(X):
            for row, b in enumerate(chosen.tolist()):
                tokens = chain.marginals[row][chain.mask[row]].tolist()
                found[b] = [dict(zip(self.classes_, token, strict=True)) for token in tokens]
        return found

    def score(self, X: Sequence[Sequence[sparse.Item]], y: Sequence[Sequence[str]]) -> float:
        """The share of tokens whose tag is right.

        Args:
            X: The features of each token of each sequence.
            y: Their tags.

        Raises:
            TypeError: An item is no features.
            ValueError: The model is not fitted, the lengths differ, or there is no token.
        """
        _check_same_lengths(X, y)
        pairs = zip(self.predict(X), y, strict=True)
        right = [a == b for found, gold in pairs for a, b in zip(found, gold, strict=True)]
        return sum(right) / len(right)

    # ------------------------------------------------------------------ on disk

    def save(self, path: str | Path, *, training_state: bool = False) -> None:
        """Write the model to one file: safetensors, with JSON in its header.

        Args:
            path: Of the file.
            training_state: Also write what `partial_fit` needs to go on. Without it, features
                whose weights are all 0 are left out.

        Raises:
            ValueError: The model is not fitted.
        """
        from safetensors.torch import save_file

        if not self.__sklearn_is_fitted__():
            raise ValueError("save: expected a fitted model, got a new one; call fit first")
        parts = ("values", "squares", "seen") if training_state else ("values",)
        tables = {f"{x}.{k}": getattr(t, x) for k, t in enumerate(self._tables) for x in parts}
        names = [list(self.rows_), list(self.pair_rows_)]
        if not training_state:
            for k in (0, 1):
                kept = tables[f"values.{k}"].any(1)
                tables[f"values.{k}"] = tables[f"values.{k}"][kept]
                names[k] = [n for n, keep in zip(names[k], kept.tolist(), strict=True) if keep]
        params = {**self.get_params(), "transition_features": list(self.transition_features)}
        described = {"format": FORMAT, "classes": self.classes_, "params": params, "names": names}
        path = Path(path)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        try:  # a kill at any moment leaves the old file or the new one
            save_file(tables, temporary, {"crf": json.dumps(described)})
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    @classmethod
    def load(cls, path: str | Path) -> "FeatureCRF":
        """Read a model that `save` wrote. Nothing in the file is executed.

        Args:
            path: Of the file.

        Raises:
            OSError: It cannot be read.
            ValueError: It is damaged, or is no such model.
        """
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, "pt") as file:
                described = json.loads((file.metadata() or {}).get("crf", "{}"))
                tensors = {name: file.get_tensor(name) for name in file.keys()}
            if described["format"] != FORMAT:
                raise ValueError("another format")
            model = cls(**described["params"])
            model._check_arguments()
            model._start(described["classes"])
            model._restore(described["names"], tensors)
        except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"{path}: expected a model that FeatureCRF.save wrote, got something else "
                f"({error}); train it again"
            ) from error
        return model

    def _restore(self, names: Any, tensors: dict[str, Tensor]) -> None:
        """Put what a file holds in its places."""
        self.rows_, self.pair_rows_ = ({str(name): k for k, name in enumerate(n)} for n in names)
        self._tables[0].grow(len(names[0]))
        self._tables[1].grow(len(names[1]))
        self._saved_without_state = "seen.0" not in tensors
        for k, table in enumerate(self._tables):
            for part in ("values",) if self._saved_without_state else ("values", "squares", "seen"):
                place, found = getattr(table, part), tensors[f"{part}.{k}"]
                if found.shape != place.shape or not found.isfinite().all():
                    raise ValueError(f"{part}.{k}: expected {list(place.shape)} finite numbers")
                place.copy_(found)


def _check_sequences(name: str, sequences: Any) -> None:
    for b, sequence in enumerate(sequences):
        if isinstance(sequence, (str, bytes, dict)) or not hasattr(sequence, "__len__"):
            raise TypeError(
                f"{name}: expected a list of sequences, got {type(sequence).__name__} at {b}; "
                f"for a single sequence give [{name}]"
            )


def _check_same_lengths(X: Any, y: Any) -> None:
    """Refuse tags that do not belong to the tokens."""
    _check_sequences("X", X)
    _check_sequences("y", y)
    if len(X) != len(y):
        raise ValueError(f"y: expected {len(X)} sequences, as many as X, got {len(y)}; pair them")
    for b, (tokens, tags) in enumerate(zip(X, y, strict=True)):
        if len(tokens) != len(tags):
            raise ValueError(
                f"y: expected {len(tokens)} tags in sequence {b}, one per token, got {len(tags)}; "
                "give each token its tag"
            )
    if not any(map(len, X)):
        raise ValueError("X: expected at least one token, got none; give some sequences")
