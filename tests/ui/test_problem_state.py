"""The one problem of all lessons: from any address, through any change, and back."""

import math
from urllib.parse import parse_qsl, urlencode

import pytest

from crf.tagger import tokenise
from pages.shared.course.examples import DEFAULT, EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.problem_links import MAX_LINK
from pages.shared.figures.analysis import FREE, analyse
from pages.shared.ui import problem_state, sentence_scores, taggers

SMALL = Problem(
    ("D~N", "N*", "<b>"),
    ("the", "Straße & co"),
    ((5, -3, 0.125), (-0.25, math.log(0.4), -math.inf)),
    ((0, 1, 2), (-math.inf, 2, 0), (1, 1, 1e6)),
    (0, -1, -math.inf),
    (0.5, 0, 0),
)
LARGE = Problem.blank([f"T{s}" for s in range(12)], [f"w{t}" for t in range(20)]).per_step_form()


def reopened(session, query):
    """The session of somebody who opens a link with these values."""
    return session.open(**dict(parse_qsl(urlencode(query), keep_blank_values=True)))


def numbers(problem):
    rows = [*problem.emissions, problem.start, problem.end]
    steps = problem.transitions if problem.per_step else [problem.transitions]
    return [value for row in [*rows, *(r for matrix in steps for r in matrix)] for value in row]


class TestAddress:
    def test_an_empty_one_gives_the_default(self, session):
        assert problem_state.current() == EXAMPLES[DEFAULT].problem
        assert session.complaints() == []

    @pytest.mark.parametrize("name", list(EXAMPLES))
    def test_an_untouched_example_is_its_name(self, session, name):
        problem_state.use_example(name)
        assert problem_state.address() == ({} if name == DEFAULT else {"ex": name})
        reopened(session, {"ex": name})
        assert problem_state.current() == EXAMPLES[name].problem
        assert problem_state.origin().example == name

    @pytest.mark.parametrize("name", list(EXAMPLES))
    def test_an_edited_example_is_all_its_scores(self, session, name):
        problem = EXAMPLES[name].problem.with_score("start", 0, -1.25)
        problem_state.use_example(name)
        problem_state.change(problem, "start")
        query = problem_state.address()
        if name == "pair-potentials":  # nine matrices of sixteen digits
            assert query is None
            return
        assert "ex" not in query
        reopened(session, query)
        got = problem_state.current()
        assert (got.tags, got.tokens) == (problem.tags, problem.tokens)
        assert numbers(got) == pytest.approx(numbers(problem), rel=1e-5)
        assert session.complaints() == []

    def test_names_and_infinities_survive(self, session):
        problem_state.change(SMALL, "everything")
        reopened(session, problem_state.address())
        got = problem_state.current()
        assert (got.tags, got.tokens) == (SMALL.tags, SMALL.tokens)
        assert problem_state.origin().label == "a problem from a link"
        assert numbers(got) == pytest.approx(numbers(SMALL), rel=1e-5)

    def test_per_step_transitions_survive(self, session):
        problem = SMALL.add_token("x").per_step_form().with_score("transitions", (1, 2, 0), -7)
        problem_state.change(problem, "a step")
        reopened(session, problem_state.address())
        assert problem_state.current().per_step
        assert problem_state.current().matrix(2)[2][0] == -7

    def test_a_problem_that_is_too_large_has_none(self, session):
        problem_state.change(LARGE, "all")
        assert problem_state.address() is None
        problem_state.undo()
        assert problem_state.address() == {}

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ({"ex": "no-such"}, "no example called"),
            ({"ex": "<script>" * 1000}, "no example called"),
            ({"ex": ""}, "no example called"),
            ({"t": "A~B"}, "names under w"),
            ({"e": "1_2"}, "names under t"),
            ({"t": "A~B", "w": "x", "e": "1_2_3"}, "2 numbers"),
            ({"t": "A~B", "w": "x", "e": "1_nan"}, "a number"),
            ({"t": "A~B", "w": "x", "e": "1_inf"}, "a number"),
            ({"t": "A~B", "w": "x", "e": "1_99999999"}, "1e+06"),
            ({"t": "A~A", "w": "x"}, "link"),
            ({"t": "A*~B", "w": "x"}, "\\*0"),
            ({"t": "A~B", "w": "x", "e": "1_2", "a": "0_0~0_0", "p": "-"}, "both"),
            ({"t": "~".join(map(str, range(99))), "w": "x"}, "at most 20"),
            ({"t": "A", "w": "x", "e": "1" * (2 * MAX_LINK)}, "at most"),
            ({"t": "A\x00", "w": "x"}, "link"),
            ({"sentence": "They can fish", "keep": "0"}, "keep"),
            ({"sentence": "They can fish", "keep": "x"}, "keep"),
            ({"sentence": "They can fish", "keep": "٣"}, "keep"),
            ({"sentence": "They can fish", "tagger": "../../etc"}, "tagger"),
            ({"sentence": "They can fish", "tagger": "own"}, "tagger"),
            ({"sentence": ""}, "sentence"),
            ({"sentence": "fish " * 61}, "1 to 60 words"),
            ({"sentence": "x" * (taggers.MAX_CHARACTERS + 1)}, "longer text"),
        ],
    )
    def test_a_broken_one_gets_a_message_and_the_default(self, session, query, said):
        session.open(**query)
        assert problem_state.current() == EXAMPLES[DEFAULT].problem
        (message,) = session.complaints()
        assert said.replace("\\", "") in message
        assert len(message) < 500
        assert problem_state.current() == EXAMPLES[DEFAULT].problem
        assert session.complaints() == []  # said once

    def test_values_of_others_do_not_disturb(self, session):
        session.open(ex="bio", step="3", convention="pair", utm_source="x")
        assert problem_state.current() == EXAMPLES["bio"].problem
        assert session.complaints() == []


class TestWayBack:
    def test_forty_changes_back_and_no_further(self, session):
        problems = [problem_state.current()]
        for k in range(40):
            problems.append(problems[-1].with_score("start", 0, k + 1))
            problem_state.change(problems[-1], f"number {k + 1}")
        for k in reversed(range(40)):
            assert problem_state.undoable() == f"number {k + 1}"
            problem_state.undo()
            assert problem_state.current() == problems[k]
        assert problem_state.undoable() is None
        problem_state.undo()
        assert problem_state.current() == problems[0]

    def test_forty_changes_back_and_all_of_them_forth_again(self, session):
        problems = [problem_state.current()]
        for k in range(40):
            problems.append(problems[-1].with_score("start", 0, k + 1))
            problem_state.change(problems[-1], f"number {k + 1}")
        for _ in range(40):
            problem_state.undo()
        for k in range(40):
            assert problem_state.redoable() == f"number {k + 1}"
            problem_state.redo()
            assert problem_state.current() == problems[k + 1]
            assert problem_state.undoable() == f"number {k + 1}"
        assert problem_state.redoable() is None
        problem_state.redo()
        assert problem_state.current() == problems[40]

    def test_another_change_leaves_nothing_to_make_again(self, session):
        first = problem_state.current()
        problem_state.change(first.with_score("start", 0, 1), "one")
        problem_state.undo()
        problem_state.change(first, "nothing")  # none
        assert problem_state.redoable() == "one"
        problem_state.change(first.with_score("start", 0, 2), "two")
        assert problem_state.redoable() is None

    def test_it_is_not_endless(self, session):
        for k in range(problem_state.MOST_UNDONE + 10):
            problem_state.change(problem_state.current().with_score("start", 0, k + 1), "x")
        count = 0
        while problem_state.undoable():
            problem_state.undo()
            count += 1
        assert count == problem_state.MOST_UNDONE

    def test_a_change_that_changes_nothing_is_none(self, session):
        problem_state.change(problem_state.current(), "nothing")
        assert problem_state.undoable() is None

    def test_reset_returns_to_how_it_came_and_can_be_undone(self, session):
        problem_state.use_example("bio")
        edited = problem_state.current().with_score("start", 1, 0)
        problem_state.change(edited, "start")
        assert problem_state.is_edited()
        problem_state.reset()
        assert problem_state.current() == EXAMPLES["bio"].problem
        assert not problem_state.is_edited()
        problem_state.undo()
        assert problem_state.current() == edited

    def test_undo_returns_to_the_example_before(self, session):
        problem_state.use_example("bio")
        problem_state.use_file(SMALL, "mine.json")
        assert problem_state.origin().label == "the file mine.json"
        problem_state.undo()
        assert problem_state.origin().example == "bio"
        assert problem_state.address() == {"ex": "bio"}

    def test_an_unknown_example_changes_nothing(self, session):
        problem_state.use_example("bio")
        problem_state.use_example("<b>")
        assert problem_state.origin().example == "bio"
        assert "no example called" in session.complaints()[0]

    def test_any_other_problem(self, session):
        problem_state.use_other(SMALL, "the exercise")
        assert problem_state.current() == SMALL
        assert problem_state.origin().label == "the exercise"
        problem_state.change(SMALL.with_score("start", 0, 9), "start")
        problem_state.reset()
        assert problem_state.current() == SMALL


def test_a_damaged_session_starts_anew(session):
    session.state[problem_state.SHARED.key] = "x"
    assert problem_state.current() == EXAMPLES[DEFAULT].problem


class TestTagger:
    @pytest.mark.parametrize("tagger", ["bilstm", "local", "ner"])
    def test_the_address_makes_the_same_problem(self, session, tagger):
        problem_state.use_tagger("They can fish.", tagger, 3)
        problem = problem_state.current()
        assert problem.tokens == ("They", "can", "fish", ".")
        assert len(problem.tags) == 3
        assert {"O"} < set(problem.tags) or {"PRON", "PUNCT"} < set(problem.tags)
        query = problem_state.address()
        assert query == {"sentence": "They can fish.", "tagger": tagger, "keep": "3"}
        reopened(session, query)
        assert problem_state.current() == problem

    @pytest.mark.parametrize("tagger", ["bilstm", "local", "ner"])
    @pytest.mark.parametrize("text", ["The kindly guide his horse.", ", ".join(["They can"] * 14)])
    def test_a_sentence_has_exactly_the_taggers_numbers(self, session, tagger, text):
        """All tags: log Z, the best paths and every marginal are the model's, by either kernel."""
        problem_state.use_tagger(text, tagger)
        problem = problem_state.current()
        tokens = tuple(tokenise(text))
        shown = analyse(taggers.shipped(tagger), tokens, (FREE,) * len(tokens))
        ours = problem.chain()
        assert (problem.tags, problem.tokens) == (shown.tags, shown.tokens)
        assert shown.log_partition == pytest.approx(ours.log_partition.item(), rel=1e-13)
        for row, marginals in zip(shown.marginals, ours.marginals[0].tolist(), strict=True):
            assert row == pytest.approx(marginals, abs=1e-12)
        best = [[shown.tags.index(tag) for tag in path.tags] for path in shown.best]
        assert ours.topk(3).tags[0].tolist() == best
        query = problem_state.address()
        assert query == {"sentence": text, "tagger": tagger}
        reopened(session, query)
        assert problem_state.current() == problem

    def test_fewer_tags_say_what_they_hold(self, session):
        problem_state.use_tagger("They can fish.", "local", 4)
        model = taggers.shipped("local").chain([tokenise("They can fish.")], backend="plain")
        few = problem_state.current()
        share = (few.chain().log_partition - model.log_partition).exp().item()
        assert 0.9 < share < 1
        assert f"4 of 17 tags: all sequences of these tags hold {share:.3f}" in (
            problem_state.origin().label
        )

    def test_defaults_of_an_address(self, session):
        session.open(sentence="They can fish.")
        assert len(problem_state.current().tags) == sentence_scores.KEEP

    def test_an_edited_one_is_all_its_scores(self, session):
        problem_state.use_tagger("They can fish.", "local", 3)
        problem_state.change(problem_state.current().with_score("start", 0, 1), "start")
        assert "sentence" not in problem_state.address()

    def test_what_is_wrong_is_said(self, session):
        before = problem_state.current()
        problem_state.use_tagger("", "local", 3)
        assert problem_state.current() == before
        assert "type one sentence" in session.complaints()[0]
