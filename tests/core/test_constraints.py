"""Constraints: which label may follow which, applied alike wherever a chain is used."""

import itertools
import math

import pytest
import torch

import crf
from tests.core.batches import small
from tests.core.checks import close, same
from tests.core.oracle import Row

INF = math.inf
SEQUENCES = 4  # all label sequences up to this length


def span(scheme: str, kind: str, length: int, continues: bool) -> list[str]:
    """The labels of a span; `continues`: another one of its type is right before it."""
    if scheme == "IOB1":
        letters = ("B" if continues else "I") + "I" * (length - 1)
    elif scheme in ("BIO", "IOB2"):
        letters = "B" + "I" * (length - 1)
    else:
        middle, last, single = {"BIOES": "IES", "BIOUL": "ILU", "BMES": "MES"}[scheme]
        letters = single if length == 1 else "B" + middle * (length - 2) + last
    return [letter + kind for letter in letters]


def written(scheme: str, labels: list[str], length: int) -> set[tuple[str, ...]]:
    """All ways to write spans and tokens outside of them with these labels."""
    kinds = {label[1:] for label in labels if label[0] not in "O[<"}
    outside = [x for x in labels if x == "O" or (x[0] in "[<" and "pad" not in x.lower())]
    found = set()

    def extend(done: tuple[str, ...], last_kind: str | None) -> None:
        if len(done) == length:
            found.add(done)
            return
        for label in outside:
            extend((*done, label), None)
        for kind in kinds:
            for size in range(1, length - len(done) + 1):
                new = span(scheme, kind, size, kind == last_kind)
                if set(new) <= set(labels):
                    extend((*done, *new), kind)

    extend((), None)
    return found


def allowed_by(table: crf.Constraints, path: tuple[int, ...]) -> bool:
    steps = all(table.transitions[a, b] for a, b in itertools.pairwise(path))
    return bool(steps and table.start[path[0]] and table.end[path[-1]])


BIO = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
BIOES = ["B-X", "I-X", "E-X", "S-X", "O", "E-Y", "B-Y"]


class TestSchemes:
    @pytest.mark.parametrize(
        ("scheme", "labels", "recognised"),
        [
            ("BIO", BIO, True),
            ("IOB2", ["I-X", "O", "B-X"], True),
            ("IOB1", ["O", "I-X", "B-X", "I-Y"], True),
            ("IOB1", ["O", "I-X", "B-X"], False),  # the same names as BIO's
            ("BIOES", BIOES, True),
            ("BIOUL", ["U-X", "L-X", "I-X", "B-X", "O"], True),
            ("BMES", [*"SBME"], True),
            ("BIO", ["[PAD]", "I-X", "[CLS]", "B-X", "O"], True),
            ("BIOES", ["O", "S-X", "<s>", "E-X", "B-X", "<pad>"], True),
        ],
        ids=str,
    )
    def test_every_sequence_up_to_four_labels(self, scheme, labels, recognised):
        table = crf.Constraints.of(labels, scheme)
        for m in range(1, SEQUENCES + 1):
            legal = written(scheme, labels, m)
            for path in itertools.product(range(len(labels)), repeat=m):
                names = tuple(labels[tag] for tag in path)
                assert allowed_by(table, path) == (names in legal), names
        label2id = {label: labels.index(label) for label in sorted(labels)}
        for given in (labels, label2id, {str(i): x for x, i in label2id.items()}):
            own = crf.Constraints.of(given, "auto" if recognised else scheme)
            same(own.transitions, table.transitions)
            same(own.start, table.start)

    @pytest.mark.parametrize(
        ("labels", "scheme", "kind", "message"),
        [
            (["O", "NN"], "auto", ValueError, "labels.*'NN' at index 1"),
            (["O", "B-X", "E-X", "L-X"], "auto", ValueError, "labels.*one scheme.*E-X, L-X"),
            (["O", "B-X"], "BIOEX", ValueError, "scheme.*BILOU.*'BIOEX'"),
            (["O", "B-PER", "L-PER"], "BIOES", ValueError, "labels.*L-PER.*index 2"),
            ({"O": 0, "B-X": 2}, "auto", ValueError, r"labels.*0 to 1.*\[0, 2\]"),
            (["O", 3], "auto", TypeError, "labels.*int at index 1"),
            ("BMES", "auto", TypeError, "labels.*list of names.*str"),
            *(
                (["O", x], "BIO", ValueError, "labels.*index 1")
                for x in ("X", "B_P", "", "b-P", "I-")
            ),
        ],
    )
    def test_what_is_no_set_of_labels(self, labels, scheme, kind, message):
        with pytest.raises(kind, match=message):
            crf.Constraints.of(labels, scheme)

    def test_a_default_device_without_data(self):
        with torch.device("meta"):
            tables = [crf.Constraints.bio(BIO), crf.Constraints.none(2).at([{0}, None])]
        assert all(table.start.device.type == "cpu" for table in tables)
        assert tables[1].positions.tolist() == [[[True, False], [True, True]]]


def test_a_plain_table():
    table = crf.Constraints.table([[True, False], [True, True]], end=[False, True])
    same(table.transitions, [[True, False], [True, True]])
    same(table.start, [True, True])
    same(table.end, [False, True])
    for name, kind, wrong, start in (
        ("transitions", ValueError, [[True, False]], None),
        ("start", ValueError, [[True] * 2] * 2, [[True, True]]),
        ("transitions", TypeError, [[0.5, 1.0], [0.0, 1.0]], None),
    ):
        with pytest.raises(kind, match=name):
            crf.Constraints.table(wrong, start=start)


class TestApplication:
    """One set of allowed paths in loss, marginals, decoding, k-best and sampling."""

    def setting(self, allowed: torch.Tensor | None = None):
        """A model, emissions of two sentences, and the oracle for each."""
        table = crf.Constraints.bio(BIO)
        model, emissions, _ = small(5, constraints=table)
        tables = (table.transitions, table.start, table.end)
        scores = (
            torch.where(fine, scores.detach(), -INF).tolist()
            for fine, scores in zip(tables, model.parameters(), strict=True)
        )
        own = emissions if allowed is None else torch.where(allowed, emissions, -INF)
        shared = list(scores)
        return model, emissions, [Row(x.tolist(), *shared, [True] * 4) for x in own]

    @pytest.mark.parametrize("sets", [False, True], ids=["scheme", "sets of tags, too"])
    def test_everything(self, sets: bool, generator):
        allowed = torch.ones(2, 4, 5, dtype=torch.bool)
        if sets:
            allowed[0, 1, 0] = allowed[0, 2, 2] = allowed[1, 0, 1] = False
        model, emissions, rows = self.setting(allowed)
        given = {"allowed": allowed} if sets else {}
        chain = model.chain(emissions, **given)
        for name in ("log_partition", "marginals", "pair_marginals", "entropy"):
            close(getattr(chain, name), [getattr(row, name) for row in rows])
        best = chain.topk(max(len(row.ranked) for row in rows) + 3)
        for b, row in enumerate(rows):
            assert best.valid[b].sum() == len(row.ranked)
            close(best.scores[b, : len(row.ranked)], row.ranked)
        assert model.decode(emissions, **given) == [list(row.best) for row in rows]
        for path in list(rows[0].probabilities)[::7]:
            loss = model(emissions, torch.tensor([path, rows[1].best]), reduction="none", **given)
            close(loss[0], -rows[0].log_prob(path))
        for line in chain.sample(500, generator)[:, 0].tolist():
            assert rows[0].score(line) > -INF
        # greedy without constraints breaks them here, so that this test can fail
        assert rows[0].score(rows[0].greedy()) == -INF

    def test_forbidden_parameters_get_no_gradient_and_stay_as_they_are(self):
        model, emissions, rows = self.setting()
        before = [parameter.detach().clone() for parameter in model.parameters()]
        table = crf.Constraints.bio(BIO)
        model(emissions, torch.tensor([row.best for row in rows])).backward()
        assert not model.transitions.grad[~table.transitions].any()
        assert not model.start_transitions.grad[~table.start].any()
        assert model.transitions.grad[table.transitions].any()
        for parameter, then in zip(model.parameters(), before, strict=True):
            assert torch.equal(parameter, then)

    @pytest.mark.parametrize("ask", ["decode", "chain", "restrict", "partial_nll"])
    def test_sets_say_the_same_in_each_form_everywhere(self, ask):
        model, emissions, _ = self.setting()
        sets = [[{0, 1}, None, {2}, [1, 2]], [None, None, {3}]]  # the second is a word shorter
        table = torch.zeros(2, 4, 5, dtype=torch.bool)
        for b, row in enumerate(sets):
            for t in range(4):
                cell = row[t] if t < len(row) else None
                table[b, t, list(range(5) if cell is None else cell)] = True
        answers = {
            "decode": lambda allowed: model.decode(emissions, allowed=allowed),
            "chain": lambda allowed: model.chain(emissions, allowed=allowed).log_partition.tolist(),
            "restrict": lambda allowed: model.chain(emissions).restrict(allowed).viterbi().tags,
            "partial_nll": lambda allowed: model.partial_nll(emissions, allowed).tolist(),
        }
        answer = answers[ask]
        assert torch.equal(torch.as_tensor(answer(sets)), torch.as_tensor(answer(table)))
        first = [*table[:1]]
        assert torch.equal(
            torch.as_tensor(answer([sets[0], sets[0]])), torch.as_tensor(answer(first[0]))
        )

    def test_sets_that_do_not_fit(self):
        model, emissions, _ = self.setting()
        allowed = torch.ones(2, 4, 5, dtype=torch.bool)
        for call, kind in (
            (lambda: model.chain(emissions, allowed=allowed[:, :3]), ValueError),
            (lambda: model.decode(emissions, allowed=allowed.float()), TypeError),
            (lambda: model.decode(emissions[:1], allowed=[{0}, {7}, None, None]), ValueError),
            (lambda: model.decode(emissions, allowed=[{0}]), ValueError),
            (lambda: model.decode(emissions, allowed=[{0}] * 4), ValueError),  # for which of two?
            (lambda: model.decode(emissions, allowed=[[{0}] * 5, [{0}]]), ValueError),
            (lambda: model.decode(emissions, allowed=[["O"], [None]]), TypeError),
        ):
            with pytest.raises(kind, match=r"^allowed: expected"):
                call()
        with pytest.raises(ValueError, match=r"^positions: expected tags from 0 to 2, got 7"):
            crf.Constraints.none(3).at([{7}])
        allowed[1, 0, 0] = False
        with pytest.raises(ValueError, match="row 1, step 0"):
            model(emissions, torch.zeros(2, 4, dtype=torch.long), allowed=allowed)
