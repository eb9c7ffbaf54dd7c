"""`ChainCRF`, the parameters of a linear-chain CRF as an `nn.Module`, with loss and decoder.

    NLL(y) = log Z(x) − score(x, y) = −log p(y | x)

Parameters have the names and shapes of pytorch-crf, whose state dicts load strictly.
"""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from .. import engines
from ..chain import LinearChain
from ..constraints import Allowed, Constraints, as_positions
from ..core import torch_tracing
from ..core.potentials import Potentials
from ..core.shapes import Bool, Float, Int
from ..core.validation import (
    as_mask,
    check_count,
    check_mask,
    check_same_device,
    check_scores,
    check_tag_table,
    checks_values,
)
from . import losses, meta_parameters
from .constraint_masks import read_constraint_mask as _read_constraint_mask  # its name in old files
from .losses import Reduction

_CALLS = {  # names that other libraries use → what to call here
    "viterbi_decode": "decode(emissions, mask)",
    "viterbi_tags": "decode(emissions, mask)",
    "log_likelihood": "chain(emissions, mask).log_prob(tags)",
    "neg_log_likelihood": "forward(emissions, tags, mask), which is a loss",
}


class ChainCRF(nn.Module):
    """A CRF layer: learnable transition, start and end scores on top of your network's emissions.

    In all shapes B is the number of chains in the batch, L the padded length, and
    S the number of tags.

    Args:
        num_tags: S, at least 1.
        constraints: A `Constraints` object, or a plain table [S, S] of truth values that says
            whether the column's tag may follow the row's. None allows everything. Constraints are
            neither parameters nor buffers, so state dicts do not contain them, and casts,
            `to_empty` and the meta device keep them.
        generator: Source of the random initialisation; None for torch's own.
        backend: The code that computes; see `crf.engines`.

    Attributes:
        transitions: [S, S] score of going from row i to column j.
        start_transitions: [S] score of the first tag.
        end_transitions: [S] score of the last tag.

    Raises:
        TypeError: num_tags is not an int, or the constraints' tables are not truth values.
        ValueError: num_tags is below 1, the backend is unknown, or the constraints are for another
            number of tags or on the meta device.

    Example:
        >>> model = ChainCRF(3, generator=torch.Generator().manual_seed(0))
        >>> emissions = torch.tensor([[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]])
        >>> loss = model(emissions, torch.tensor([[0, 1]]))
        >>> loss.backward()
        >>> model.decode(emissions)
        [[0, 1]]
    """

    def __init__(
        self,
        num_tags: int,
        constraints: Constraints | Any = None,
        *,
        generator: torch.Generator | None = None,
        backend: str = "auto",
    ) -> None:
        super().__init__()
        check_count("num_tags", num_tags, lowest=1)
        engines.check_backend(backend)
        self.constrained = constraints is not None
        if constraints is None:
            constraints = Constraints.none(num_tags)
        elif not isinstance(constraints, Constraints):
            constraints = Constraints.table(constraints)
        if constraints.start.is_meta:
            raise ValueError(
                "constraints: expected tables with values, got some on the meta device; make them "
                "from labels or lists, or outside of torch.device('meta')"
            )
        if constraints.num_tags != num_tags:
            raise ValueError(
                f"constraints: expected a table for {num_tags} tags, got one for "
                f"{constraints.num_tags}; make it from the same labels"
            )
        self.num_tags = num_tags
        self.backend = backend
        self.transitions = meta_parameters.parameter(num_tags, num_tags)
        self.start_transitions = meta_parameters.parameter(num_tags)
        self.end_transitions = meta_parameters.parameter(num_tags)
        self._given_constraints = self._constraints = constraints
        self.register_load_state_dict_pre_hook(_read_constraint_mask)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw new values for every parameter, uniformly from −0.1 to 0.1.

        A module that was made on the meta device does not need this; see `crf.nn.meta_parameters`.

        Args:
            generator: Source of the randomness; None for torch's own.
        """
        for parameter in self.parameters():
            nn.init.uniform_(
                parameter, -meta_parameters.RANGE, meta_parameters.RANGE, generator=generator
            )

    @property
    def constraints(self) -> Constraints:
        """The constraints, on the device of the module."""
        device = self.transitions.device
        if self._constraints.start.device != device:
            self._constraints = self._given_constraints.to(device)
        return self._constraints

    def __getattr__(self, name: str) -> Any:
        """Say what to call where somebody asks the layer for what its chain has."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            call = _CALLS.get(name)
            if call is None and not name.startswith("_") and hasattr(LinearChain, name):
                call = f"chain(emissions, mask).{name}"
            if call is None:
                raise
        raise AttributeError(f"{type(self).__name__} has no {name!r}; call .{call}")

    def extra_repr(self) -> str:
        """Text that `print(model)` shows between the brackets."""
        return f"num_tags={self.num_tags}, constrained={self.constrained}, backend={self.backend!r}"

    def chain(
        self,
        emissions: Float[Tensor, "B L S"],
        mask: Bool[Tensor, "B L"] | None = None,
        *,
        tags: Int[Tensor, "B L"] | None = None,
        ignore_index: int | None = None,
        allowed: Allowed | None = None,
        transitions: Tensor | None = None,
        validate: bool = True,
    ) -> LinearChain:
        """Build the distribution for these emissions, with constraints applied.

        Args:
            emissions: [B, L, S] scores.
            mask: [B, L] bool, False outside the chain; default all True.
            tags: [B, L], used only to find the cells to ignore; the chain depends on no tag.
            ignore_index: Cells with this tag, such as −100, are not in the chain.
            allowed: Tags that may appear at each cell, as for `Constraints.at`; default all.
            transitions: Scores that depend on the input, [B, L-1, S, S] (entry t-1 leads into cell
                t) or [B, S, S] for all steps of a chain; they are added to the layer's table.
            validate: Check values; refuse nan and +∞.

        Returns:
            The chain; its scores are −∞ where the constraints forbid a tag or a transition.

        Raises:
            TypeError: Only one of `tags` and `ignore_index` is given, or a dtype is wrong.
            ValueError: A shape, device or value does not fit.

        Example:
            >>> model = ChainCRF(3, Constraints.bio(["O", "B-PER", "I-PER"]))
            >>> model.chain(torch.zeros(1, 2, 3)).score(torch.tensor([[0, 2]])).item()  # O I-PER
            -inf
        """
        self._check(emissions)
        mask = self._read_mask(emissions, mask, tags, ignore_index)
        scores = self._tables(emissions, allowed, transitions)
        return LinearChain(*scores, mask, validate=validate, backend=self.backend)

    def _check(self, emissions: Any) -> None:
        check_scores("emissions", emissions, [("B", "L", self.num_tags)])

    def _read_mask(self, emissions: Tensor, mask: Any, tags: Any, ignore_index: int | None) -> Any:
        """The mask, False at the cells with the ignored tag too."""
        mask = as_mask(mask)
        if ignore_index is None and tags is None:
            return mask
        if ignore_index is None or tags is None:
            raise TypeError(
                "ignore_index and tags: expected both or neither; pass both, or pass a mask"
            )
        self._check(emissions)
        cells = emissions.shape[:2]
        check_tag_table("tags", tags, torch.empty(cells, dtype=torch.bool, device=emissions.device))
        has_tag = tags != ignore_index
        if mask is None:
            return has_tag
        check_mask(mask, cells, emissions.device)
        return mask & has_tag

    def _scores(self, emissions: Tensor) -> tuple[Any, Any, Any, Any]:
        """The scores of all chains, without constraints.

        It reads the parameters from `_parameters`, because `nn.Module.__getattr__` takes longer. A
        parameter that `torch.nn.utils.parametrize` has replaced is not there.
        """
        parameters = self._parameters
        try:
            transitions, start = parameters["transitions"], parameters["start_transitions"]
            return emissions, transitions, start, parameters["end_transitions"]
        except KeyError:
            return emissions, self.transitions, self.start_transitions, self.end_transitions

    def _added(self, table: Tensor, more: Any, emissions: Tensor) -> Tensor:
        """The layer's table with scores of each step, or of each chain, added."""
        self._check(emissions)
        B, L, S = emissions.shape
        check_scores("transitions", more, [(B, max(L - 1, 0), S, S), (B, S, S)])
        check_same_device("transitions", more, emissions.device)
        wide = torch.promote_types(table.dtype, torch.float32)  # a sum of halves would be rounded
        return table.to(wide) + (more if more.dim() == 4 else more[:, None])

    def _tables(
        self, emissions: Tensor, allowed: Any, more: Any
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The scores of all chains, with more transitions, constraints applied."""
        scores = self._scores(emissions)
        if more is not None:
            scores = emissions, self._added(scores[1], more, emissions), *scores[2:]
        constraints = self.constraints if self.constrained or allowed is not None else None
        if constraints and allowed is not None:
            self._check(emissions)
            sets = as_positions("allowed", allowed, self.num_tags, emissions)
            constraints = replace(constraints, positions=sets)
        return constraints.apply(*scores) if constraints else scores

    def forward(
        self,
        emissions: Float[Tensor, "B L S"],
        tags: Int[Tensor, "B L"],
        mask: Bool[Tensor, "B L"] | None = None,
        reduction: Reduction = "mean",
        *,
        weight: Float[Tensor, "..."] | None = None,
        ignore_index: int | None = None,
        allowed: Allowed | None = None,
        transitions: Tensor | None = None,
        validate: bool = True,
    ) -> Tensor:
        """Negative log-likelihood −log p(tags | emissions), in nats.

        It is a loss: it is at least 0, may exceed 1, and smaller is better.

        Args:
            emissions: [B, L, S] scores.
            tags: [B, L] the gold tags; values at masked cells are ignored.
            mask: [B, L] bool, False outside the chain; default all True.
            reduction: "none" for [B]; "sum"; "mean", the sum divided by the number of sequences;
                "token_mean", divided by that of tokens. A row without tokens adds 0 and counts as a
                sequence: a batch of one full and one empty row has half the loss of the full one.
            weight: Weights in −Σ_t weight_t log p(y_t | y_1 … y_(t-1), x): [B, 1] for each
                sequence, [B, L] for each token, or [S] for each token by its tag. The means divide
                by the number of sequences or tokens, not by the sum of the weights.
            ignore_index: Cells with this tag, such as −100, are not in the chain.
            allowed: Tags that may appear at each cell, as for `Constraints.at`; default all.
            transitions: Scores that depend on the input, [B, L-1, S, S] (entry t-1 leads into cell
                t) or [B, S, S] for all steps of a chain; they are added to the layer's table.
            validate: Check values; refuse chains and gold paths without a finite loss.

        Returns:
            [B] for "none", else a scalar; 0 for a chain without tokens.

        Raises:
            TypeError: The emissions are not floating-point, the tags not integers, or the mask
                neither bool nor integer.
            ValueError: A shape or value does not fit, a tag is out of range, a chain allows no
                path, or the gold path is forbidden; the message says where.

        Example:
            >>> model, tags = ChainCRF(2), torch.tensor([[0, 1, 1]])
            >>> emissions = torch.zeros(1, 3, 2, requires_grad=True)  # from your network
            >>> loss = model(emissions, tags)
            >>> loss.backward()
            >>> torch.allclose(loss, -model.chain(emissions).log_prob(tags))
            True
            >>> network = torch.nn.Linear(2, 4)  # of this token: transitions into it
            >>> scores = network(emissions[:, 1:]).unflatten(-1, (2, 2))
            >>> model(emissions, tags, transitions=scores).backward()
        """
        losses.check_reduction(reduction)
        ignored = None if ignore_index is None else tags
        mask = self._read_mask(emissions, mask, ignored, ignore_index)
        if weight is None:
            scores = Potentials(*self._tables(emissions, allowed, transitions), mask)  # pyright: ignore
            loss = engines.loss(self.backend, scores, tags, reduction)
            if loss is not None:
                return loss
        chain = self.chain(
            emissions, mask, allowed=allowed, transitions=transitions, validate=validate
        )
        log_prob = losses.log_prob(chain, tags, weight)
        loss = losses.reduced(0.0 - log_prob, chain.mask, reduction)
        if validate and checks_values() and not math.isfinite(loss.detach().sum().item()):
            losses.explain_infinite(chain, tags)
        return loss

    def partial_nll(
        self,
        emissions: Float[Tensor, "B L S"],
        allowed: Allowed | Int[Tensor, "B L"] | None = None,
        mask: Bool[Tensor, "B L"] | None = None,
        reduction: Reduction = "mean",
        *,
        tags: Int[Tensor, "B L"] | None = None,
        unknown: int = -1,
        ignore_index: int | None = None,
        transitions: Tensor | None = None,
        validate: bool = True,
    ) -> Tensor:
        """Negative log-likelihood of partial labels, in nats: a set of possible tags per token.

            −log p(every tag is in its token's set | emissions)

        Args:
            emissions: [B, L, S] scores.
            allowed: Tags, integers [B, L], `unknown` where a token has none; or the tags that may
                be a token's gold tag, [B, L, S] bool or another form of `Constraints.at`: one tag
                where it is known, all where nothing is. One everywhere gives `forward`'s loss.
            mask: [B, L] bool, False outside the chain; default all True.
            reduction: As for `forward`.
            tags: [B, L], as `allowed` takes them; or beside it, for `ignore_index`.
            unknown: The tag of a token whose gold tag is not known.
            ignore_index: Cells with this tag, such as −100, are not in the chain.
            transitions: Scores that depend on the input, [B, L-1, S, S] (entry t-1 leads into cell
                t) or [B, S, S] for all steps of a chain; they are added to the layer's table.
            validate: Check values; refuse chains without a finite loss.

        Returns:
            [B] for "none", else a scalar; 0 for a chain without tokens.

        Raises:
            TypeError: Neither `allowed` nor `tags` is given, or they have a wrong type.
            ValueError: A shape or value does not fit, or the sets of a chain allow no path.

        Example:
            >>> model, emissions = ChainCRF(2), torch.zeros(1, 2, 2)
            >>> allowed = torch.tensor([[[1, 0], [1, 1]]]).bool()  # token 2 may have either tag
            >>> loss = model.partial_nll(emissions, allowed)
            >>> bool(loss < model(emissions, torch.tensor([[0, 1]])))
            True
            >>> torch.equal(model.partial_nll(emissions, torch.tensor([[0, -1]])), loss)
            True
        """
        losses.check_reduction(reduction)
        if isinstance(allowed, Tensor) and allowed.dim() == 2 and allowed.dtype != torch.bool:
            allowed, tags = None, allowed
        if allowed is None and tags is None:
            raise TypeError(
                "allowed: expected tags [B, L] or sets of tags, got nothing; give one of them"
            )
        ignored = None if ignore_index is None else tags
        its: Any = {"tags": ignored, "ignore_index": ignore_index, "validate": validate}
        chain = self.chain(emissions, mask, transitions=transitions, **its)
        if allowed is None:
            allowed = losses.sets_of(tags, unknown, chain.mask, self.num_tags)
        nll = 0.0 - chain.partial_log_prob(allowed)
        if validate and checks_values() and not (nll < math.inf).all():
            row = int(torch.nonzero(~(nll < math.inf))[0])
            raise ValueError(
                f"allowed: expected a set of tags per token that a path can take, got none in row "
                f"{row}; allow more tags there, or mask the row out"
            )
        return losses.reduced(nll, chain.mask, reduction)

    @torch.no_grad()
    def decode(
        self,
        emissions: Float[Tensor, "B L S"],
        mask: Bool[Tensor, "B L"] | None = None,
        *,
        tags: Int[Tensor, "B L"] | None = None,
        ignore_index: int | None = None,
        allowed: Allowed | None = None,
        transitions: Tensor | None = None,
    ) -> list[list[int]]:
        """Decode the most probable path of each chain, as lists of tag indices.

        Args:
            emissions: [B, L, S] scores.
            mask: [B, L] bool, False outside the chain; default all True.
            tags: [B, L], used only to find the cells to ignore.
            ignore_index: Cells with this tag, such as −100, are not in the chain.
            allowed: Tags that may appear at each cell, as for `Constraints.at`; default all.
            transitions: Scores that depend on the input, [B, L-1, S, S] (entry t-1 leads into cell
                t) or [B, S, S] for all steps of a chain; they are added to the layer's table.

        Returns:
            B lists, one tag per token of the chain; [] where no path is allowed.

        Raises:
            TypeError: Only one of `tags` and `ignore_index` is given, or a dtype is wrong.
            ValueError: A shape, device or value does not fit.
            RuntimeError: The module is traced or exported, and a graph cannot return lists.

        Example:
            >>> emissions = torch.tensor([[[2.0, 0.0], [0.0, 2.0]], [[2.0, 0.0], [0.0, 0.0]]])
            >>> mask = torch.tensor([[True, True], [True, False]])
            >>> ChainCRF(2).decode(emissions, mask)
            [[0, 1], [0]]
        """
        if torch_tracing.exporting() or torch_tracing.tracing():
            raise RuntimeError(
                "decode: returns Python lists, which cannot be traced or exported; export a module "
                "that returns chain(emissions, mask).viterbi().tags, a tensor [B, L], instead"
            )
        mask = self._read_mask(emissions, mask, tags, ignore_index)
        scores = Potentials(*self._tables(emissions, allowed, transitions), mask)  # pyright: ignore
        paths = engines.decode(self.backend, scores)
        if paths is not None:
            return paths
        return engines.as_lists(
            self.chain(emissions, mask, allowed=allowed, transitions=transitions).viterbi().tags
        )

    def __prepare_scriptable__(self) -> "ChainCRF":
        """Refuse `torch.jit.script`, which calls this method, and name another way."""
        raise RuntimeError(
            "torch.jit.script: a ChainCRF cannot be compiled by TorchScript; use torch.export on a "
            "module that returns chain(emissions, mask).viterbi().tags, or torch.compile"
        )
