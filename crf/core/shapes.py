"""Shapes in signatures, such as `Float[Tensor, "B L S"]`: jaxtyping's, where that is installed.

The tests check them. Without jaxtyping they say the same to a reader, and nothing else.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a checker sees a Tensor, also where jaxtyping is not installed
    from typing import Annotated as Bool
    from typing import Annotated as Float
    from typing import Annotated as Int
else:
    try:
        from jaxtyping import Bool, Float, Int
    except ImportError:

        class _Shape:
            def __class_getitem__(cls, kind: tuple[Any, str]) -> Any:
                return kind[0]

        Bool = Float = Int = _Shape

__all__ = ["Bool", "Float", "Int"]
