"""Bad input: refused with the argument's name, what was expected, what came and where it stands."""

import math

import pytest
import torch

import crf

B, L, S = 2, 3, 4
NAN, INF = math.nan, math.inf


def put(x: torch.Tensor, index: tuple[int, ...], value: float) -> torch.Tensor:
    """A copy with a value at an index."""
    x = x.clone()
    x[index] = value
    return x


E, T, V = torch.zeros(B, L, S), torch.zeros(S, S), torch.zeros(S)
P = torch.zeros(B, L - 1, S, S)
M = torch.tensor([[True, True, True], [True, False, True]])
TAGS = torch.zeros(B, L, dtype=torch.long)
PACKED = torch.nn.utils.rnn.pack_sequence([E[0], E[1, :2]])


def chain(**arguments) -> crf.LinearChain:
    return crf.LinearChain(**{"emissions": E, "transitions": T, "mask": M, **arguments})


# The argument of LinearChain, its value, the exception, and what its message must name.
CONSTRUCTION = [
    ("emissions", [[[0.0]]], TypeError, "Tensor|list"),
    ("emissions", [E[0], E[1, :2]], TypeError, "list|pad_sequence(emissions|mask"),
    ("emissions", PACKED, TypeError, "PackedSequence|pad_packed_sequence|mask|lengths"),
    ("emissions", E.long(), TypeError, "float|int64"),
    ("emissions", E[0], ValueError, "B, L, S|3, 4"),
    ("emissions", torch.zeros(2, 3, 0), ValueError, "tag|2, 3, 0"),
    ("transitions", None, TypeError, "NoneType"),
    ("transitions", T[:3, :3], ValueError, "4, 4|3, 3"),
    ("transitions", torch.zeros(B, L, S, S), ValueError, "2, 2, 4, 4|2, 3, 4, 4"),
    ("transitions", T.bool(), TypeError, "bool"),
    ("start", torch.zeros(5), ValueError, "4|5"),
    ("start", torch.zeros(B, 5), ValueError, "[4]|[2, 5]|one score per tag"),
    ("start", torch.zeros(B, S), ValueError, "[4]|[2, 4]|the emissions of its first token"),
    ("end", torch.zeros(B, S), ValueError, "[4]|[2, 4]|the emissions of its last token"),
    ("mask", torch.tensor([3, 2]), ValueError, "[2]|torch.arange(|< lengths[:, None]"),
    ("start", [0.0] * S, TypeError, "list"),
    ("end", torch.zeros(3), ValueError, "4|3"),
    ("end", 0.0, TypeError, "float"),
    ("mask", M[:, :2], ValueError, "2, 3|2, 2"),
    ("mask", M.float(), TypeError, "bool|float32"),
    ("mask", 2 * M.byte(), ValueError, "0 and 1|2|0, 0"),
    ("mask", M.T, ValueError, "2, 3|3, 2|transpose(0, 1)"),
    ("mask", M.tolist(), TypeError, "bool|list|torch.as_tensor(mask).bool()"),
    ("mask", [3, 2], TypeError, "bool|list|make a tensor of them|< lengths[:, None]"),
    ("emissions", put(E, (1, 2, 3), NAN), ValueError, "nan|1, 2, 3"),
    ("emissions", put(E, (0, 1, 2), INF), ValueError, "inf|0, 1, 2"),
    ("emissions", put(E.double(), (1, 0), 1.7e308), ValueError, "1e+300|1.7e+308|[1, 0, 0]"),
    ("transitions", put(P, (1, 1, 2, 1), NAN), ValueError, "nan|1, 1, 2, 1"),
    ("transitions", put(T.double(), (1, 0), -1.7e308), ValueError, "1e+300|-1.7e+308|[1, 0]"),
    ("start", put(V, (2,), NAN), ValueError, "nan|2"),
    ("end", put(V, (3,), INF), ValueError, "inf|3"),
    ("transitions", T.to("meta"), ValueError, "cpu|meta"),
    ("mask", M.to("meta"), ValueError, "cpu|meta"),
    ("backend", "magic", ValueError, "auto|plain|magic"),
]
# A call, the exception, the argument, and what the message must name.
CALLS = [
    (lambda: chain().score([[0] * 3] * 2), TypeError, "tags", "list"),
    (lambda: chain().score(TAGS.float()), TypeError, "tags", "float32"),
    (lambda: chain().score(TAGS[:, :2]), ValueError, "tags", "2, 3|2, 2"),
    (lambda: chain().score(put(TAGS, (1, 2), 4)), ValueError, "tags", "3|4|row 1|step 2"),
    (lambda: chain().log_prob(put(TAGS, (1, 0), 99)), ValueError, "tags", "99|row 1|step 0"),
    (lambda: chain().log_prob(TAGS.to("meta")), ValueError, "tags", "cpu|meta"),
    (lambda: chain().clamp(put(TAGS, (0, 2), 7)), ValueError, "tags", "7|row 0|step 2"),
    (lambda: chain().topk(0), ValueError, "k", "1|0"),
    (lambda: chain().topk(1.5), TypeError, "k", "int|float"),
    (lambda: chain().topk(10**6), ValueError, "k", "1,000|64"),
    (lambda: crf.LinearChain(torch.zeros(1, 50, 4), T).topk(10**9), ValueError, "k", "at most"),
    (lambda: chain().sample(10**12), ValueError, "n", "at most"),
    (lambda: chain().sample(-1), ValueError, "n", "-1"),
    (lambda: chain().sample(2.0), TypeError, "n", "int|float"),
    (lambda: chain(emissions=put(E, (1, 0), -INF)).sample(1), ValueError, "sample", "rows [1]"),
    (lambda: chain().kl(crf.LinearChain(E[:, :2], T)), ValueError, "other", "2, 3, 4|2, 2, 4"),
    (lambda: chain().kl(crf.LinearChain(E, T)), ValueError, "other", "mask"),
    (lambda: chain().cross_entropy(None), TypeError, "other", "NoneType"),
]


def refuses(call, kind: type[Exception], name: str, fragments: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    message = str(caught.value)
    assert caught.type is kind, f"{caught.type.__name__}: {message}"
    for fragment in (*fragments.split("|"), "expected", "got"):
        assert fragment in message, f"{fragment!r} is not in: {message}"
    assert message.startswith(name), message
    assert ";" in message, f"it does not say what to do: {message}"


@pytest.mark.parametrize(("name", "value", "kind", "fragments"), CONSTRUCTION)
def test_construction(name: str, value, kind: type[Exception], fragments: str):
    given = {"emissions": E, "transitions": T, name: value}
    refuses(lambda: crf.LinearChain(**given), kind, name, fragments)


@pytest.mark.parametrize(("call", "kind", "name", "fragments"), CALLS)
def test_calls(call, kind: type[Exception], name: str, fragments: str):
    refuses(call, kind, name, fragments)


def test_what_is_not_refused():
    low = [torch.full_like(x, -INF) for x in (E, T, V, V)]
    assert not crf.LinearChain(*low).feasible.any()
    assert chain(emissions=put(E, (1, 1), NAN)).log_partition.isfinite().all()  # a masked cell
    assert chain().score(put(TAGS, (1, 1), 99)).isfinite().all()
    assert chain().clamp(put(TAGS, (1, 1), -7)).feasible.all()
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
        assert torch.equal(chain().score(TAGS.to(dtype)), chain().score(TAGS))
    crf.LinearChain(put(E, (0, 0, 0), NAN), T, validate=False)  # shapes are looked at, all the same
    with pytest.raises(ValueError, match="emissions"):
        crf.LinearChain(E[0], T, validate=False)


def test_the_remedy_is_about_this_argument():
    """A network's output without its last layer; no hint about emissions for another argument."""
    with pytest.raises(ValueError, match=r"768, but there are 4 tags: put a torch.nn.Linear"):
        crf.ChainCRF(4).decode(torch.zeros(2, 7, 768))
    for name, wrong in (("start", torch.zeros(2, 5)), ("transitions", torch.zeros(4))):
        with pytest.raises(ValueError, match=f"{name}: expected shape") as caught:
            chain(**{name: wrong})
        assert "unsqueeze" not in str(caught.value)
    with pytest.raises(TypeError, match=r"tags: .* pad it with .*pad_sequence\(tags"):
        crf.ChainCRF(4)(E, [TAGS[0], TAGS[1, :2]])
