"""pytorch-crf's interface over `crf.ChainCRF`: change one import, and the rest of a program stays.

    from crf.compat import CRF    # was: from torchcrf import CRF

As there, data is time-major unless `batch_first`, and calling the module gives the log-likelihood,
which is negative, summed over the batch. Any mask will do, where pytorch-crf wants tokens first.
"""

from typing import Any

from torch import Tensor

from .chain import LinearChain
from .constraints import Constraints
from .module import ChainCRF


class CRF(ChainCRF):
    """pytorch-crf 0.7's `CRF`.

    Args:
        num_tags: S, at least 1.
        batch_first: Whether data is [B, L, …] instead of [L, B, …].
        constraints: What is allowed, as for `ChainCRF`; here training and decoding obey it alike.

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
        """What `print(model)` shows between the brackets."""
        return f"num_tags={self.num_tags}"

    def _turned(self, x: Tensor | None) -> Tensor | None:
        return x if x is None or self.batch_first else x.transpose(0, 1)

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, emissions: Tensor, tags: Tensor, mask: Tensor | None = None, reduction: str = "sum"
    ) -> Tensor:
        """The log-likelihood log p(tags | emissions): negative, and larger is better.

        Args:
            emissions: [L, B, S] scores; [B, L, S] with `batch_first`.
            tags: [L, B] or [B, L].
            mask: Their shape, bool or uint8; default all True.
            reduction: "none" [B], "sum", "mean" over sequences, "token_mean".

        Returns:
            [B] for "none", else a scalar.

        Raises:
            TypeError: Something is not a tensor of the right kind.
            ValueError: A shape or value does not fit.
        """
        turned = self._turned(emissions), self._turned(tags), self._turned(mask)
        return 0.0 - super().forward(*turned, reduction)  # pyright: ignore[reportArgumentType]

    def decode(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, emissions: Tensor, mask: Tensor | None = None
    ) -> list[list[int]]:
        """The best path of each chain, as lists of tags.

        Args:
            emissions: [L, B, S] scores; [B, L, S] with `batch_first`.
            mask: [L, B] or [B, L], bool or uint8; default all True.
        """
        turned = self._turned(emissions), self._turned(mask)
        return super().decode(*turned)  # pyright: ignore[reportArgumentType]

    # What programs call on pytorch-crf beyond its documented methods: time-major, whatever
    # `batch_first` says, and with masks of any dtype.

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
