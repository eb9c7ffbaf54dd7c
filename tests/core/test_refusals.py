"""Bad input: refused with the argument's name, what was expected, what came and where it stands."""

import math

import pytest
import torch

import crf

B, L, S = 2, 3, 4
NAN, INF = math.nan, math.inf


def with_value(x: torch.Tensor, index: tuple[int, ...], value: float) -> torch.Tensor:
    x = x.clone()
    x[index] = value
    return x


E, T, V = torch.zeros(B, L, S), torch.zeros(S, S), torch.zeros(S)
P = torch.zeros(B, L - 1, S, S)
M = torch.tensor([[True, True, True], [True, False, True]])
TAGS = torch.zeros(B, L, dtype=torch.long)

# arguments of LinearChain → the exception, and what its message must name
CONSTRUCTION = {
    "emissions are a list": (dict(emissions=[[[0.0]]]), TypeError, ["emissions", "Tensor", "list"]),
    "emissions are integers": (
        dict(emissions=E.long()),
        TypeError,
        ["emissions", "float", "int64"],
    ),
    "emissions lack the batch": (
        dict(emissions=E[0]),
        ValueError,
        ["emissions", "B, L, S", "3, 4"],
    ),
    "emissions have no tags": (
        dict(emissions=torch.zeros(2, 3, 0), transitions=torch.zeros(0, 0)),
        ValueError,
        ["emissions", "tag", "2, 3, 0"],
    ),
    "transitions are missing": (dict(transitions=None), TypeError, ["transitions", "NoneType"]),
    "transitions of other tags": (
        dict(transitions=T[:3, :3]),
        ValueError,
        ["transitions", "4, 4", "3, 3"],
    ),
    "transitions not square": (
        dict(transitions=T[:, :3]),
        ValueError,
        ["transitions", "4, 4", "4, 3"],
    ),
    "transitions for L steps": (
        dict(transitions=torch.zeros(B, L, S, S)),
        ValueError,
        ["transitions", "2, 2, 4, 4", "2, 3, 4, 4"],
    ),
    "transitions without batch": (
        dict(transitions=P[0, :1]),
        ValueError,
        ["transitions", "1, 4, 4"],
    ),
    "transitions are boolean": (dict(transitions=T.bool()), TypeError, ["transitions", "bool"]),
    "start is too long": (dict(start=torch.zeros(5)), ValueError, ["start", "4", "5"]),
    "start is per row": (dict(start=torch.zeros(B, S)), ValueError, ["start", "4", "2, 4"]),
    "start is a list": (dict(start=[0.0] * S), TypeError, ["start", "list"]),
    "end is too short": (dict(end=torch.zeros(3)), ValueError, ["end", "4", "3"]),
    "end is a number": (dict(end=0.0), TypeError, ["end", "float"]),
    "mask of another length": (dict(mask=M[:, :2]), ValueError, ["mask", "2, 3", "2, 2"]),
    "mask of numbers": (dict(mask=M.float()), TypeError, ["mask", "bool", "float32"]),
    "mask of other numbers": (
        dict(mask=2 * M.byte()),
        ValueError,
        ["mask", "0 and 1", "2", "0, 0"],
    ),
    "mask is time-major": (dict(mask=M.T), ValueError, ["mask", "2, 3", "3, 2", "transpose(0, 1)"]),
    "mask is a list": (dict(mask=M.tolist()), TypeError, ["mask", "bool", "list"]),
    "nan in emissions": (
        dict(emissions=with_value(E, (1, 2, 3), NAN)),
        ValueError,
        ["emissions", "nan", "1, 2, 3"],
    ),
    "+inf in emissions": (
        dict(emissions=with_value(E, (0, 1, 2), INF)),
        ValueError,
        ["emissions", "inf", "0, 1, 2"],
    ),
    "nan in transitions": (
        dict(transitions=with_value(T, (2, 1), NAN)),
        ValueError,
        ["transitions", "nan", "2, 1"],
    ),
    "+inf in transitions": (
        dict(transitions=with_value(T, (0, 3), INF)),
        ValueError,
        ["transitions", "inf", "0, 3"],
    ),
    "nan in one step's": (
        dict(transitions=with_value(P, (1, 0, 2, 1), NAN)),
        ValueError,
        ["transitions", "nan", "1, 0, 2, 1"],
    ),
    "nan in start": (dict(start=with_value(V, (2,), NAN)), ValueError, ["start", "nan", "2"]),
    "+inf in end": (dict(end=with_value(V, (3,), INF)), ValueError, ["end", "inf", "3"]),
    "transitions elsewhere": (
        dict(transitions=T.to("meta")),
        ValueError,
        ["transitions", "cpu", "meta"],
    ),
    "start elsewhere": (dict(start=V.to("meta")), ValueError, ["start", "cpu", "meta"]),
    "mask elsewhere": (dict(mask=M.to("meta")), ValueError, ["mask", "cpu", "meta"]),
    "unknown backend": (dict(backend="magic"), ValueError, ["backend", "auto", "plain", "magic"]),
}


def refuses(kind: type[Exception], fragments: list[str], call) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    message = str(caught.value)
    assert caught.type is kind, f"{caught.type.__name__}: {message}"
    for fragment in (*fragments, "expected", "got"):
        assert fragment in message, f"{fragment!r} is not in: {message}"
    assert message.startswith(fragments[0]), message
    assert ";" in message, f"it does not say what to do: {message}"


@pytest.mark.parametrize("name", CONSTRUCTION)
def test_construction(name: str):
    arguments, kind, fragments = CONSTRUCTION[name]
    given = {"emissions": E, "transitions": T, **arguments}
    refuses(kind, fragments, lambda: crf.LinearChain(**given))


def chain(**arguments) -> crf.LinearChain:
    return crf.LinearChain(**{"emissions": E, "transitions": T, "mask": M, **arguments})


# a call → the exception, and what its message must name
CALLS = {
    "score: no tensor": (lambda: chain().score([[0] * 3] * 2), TypeError, ["tags", "list"]),
    "score: floats": (lambda: chain().score(TAGS.float()), TypeError, ["tags", "float32"]),
    "score: shape": (lambda: chain().score(TAGS[:, :2]), ValueError, ["tags", "2, 3", "2, 2"]),
    "score: rows": (lambda: chain().score(TAGS[:1]), ValueError, ["tags", "2, 3", "1, 3"]),
    "score: too large": (
        lambda: chain().score(with_value(TAGS, (1, 2), 4)),
        ValueError,
        ["tags", "3", "4", "row 1", "step 2"],
    ),
    "score: negative": (
        lambda: chain().score(with_value(TAGS, (0, 1), -1)),
        ValueError,
        ["tags", "-1", "row 0", "step 1"],
    ),
    "log_prob: too large": (
        lambda: chain().log_prob(with_value(TAGS, (1, 0), 99)),
        ValueError,
        ["tags", "99", "row 1", "step 0"],
    ),
    "log_prob: elsewhere": (
        lambda: chain().log_prob(TAGS.to("meta")),
        ValueError,
        ["tags", "cpu", "meta"],
    ),
    "clamp: too large": (
        lambda: chain().clamp(with_value(TAGS, (0, 2), 7)),
        ValueError,
        ["tags", "7", "row 0", "step 2"],
    ),
    "clamp: floats": (lambda: chain().clamp(TAGS.double()), TypeError, ["tags", "float64"]),
    "topk: none": (lambda: chain().topk(0), ValueError, ["k", "1", "0"]),
    "topk: negative": (lambda: chain().topk(-2), ValueError, ["k", "-2"]),
    "topk: fraction": (lambda: chain().topk(1.5), TypeError, ["k", "int", "float"]),
    "topk: more than there are": (lambda: chain().topk(10**6), ValueError, ["k", "1,000", "64"]),
    "topk: beyond memory": (
        lambda: crf.LinearChain(torch.zeros(1, 50, 4), T).topk(10**9),
        ValueError,
        ["k", "1,000,000,000"],
    ),
    "sample: beyond memory": (lambda: chain().sample(10**12), ValueError, ["n", "at most"]),
    "sample: beyond 64 bits": (lambda: chain().sample(2**63), ValueError, ["n", "at most"]),
    "topk: beyond 64 bits": (lambda: chain().topk(10**30), ValueError, ["k", "64"]),
    "sums beyond float64: +": (
        lambda: chain(emissions=with_value(E.double(), (1, 0), 1.7e308)),
        ValueError,
        ["emissions", "1e+300", "1.7e+308", "[1, 0, 0]"],
    ),
    "sums beyond float64: −": (
        lambda: chain(transitions=with_value(T.double(), (1, 0), -1.7e308)),
        ValueError,
        ["transitions", "1e+300", "-1.7e+308", "[1, 0]"],
    ),
    "sample: negative": (lambda: chain().sample(-1), ValueError, ["n", "-1"]),
    "sample: fraction": (lambda: chain().sample(2.0), TypeError, ["n", "int", "float"]),
    "sample: no path": (
        lambda: chain(emissions=with_value(E, (1, 0), -INF)).sample(1),
        ValueError,
        ["sample", "rows [1]"],
    ),
    "kl: no chain": (lambda: chain().kl(E), TypeError, ["other", "LinearChain", "Tensor"]),
    "kl: shape": (
        lambda: chain().kl(crf.LinearChain(E[:, :2], T)),
        ValueError,
        ["other", "2, 3, 4", "2, 2, 4"],
    ),
    "kl: mask": (lambda: chain().kl(crf.LinearChain(E, T)), ValueError, ["other", "mask"]),
    "cross_entropy: no chain": (
        lambda: chain().cross_entropy(None),
        TypeError,
        ["other", "NoneType"],
    ),
    "cross_entropy: tags": (
        lambda: chain().cross_entropy(crf.LinearChain(E[:, :, :3], T[:3, :3], mask=M)),
        ValueError,
        ["other", "2, 3, 4", "2, 3, 3"],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str):
    call, kind, fragments = CALLS[name]
    refuses(kind, fragments, call)


class TestWhatIsNotRefused:
    def test_minus_infinity_anywhere(self):
        low = [torch.full_like(x, -INF) for x in (E, T, V, V)]
        assert not crf.LinearChain(*low).feasible.any()

    def test_anything_at_masked_cells(self):
        emissions = with_value(E, (1, 1), NAN)
        assert chain(emissions=emissions).log_partition.isfinite().all()
        assert chain().score(with_value(TAGS, (1, 1), 99)).isfinite().all()
        assert chain().clamp(with_value(TAGS, (1, 1), -7)).feasible.all()

    def test_small_integer_dtypes_of_tags(self):
        for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
            assert torch.equal(chain().score(TAGS.to(dtype)), chain().score(TAGS))

    def test_values_are_not_looked_at_on_request(self):
        emissions = with_value(E, (0, 0, 0), NAN)
        crf.LinearChain(emissions, T, validate=False)
        with pytest.raises(ValueError, match="emissions"):
            crf.LinearChain(emissions[0], T, validate=False)
