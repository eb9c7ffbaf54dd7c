"""Drop-in replacement for pytorch-crf: change one import and keep the rest of your program.

    from crf.compat import CRF    # was: from torchcrf import CRF

As in pytorch-crf, tensors are time-major unless `batch_first` is set, and calling the module
returns the log-likelihood, which is at most 0, summed over the batch. A mask may have any pattern,
whereas pytorch-crf expects the tokens first and the padding after them.
"""

from typing import Any

from torch import Tensor

from .chain import LinearChain
from .constraints import Constraints
from .doctor import refuse_a_broken_package
from .nn.module import ChainCRF

refuse_a_broken_package()  # because this import works beside another package's crf/__init__.py


class CRF(ChainCRF):
    """Drop-in replacement for the `CRF` of pytorch-crf 0.7.

    In all shapes B is the number of chains in the batch, L their length, and S the number of tags.

    Args:
        num_tags: S, at least 1.
        batch_first: Whether tensors are [B, L, …] instead of [L, B, …].
        constraints: As for `ChainCRF`; they apply in training and in decoding.

    Example:
        >>> import torch
        >>> model = CRF(3, batch_first=True)
        >>> model
        CRF(num_tags=3)
        >>> bool(model(torch.zeros(1, 2, 3), torch.zeros(1, 2, dtype=torch.long)) < 0)
        True
    """

    def __init__(
        self, num_tags: int, batch_first: bool = False, *, constraints: Constraints | Any = None
    ) -> None:
        super().__init__(num_tags, constraints)
        self.batch_first = batch_first

    def extra_repr(self) -> str:
        """Text that `print(model)` shows between the brackets."""
        return f"num_tags={self.num_tags}"

    def _turned(self, x: Tensor | None) -> Tensor | None:
        return x if x is None or self.batch_first else x.transpose(0, 1)

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, emissions: Tensor, tags: Tensor, mask: Tensor | None = None, reduction: str = "sum"
    ) -> Tensor:
        """Log-likelihood log p(tags | emissions), in nats: at most 0, and larger is better.

        Args:
            emissions: [L, B, S] scores; [B, L, S] with `batch_first`.
            tags: [L, B]; [B, L] with `batch_first`.
            mask: Bool or uint8, of the tags' shape; default all True.
            reduction: As for `ChainCRF.forward`.

        Returns:
            [B] for "none", else a scalar.

        Raises:
            TypeError: A dtype is wrong; see `ChainCRF.forward`.
            ValueError: A shape or value does not fit, or the gold path is forbidden.
        """
        turned = self._turned(emissions), self._turned(tags), self._turned(mask)
        return 0.0 - super().forward(*turned, reduction)  # pyright: ignore[reportArgumentType]

    def decode(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, emissions: Tensor, mask: Tensor | None = None
    ) -> list[list[int]]:
        """Decode the most probable path of each chain, as lists of tag indices.

        Args:
            emissions: [L, B, S] scores; [B, L, S] with `batch_first`.
            mask: [L, B], or [B, L] with `batch_first`; bool or uint8, default all True.

        Returns:
            B lists, one tag per token of the chain; [] where no path is allowed.

        Raises:
            TypeError: A dtype is wrong.
            ValueError: A shape, device or value does not fit.

        Example:
            >>> import torch
            >>> CRF(2, batch_first=True).decode(torch.tensor([[[2.0, 0.0], [0.0, 2.0]]]))
            [[0, 1]]
        """
        turned = self._turned(emissions), self._turned(mask)
        return super().decode(*turned)  # pyright: ignore[reportArgumentType]

    # These methods exist because programs call them on pytorch-crf although it does not document
    # them. Their tensors are time-major even with `batch_first`, and masks may have any dtype.

    def _time_major_chain(self, emissions: Tensor, mask: Tensor) -> LinearChain:
        return self.chain(emissions.transpose(0, 1), mask.transpose(0, 1).bool())

    def _compute_score(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """[B] the scores of the tags, from emissions [L, B, S], tags [L, B] and a mask [L, B]."""
        return self._time_major_chain(emissions, mask).score(tags.transpose(0, 1))

    def _compute_normalizer(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """[B] log Z, from emissions [L, B, S] and a mask [L, B]."""
        return self._time_major_chain(emissions, mask).log_partition

    def _viterbi_decode(self, emissions: Tensor, mask: Tensor) -> list[list[int]]:
        """The best paths, from emissions [L, B, S] and a mask [L, B]."""
        return ChainCRF.decode(self, emissions.transpose(0, 1), mask.transpose(0, 1).bool())
