"""The one problem of all lessons: from any address, through any change, and back; its bar."""

import math
from urllib.parse import parse_qsl, urlencode

import pytest
import torch

from crf import LinearChain
from crf.tagger import tokenise
from pages.shared.course.examples import DEFAULT, EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.problem_links import MAX_LINK
from pages.shared.ui import problem_state, taggers
from tests.apps import fresh, html_of, press

SMALL = Problem(
    ("D~N", "N*", "<b>"),
    ("the", "Straße & co"),
    ((5, -3, 0.125), (-0.25, math.log(0.4), -math.inf)),
    ((0, 1, 2), (-math.inf, 2, 0), (1, 1, 1e6)),
    (0, -1, -math.inf),
    (0.5, 0, 0),
)
STEPS = SMALL.add_token("x").per_step_form().with_score("transitions", (1, 2, 0), -7)
LARGE = Problem.blank([f"T{s}" for s in range(12)], [f"w{t}" for t in range(20)]).per_step_form()


def reopened(session, query):
    """The problem of somebody who opens a link with these values."""
    session.open(**dict(parse_qsl(urlencode(query), keep_blank_values=True)))
    problem = problem_state.current()
    assert session.complaints() == []
    return problem


def numbers(problem):
    rows = [*problem.emissions, problem.start, problem.end]
    steps = problem.transitions if problem.per_step else [problem.transitions]
    return [value for row in [*rows, *(r for matrix in steps for r in matrix)] for value in row]


def test_an_untouched_example_is_its_name_and_a_damaged_session_starts_anew(session):
    assert problem_state.current() == EXAMPLES[DEFAULT].problem
    for name, example in EXAMPLES.items():
        problem_state.use_example(name)
        assert problem_state.address() == ({} if name == DEFAULT else {"ex": name})
        assert reopened(session, {"ex": name}) == example.problem
        assert problem_state.origin().example == name
    query = {"ex": "bio", "step": "3", "convention": "pair", "utm_source": "x"}
    assert reopened(session, query) == EXAMPLES["bio"].problem
    session.state[problem_state.SHARED.key] = "x"
    session.query.clear()
    assert problem_state.current() == EXAMPLES[DEFAULT].problem


@pytest.mark.parametrize("problem", [SMALL, STEPS])
def test_an_edited_problem_is_all_its_scores(session, problem):
    problem_state.change(problem, "start")
    got = reopened(session, problem_state.address())
    assert (got.tags, got.tokens, got.per_step) == (problem.tags, problem.tokens, problem.per_step)
    assert numbers(got) == pytest.approx(numbers(problem), rel=1e-5)
    assert problem_state.origin().label == "a problem from a link"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"ex": "no-such"}, "no example called"),
        ({"ex": "<script>" * 1000}, "no example called"),
        ({"ex": ""}, "no example called"),
        ({"t": "A~B"}, "names under w"),
        ({"t": "A~B", "w": "x", "e": "1_nan"}, "a number"),
        ({"t": "A", "w": "x", "e": "1" * (2 * MAX_LINK)}, "at most"),
        ({"sentence": "They can fish", "keep": "0"}, "keep"),
        ({"sentence": "They can fish", "keep": "x"}, "keep"),
        ({"sentence": "They can fish", "tagger": "../../etc"}, "tagger"),
        ({"sentence": "They can fish", "tagger": "own"}, "tagger"),
        ({"sentence": ""}, "sentence"),
        ({"sentence": "fish " * 61}, "1 to 60 words"),
        ({"sentence": "x" * (taggers.MAX_CHARACTERS + 1)}, "longer text"),
    ],
)
def test_a_broken_address_gets_a_message_and_the_default(session, query, said):
    session.open(**query)
    assert problem_state.current() == EXAMPLES[DEFAULT].problem
    (message,) = session.complaints()
    assert said in message
    assert len(message) < 500
    assert problem_state.current() == EXAMPLES[DEFAULT].problem
    assert session.complaints() == []  # said once


def test_changes_back_and_forth_and_no_further(session):
    problems, most = [problem_state.current()], problem_state.MOST_UNDONE
    for k in range(most + 10):
        problems.append(problems[-1].with_score("start", 0, k + 1))
        problem_state.change(problems[-1], f"number {k}")
    problem_state.change(problems[-1], "nothing")  # is no change
    for go, what, there in (
        (problem_state.undo, problem_state.undoable, range(most + 9, 9, -1)),
        (problem_state.redo, problem_state.redoable, range(11, most + 11)),
    ):
        for k in there:
            is_back = go is problem_state.undo
            assert what() == f"number {k if is_back else k - 1}"
            go()
            assert problem_state.current() == problems[k]
        go()
        assert (what(), problem_state.current()) == (None, problems[k])
    problem_state.undo()
    problem_state.change(problems[0], "another")  # leaves nothing to make again
    assert problem_state.redoable() is None


def test_reset_and_another_problem_can_be_undone(session):
    problem_state.use_example("bio")
    edited = problem_state.current().with_score("start", 1, 0)
    problem_state.change(edited, "start")
    assert problem_state.is_edited()
    problem_state.reset()
    assert problem_state.current() == EXAMPLES["bio"].problem
    assert not problem_state.is_edited()
    problem_state.undo()
    assert problem_state.current() == edited
    problem_state.use_other(SMALL, "the exercise")
    assert (problem_state.current(), problem_state.origin().label) == (SMALL, "the exercise")
    problem_state.change(SMALL.with_score("start", 0, 9), "start")
    problem_state.reset()
    assert problem_state.current() == SMALL
    problem_state.use_example("<b>")
    assert problem_state.current() == SMALL
    assert "no example called" in session.complaints()[0]
    problem_state.change(LARGE, "all")
    assert problem_state.address() is None
    while problem_state.undoable():
        problem_state.undo()
    assert problem_state.address() == {}


@pytest.mark.parametrize("tagger", ["local", "ner"])
@pytest.mark.parametrize("text", ["The kindly guide his horse.", ", ".join(["They can"] * 14)])
def test_a_sentence_has_exactly_the_taggers_numbers(session, tagger, text):
    """All tags: log Z, the best paths and every marginal are the model's, by either kernel."""
    problem_state.use_tagger(text, tagger)
    problem = problem_state.current()
    tokens = tuple(tokenise(text))
    model = taggers.shipped(tagger)
    scores = model.chain([list(tokens)], backend="plain").potentials  # in double precision
    theirs, ours = LinearChain(*scores), problem.chain()
    assert (problem.tags, problem.tokens) == (tuple(model.tags), tokens)
    assert theirs.log_partition.item() == pytest.approx(ours.log_partition.item(), rel=1e-13)
    assert torch.allclose(theirs.marginals, ours.marginals, rtol=0, atol=1e-12)
    assert ours.topk(3).tags.tolist() == theirs.topk(3).tags.tolist()
    query = problem_state.address()
    assert query == {"sentence": text, "tagger": tagger}
    assert reopened(session, query) == problem


def test_fewer_tags_say_what_they_hold(session):
    problem_state.use_tagger("They can fish.", "local", 4)
    few = problem_state.current()
    model = taggers.shipped("local").chain([tokenise("They can fish.")], backend="plain")
    share = (few.chain().log_partition - model.log_partition).exp().item()
    assert 0.9 < share < 1
    said = f"4 of 17 tags: all sequences of these tags hold {share:.3f}"
    assert said in problem_state.origin().label
    query = problem_state.address()
    assert query == {"sentence": "They can fish.", "tagger": "local", "keep": "4"}
    assert reopened(session, query) == few
    problem_state.change(few.with_score("start", 0, 1), "start")
    assert "sentence" not in problem_state.address()
    problem_state.use_tagger("", "local", 3)
    assert problem_state.current() != few
    assert "type one sentence" in session.complaints()[0]


def test_what_is_no_problem_is_said_and_nothing_is_lost(session):
    before = problem_state.current()
    for words, tags, said in (
        ("", "N V", "tokens"),
        ("a", "N N", "not used before"),
        ("a " * 21, "N V", "at most 20 words"),
    ):
        problem_state.use_new(words, tags)
        assert problem_state.current() == before
        assert said in session.complaints()[0]


# ---------------------------------------------------------------------- its bar


def open_bar(lesson, **query):
    app = fresh(lesson, **query)
    app.session_state["bar.open"] = True
    app.run()
    assert not app.exception
    return app


def test_what_an_example_shows_is_not_said_where_answers_are_hidden():
    for query in ({}, {"hide": "answers"}):
        said = html_of(open_bar("cost", ex="old-man", **query))
        assert (EXAMPLES["old-man"].why.split(".")[0] in said) == (not query)
        assert ("may give an answer away" in said) == bool(query)


def test_the_sentence_on_screen_stands_in_its_field():
    app = open_bar("cost", sentence="They can fish.", tagger="local")
    assert app.text_input(key="bar.sentence").value == "They can fish."
    assert app.selectbox(key="bar.tagger").value == "local"
    app.slider(key="bar.keep").set_value(5)
    assert not press(app, "Use these scores").warning
    assert len(app.session_state["shared_problem"].problem.tags) == 5


def test_a_problem_of_ones_own_begins_with_its_words_tags_and_a_name():
    app = open_bar("cost")
    app.text_input(key="bar.words").set_value("she can fish")
    app.text_input(key="bar.tags").set_value("N V")
    shared = press(app, "Begin").session_state["shared_problem"]
    assert (shared.problem.tokens, shared.problem.tags) == (("she", "can", "fish"), ("N", "V"))
    app.session_state["bar.open"] = True
    app.run().text_input(key="bar.name").set_value("My <b>can</b>").run()
    again = fresh("cost", **{key: "".join(app.query_params[key]) for key in app.query_params})
    assert again.run().session_state["shared_problem"].problem == shared.problem
    assert again.session_state["shared_problem"].origin.name == "My <b>can</b>"


def test_undo_is_named_in_the_reader_s_language():
    app = open_bar("cost", lang="de")
    app.selectbox(key="bar.example").set_value("bio").run()
    assert "das Beispiel „" in app.button(key="bar.undo").help
