"""Constraints: which label may follow which, applied alike wherever a chain is used."""

import itertools
import math

import pytest
import torch

import crf
from tests.core.checks import close, same
from tests.core.oracle import Row

INF = math.inf
SEQUENCES = 4  # all label sequences up to this length


def legal_bio(labels: tuple[str, ...]) -> bool:
    """I-X only after B-X or I-X."""
    before = "O"
    for label in labels:
        if label[0] == "I" and before not in (f"B{label[1:]}", label):
            return False
        before = label
    return True


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
            ("BMES", ["O", "B-X", "M-X", "E-X", "S-X"], True),
            ("BIO", ["[PAD]", "I-X", "[CLS]", "B-X", "O"], True),
            ("BIOES", ["O", "S-X", "<s>", "E-X", "B-X", "<pad>"], True),
        ],
        ids=str,
    )
    def test_every_sequence_up_to_four_labels(self, scheme, labels, recognised):
        table = crf.Constraints.of(labels, scheme)
        assert table.num_tags == len(labels)
        for m in range(1, SEQUENCES + 1):
            legal = written(scheme, labels, m)
            for path in itertools.product(range(len(labels)), repeat=m):
                names = tuple(labels[tag] for tag in path)
                assert allowed_by(table, path) == (names in legal), names
        if recognised:
            same(crf.Constraints.of(labels).transitions, table.transitions)
            same(crf.Constraints.of(labels).start, table.start)

    def test_a_label2id_in_any_order(self):
        table = crf.Constraints.bio(BIO)
        label2id = {label: BIO.index(label) for label in sorted(BIO)}
        id2label = {str(i): label for label, i in label2id.items()}
        for labels in (label2id, id2label):
            same(crf.Constraints.of(labels).transitions, table.transitions)

    @pytest.mark.parametrize(
        ("labels", "scheme", "kind", "message"),
        [
            (["O", "NN"], "auto", ValueError, "labels.*'NN' at index 1"),
            (["O", "B-X", "E-X", "L-X"], "auto", ValueError, "labels.*one scheme.*E-X, L-X"),
            (["O", "B-X"], "BIOEX", ValueError, "scheme.*BILOU.*'BIOEX'"),
            ({"O": 0, "B-X": 2}, "auto", ValueError, r"labels.*0 to 1.*\[0, 2\]"),
            (["O", 3], "auto", TypeError, "labels.*int at index 1"),
            ("BMES", "auto", TypeError, "labels.*list of names.*str"),
        ],
    )
    def test_what_is_no_set_of_labels(self, labels, scheme, kind, message):
        with pytest.raises(kind, match=message):
            crf.Constraints.of(labels, scheme)

    def test_a_default_device_without_data(self):
        with torch.device("meta"):
            tables = [crf.Constraints.bio(BIO), crf.Constraints.none(2).at([{0}, None])]
        assert all(table.start.device.type == "cpu" for table in tables)
        assert tables[1].positions.tolist() == [[True, False], [True, True]]

    def test_the_order_of_labels_does_not_matter(self):
        order = [3, 0, 4, 2, 1]
        table, moved = crf.Constraints.bio(BIO), crf.Constraints.bio([BIO[i] for i in order])
        same(moved.transitions, table.transitions[order][:, order])
        same(moved.start, table.start[order])

    @pytest.mark.parametrize("label", ["X", "E-PER", "B_PER", "", "b-PER", "I-"])
    def test_other_labels_are_refused_with_their_place(self, label: str):
        with pytest.raises(ValueError, match=r"labels.*index 1"):
            crf.Constraints.bio(["O", label])

    def test_a_label_of_bioes_that_is_none(self):
        with pytest.raises(ValueError, match=r"labels.*L-PER.*index 2"):
            crf.Constraints.bioes(["O", "B-PER", "L-PER"])


class TestTable:
    def test_from_nested_lists(self):
        table = crf.Constraints.table([[True, False], [True, True]], end=[False, True])
        same(table.transitions, [[True, False], [True, True]])
        same(table.start, [True, True])
        same(table.end, [False, True])

    def test_wrong_shapes_and_kinds(self):
        with pytest.raises(ValueError, match="transitions"):
            crf.Constraints.table([[True, False]])
        with pytest.raises(ValueError, match="start"):
            crf.Constraints.table([[True] * 2] * 2, start=[[True, True]])
        with pytest.raises(TypeError, match="transitions"):
            crf.Constraints.table([[0.5, 1.0], [0.0, 1.0]])


class TestApplication:
    """One set of allowed paths in loss, marginals, decoding, k-best and sampling."""

    S, L = 5, 4

    def setting(self) -> tuple[crf.ChainCRF, torch.Tensor, Row]:
        source = torch.Generator().manual_seed(14)
        table = crf.Constraints.bio(BIO)
        model = crf.ChainCRF(self.S, table).double()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=source))
        emissions = 2 * torch.randn(1, self.L, self.S, generator=source, dtype=torch.float64)
        forbid = [
            torch.where(allowed, scores.detach(), -INF).tolist()
            for allowed, scores in (
                (table.transitions, model.transitions),
                (table.start, model.start_transitions),
                (table.end, model.end_transitions),
            )
        ]
        return model, emissions, Row(emissions[0].tolist(), *forbid, [True] * self.L)

    def test_the_oracle_allows_what_the_scheme_does(self):
        _, _, row = self.setting()
        for path, score in row.paths.items():
            assert (score > -INF) == legal_bio(tuple(BIO[tag] for tag in path))

    def test_loss(self):
        model, emissions, row = self.setting()
        for path in list(row.probabilities)[::7]:
            close(model(emissions, torch.tensor([path])), -row.log_prob(path))

    def test_chain(self):
        model, emissions, row = self.setting()
        chain = model.chain(emissions)
        close(chain.log_partition[0], row.log_partition)
        close(chain.marginals[0], row.marginals)
        close(chain.pair_marginals[0], row.pair_marginals)
        close(chain.entropy[0], row.entropy)
        best = chain.topk(10_000 if len(row.ranked) > 10_000 else len(row.ranked) + 3)
        assert best.valid.sum() == len(row.ranked)
        close(best.scores[0, : len(row.ranked)], row.ranked)

    def test_decoding(self):
        model, emissions, row = self.setting()
        assert model.decode(emissions) == [list(row.best)]
        # greedy without constraints breaks them here, so that this test can fail
        assert not legal_bio(tuple(BIO[tag] for tag in row.greedy()))

    def test_sampling(self, generator):
        model, emissions, row = self.setting()
        for line in model.chain(emissions).sample(500, generator)[:, 0].tolist():
            assert row.score(line) > -INF

    def test_forbidden_parameters_get_no_gradient(self):
        model, emissions, row = self.setting()
        table = crf.Constraints.bio(BIO)
        model(emissions, torch.tensor([row.best])).backward()
        assert not model.transitions.grad[~table.transitions].any()
        assert not model.start_transitions.grad[~table.start].any()
        assert model.transitions.grad[table.transitions].any()

    def test_parameters_stay_as_they_are(self):
        model, emissions, _ = self.setting()
        before = [parameter.detach().clone() for parameter in model.parameters()]
        model.chain(emissions).log_partition.sum().backward()
        model.decode(emissions)
        for parameter, then in zip(model.parameters(), before, strict=True):
            assert torch.equal(parameter, then)
            assert parameter.isfinite().all()


class TestAllowedTagsPerPosition:
    """Sets of allowed tags per position, as a dictionary of known words gives them."""

    def setting(self):
        source = torch.Generator().manual_seed(17)
        model = crf.ChainCRF(3).double()
        emissions = torch.randn(2, 4, 3, generator=source, dtype=torch.float64)
        allowed = torch.ones(2, 4, 3, dtype=torch.bool)
        allowed[0, 1, 0] = allowed[0, 2, 2] = allowed[1, 0, 1] = False
        rows = [
            Row(
                torch.where(allowed[b], emissions[b], -INF).tolist(),
                model.transitions.tolist(),
                model.start_transitions.tolist(),
                model.end_transitions.tolist(),
                [True] * 4,
            )
            for b in range(2)
        ]
        return model, emissions, allowed, rows

    def test_chain_loss_and_decoding(self):
        model, emissions, allowed, rows = self.setting()
        chain = model.chain(emissions, allowed=allowed)
        close(chain.log_partition, [row.log_partition for row in rows])
        close(chain.marginals, [row.marginals for row in rows])
        gold = torch.tensor([row.best for row in rows])
        loss = model(emissions, gold, allowed=allowed, reduction="none")
        close(loss, [-row.log_prob(row.best) for row in rows])
        assert model.decode(emissions, allowed=allowed) == [list(row.best) for row in rows]

    def test_a_gold_tag_that_is_not_among_them(self):
        model, emissions, allowed, _ = self.setting()
        with pytest.raises(ValueError, match="row 1, step 0"):
            model(emissions, torch.tensor([[1, 1, 1, 1], [1, 1, 1, 1]]), allowed=allowed)

    def test_wrong_shapes(self):
        model, emissions, allowed, _ = self.setting()
        calls = [
            (lambda: model.chain(emissions, allowed=allowed[:, :3]), ValueError),
            (lambda: model.decode(emissions, allowed=allowed.float()), TypeError),
            (lambda: model.decode(emissions[:1], allowed=[{0}, {7}, None, None]), ValueError),
            (lambda: model.decode(emissions, allowed=[{0}]), ValueError),
        ]
        for call, kind in calls:
            with pytest.raises(kind, match=r"^allowed: expected"):
                call()
        with pytest.raises(ValueError, match=r"^positions: expected tags from 0 to 2, got 7"):
            crf.Constraints.none(3).at([{7}])
