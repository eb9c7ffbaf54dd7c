"""The lesson "Constraints": counts and probabilities path by path, and the page as it is opened."""

import math
import re
from itertools import pairwise, product

import pytest
import torch

from crf import LinearChain
from pages.constraints import rules as ruled
from pages.constraints import sections
from pages.constraints.rules import Rules
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.ui.cell_table import check_pick
from tests.apps import html_of, opened, press, text_of, unfolded

PARIS = EXAMPLES["paris-hilton"].problem
BIO = Rules("names")


def legal(path, tags):
    """The scheme in plain words: I-X only after B-X or I-X."""
    names = [tags[s] for s in path]
    return all(
        not tag.startswith("I") or (k and names[k - 1][0] in "BI" and names[k - 1][1:] == tag[1:])
        for k, tag in enumerate(names)
    )


def weights(problem):
    """exp(score) of every path, by plain floats."""
    every = product(range(len(problem.tags)), repeat=len(problem.tokens))
    found = {}
    for path in every:
        score = problem.start[path[0]] + problem.end[path[-1]]
        score += sum(problem.emissions[t][s] for t, s in enumerate(path))
        score += sum(problem.matrix(t)[path[t - 1]][path[t]] for t in range(1, len(problem.tokens)))
        found[path] = math.exp(score) if score > -math.inf else 0.0
    return found


class TestRules:
    def test_the_scheme_is_read_off_the_tags(self):
        assert ruled.scheme_of(("O", "B-PER", "I-PER")) == "bio"
        assert ruled.scheme_of(("B", "I", "O")) == "bio"
        assert ruled.scheme_of(("O", "B-X", "I-X", "E-X", "S-X")) == "bioes"
        for tags in (("DET", "NOUN"), ("O", "I-X"), ("B", "Bad", "O")):
            assert ruled.scheme_of(tags) == "all"

    def test_tags_without_a_scheme_have_a_rule_to_try(self):
        for tags, forbidden in (
            (("DET", "VERB", "NOUN"), [[2, 1]]), (("DET", "NOUN"), [[0, 0], [1, 1]]), (("H",), []),
        ):  # fmt: skip
            problem = Problem.blank(tags, ["x"])
            allowed = BIO.of(problem)
            assert (~allowed.transitions).nonzero().tolist() == forbidden
            assert allowed.start.all()
            assert allowed.end.all()
            assert Rules("all").of(problem).transitions.all()

    def test_counts_and_masses_path_by_path(self):
        found = weights(PARIS)
        allowed = [path for path in found if legal(path, PARIS.tags)]
        assert [path for path in found if ruled.is_legal(path, PARIS, BIO)] == allowed
        assert (ruled.count(PARIS, BIO), ruled.count(PARIS)) == (len(allowed), 5**5)
        share = sum(found[path] for path in allowed) / sum(found.values())
        assert math.exp(ruled.log_legal(PARIS, BIO)) == pytest.approx(share, rel=1e-12)
        held = ruled.constrained(PARIS, BIO).chain()
        assert isinstance(held, LinearChain)
        assert tuple(held.viterbi().tags[0].tolist()) == max(allowed, key=found.get)
        left = sum(w for y, w in found.items() if y[1] != 0 and y[0] != 3)
        known = ruled.known(PARIS, frozenset({(1, 0), (0, 3)}))
        p = PARIS.chain().partial_log_prob(known).exp().item()
        assert p == pytest.approx(left / sum(found.values()), rel=1e-12)

    def test_counts_are_exact_beyond_floats(self):
        long = Problem.blank(["B", "I", "O"], ["x"] * 60)
        b, i, o = 1, 0, 1
        for _ in range(59):
            b, i, o = b + i + o, b + i, b + i + o
        assert ruled.count(long, BIO) == b + i + o > 2**60

    def test_a_cell_turned_round_is_turned_round(self):
        S = len(PARIS.tags)
        rules = Rules("all", frozenset({(0, 1), (S, 2), (3, S), (99, 0)}))
        table = rules.of(PARIS)
        assert not table.transitions[0, 1]
        assert not table.start[2]
        assert not table.end[3]
        assert table.transitions.sum() == S * S - 1
        ribbons, blocks = ruled.cuts(PARIS, rules)
        assert ribbons == {(t, 0, 1) for t in range(4)}
        assert blocks == {(0, 2), (4, 3)}


class TestWhatComesFromTheBrowser:
    def test_a_pick_is_of_a_cell_that_is_drawn(self):
        shown = sections.table_data(PARIS, BIO)
        for said in (None, "0", [0], [0, 0, 0], [True, 0], [-1, 0], [0, 6], [6, 0], [0, 5],
                      [1.0, 1], {}):  # fmt: skip
            assert check_pick(said, shown) is None
        assert check_pick([0, 2], shown) == (0, 2)
        assert shown["rows"][0]["name"] == "START"
        assert "I-PER: forbidden" in shown["rows"][1]["cells"][2][3]

    def test_a_pick_turns_the_cell_that_is_drawn_there(self, monkeypatch):
        found = []
        monkeypatch.setattr(type(sections.FLIPPED), "set", lambda self, cells: found.append(cells))
        monkeypatch.setattr(type(sections.FLIPPED), "value", frozenset())
        for at in ([0, 2], [1, 2]):
            sections._turn(PARIS, at)
        assert found == [{(len(PARIS.tags), 2)}, {(0, 2)}]

    def test_an_address_that_cannot_be(self):
        for text in ("1.2.3", "-1.2", "<b>"):
            app = opened("constraints", ex="paris-hilton", flip=text)
            assert not app.exception
            assert app.query_params.get("flip") is None


class TestPage:
    def test_it_begins_with_names_where_nobody_chose_and_a_link_keeps_its_example(self):
        app = opened("constraints")
        assert "paris-hilton" in app.query_params["ex"]
        assert app.session_state["shared_problem"].problem == EXAMPLES["paris-hilton"].problem
        rows = sections.obedience(EXAMPLES["paris-hilton"].problem, Rules("names"))
        assert len({one.path for one in rows}) == 4  # four decoders, four paths
        app = opened("constraints", ex="old-man")
        assert app.session_state["shared_problem"].problem == EXAMPLES["old-man"].problem
        assert "old-man" in app.query_params["ex"]
        assert "old-man" in opened("constraints", table="1").query_params["ex"]

    def test_the_numbers_are_those_of_the_paths(self):
        said = html_of(opened("constraints", ex="paris-hilton"))
        illegal = -math.expm1(ruled.log_legal(PARIS, BIO))
        for number in ("571", "3,125", f"{illegal:.3f}"):
            assert f"<strong>{number}</strong>" in said
        assert "✗ forbidden" in said

    def test_a_presenter_s_keys_apply_the_table_and_take_it_away(self):
        app = opened("constraints", ex="paris-hilton", screen="1")
        for label, applied in (("Apply the table", True), ("Without the table", False)):
            press(app, label)
            assert not app.exception
            assert app.session_state[sections.APPLY.key] is applied
            assert ("With the table it is" in html_of(app)) == applied

    def test_the_first_screen_has_what_its_text_speaks_of(self):
        app = opened("constraints", ex="old-man")
        scheme = next(g for g in app.button_group if g.key == "constraints.scheme")
        assert scheme.options == ["No NOUN → VERB", "All allowed"]
        said = html_of(app)
        assert "a VERB right after a NOUN" in said
        assert "forbids nothing" not in said
        free = [y for y in product(range(4), repeat=5) if (2, 3) not in pairwise(y)]
        assert f"<strong>{len(free)}</strong>" in said

    @pytest.mark.parametrize("example", ["bio", "old-man", "paris-hilton"])
    def test_where_the_table_changes_nothing_an_example_is_offered(self, example):
        keys = [button.key for button in opened("constraints", ex=example).button]
        assert ("constraints.example" in keys) == (example != "paris-hilton")

    def test_whether_it_does_nothing_path_by_path(self):
        some = Rules("all", frozenset({(0, 1), (1, 0)}))
        for name, rules in product(("bio", "fifty", "rib-rob", "no-path"), (BIO, some)):
            problem = EXAMPLES[name].problem
            every = product(range(len(problem.tags)), repeat=len(problem.tokens))
            forbidden = (y for y in every if not ruled.is_legal(y, problem, rules))
            scores = problem.chain().score(torch.tensor([list(forbidden)]).transpose(0, 1))
            assert ruled.does_nothing(problem, rules) == (scores == -math.inf).all().item()

    def test_a_share_that_is_almost_nothing_is_not_0(self):
        said = text_of(unfolded("constraints", "when", ex="fifty", scheme="all", flip="0.1"))
        assert re.search(r"divided by the allowed mass, [\d.]+ × 10⁻", said)

    def test_the_address_holds_it_all_also_where_nothing_is_left(self):
        S = len(PARIS.tags)
        flipped = "~".join(f"{S}.{s}" for s in (0, 1, 3))
        given = {"ex": "paris-hilton", "table": "1", "flip": flipped, "out": "0.0"}
        app = opened("constraints", **given)
        assert app.toggle(key="constraints.apply").value
        assert {k: "".join(v) for k, v in app.query_params.items()} == given
        assert "nothing to draw" in app.warning[0].value

    def test_the_library_s_refusal_is_the_library_s(self):
        said = sections.refusal(PARIS, BIO)
        assert "row 0" in said
        assert sections.refusal(PARIS, Rules("all")) is None
        assert "best path [-1, -1]" in sections.invented()
        assert "best path [0, 0]" in sections.invented()

    def test_the_question_has_its_answer(self):
        app = opened("constraints", ex="paris-hilton")
        field = next(f for f in app.text_input if "are B, I and O" in f.label)
        length = int(field.key.split(".")[2])
        right = sum(legal(y, "BIO") for y in product(range(3), repeat=length))
        field.set_value(str(right))
        assert press(app, "Check").success

    def test_what_was_turned_round_goes_with_its_tags(self):
        app = opened("constraints", flip="4.0", out="0.1")  # START → DET; The: not ADJ
        assert "780" not in html_of(app)
        app.session_state["shared_problem"].problem = PARIS
        said = html_of(app.run())
        assert "<strong>571</strong>" in said
        assert "p(what is left) = <strong>1</strong>" in said or "1.00" in said
        assert not {"flip", "out"} & set(app.query_params)
