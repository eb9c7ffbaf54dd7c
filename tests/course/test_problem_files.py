"""Files and links: exact round trips, and refusals that say where and what to do."""

import json
import math
from dataclasses import replace
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from hypothesis import example, given

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_files import (
    CSV_TABLES,
    from_csv,
    from_json,
    rows_to_csv,
    to_csv,
    to_json,
)
from pages.shared.course.problem_links import MAX_LINK, from_query, to_query
from tests.course.problems import AWKWARD, SHORT_SCORE, problems

INF = math.inf


def small() -> Problem:
    return Problem(
        ("D", "N"),
        ("the", "man"),
        ((5.0, -3.0), (-3.0, 2.5)),
        ((-INF, 1.0), (0.0, 0.1)),
        (0.0, -INF),
        (0.0, 0.0),
    )


def refused(pattern: str):
    return pytest.raises(ProblemError, match=pattern + r".*; .+")


class TestJson:
    @given(problems())
    def test_round_trip_is_exact(self, problem):
        assert from_json(to_json(problem)) == problem
        assert from_json(to_json(problem).encode()) == problem

    def test_it_is_what_the_schema_says(self):
        data = json.loads(to_json(small()), parse_constant=pytest.fail)
        assert data == {
            "format": "linear-chain problem",
            "version": 1,
            "tags": ["D", "N"],
            "tokens": ["the", "man"],
            "emissions": [[5, -3], [-3, 2.5]],
            "transitions": [["-inf", 1], [0, 0.1]],
            "start": [0, "-inf"],
            "end": [0, 0],
        }

    def test_the_largest_problem_fits(self):
        tags, tokens = [f"{'t' * 20}{s}" for s in range(20)], ["é" * 24] * 60
        shapes = {"emissions": (60, 20), "transitions": (59, 20, 20), "start": 20, "end": 20}
        scores = {name: np.full(shape, -1 / 3) for name, shape in shapes.items()}
        largest = Problem.blank(tags, tokens).with_changes(**scores)
        assert from_json(to_json(largest)) == largest

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('"version": 1', '"version": 2', "version: expected 1, got 2"),
            ('"version": 1', '"version": true', "version: expected 1, got True"),
            ('"format": "linear-chain problem",', "", "file: .* got no “format” field"),
            ('"D", "N"', '"D" "N"', r"line \d+, column \d+: this is not JSON: ',' delimiter"),
            ("linear-chain problem", "other", "format: expected 'linear-chain problem', got"),
            ('"end": [0, 0]', '"end": [0, 0], "note": "x"', "file: .* got 'note'"),
            (',\n "end": [0, 0]', "", "end: expected a field of this name, got none"),
            ('"end": [0, 0]', '"end": [0, 0], "end": [0, 0]', "file: .*'end' twice"),
            ("2.5", "NaN", 'file: expected numbers, and "-inf" in quotes, got NaN'),
            ("2.5", "1e999", 'file: expected numbers, and "-inf" in quotes, got 1e999'),
            ("2.5", '"x"', r"emission of token 2, tag 2: expected a number or -inf, got 'x'"),
            ("2.5", "9" * 5000, "file: expected .* numbers of a few digits, got far more"),
        ],
    )
    def test_refusals_say_where(self, old, new, message):
        text = to_json(small())
        assert old in text
        with refused("^" + message):
            from_json(text.replace(old, new, 1))

    @pytest.mark.parametrize(
        "content",
        ["", "[]", "3", "null", "\x00", b"\xff\xfe", "[" * 100_000, '{"a":' * 5_000, 
         " " * 1_000_001, '{"tags": ' + "[" * 500 + "]" * 500 + "}"],
    )  # fmt: skip
    def test_rubbish(self, content):
        with refused("."):
            from_json(content)

    def test_a_byte_order_mark_is_ignored_and_another_encoding_refused_with_its_line(self):
        assert from_json(b"\xef\xbb\xbf" + to_json(small()).encode()) == small()
        with refused("^line 3: expected UTF-8"):
            from_json(b'{\n\n"\xe9"}')


class TestCsv:
    @given(problems())
    def test_round_trip_is_exact(self, problem):
        for table in CSV_TABLES:
            blank = problem.zeros()
            if table == "emissions":
                blank = replace(blank, tokens=("x",) * len(problem.tokens))
            text = to_csv(problem, table)
            read = from_csv(blank, table, text.encode())
            for name in {"start_end": ("start", "end")}.get(table, (table,)):
                assert getattr(read, name) == getattr(problem, name)
            if table == "emissions":
                assert read.tokens == problem.tokens

    def test_what_it_looks_like(self):
        assert to_csv(small(), "emissions") == "token,D,N\nthe,5,-3\nman,-3,2.5\n"
        assert to_csv(small(), "transitions") == "from,D,N\nD,-inf,1\nN,0,0.1\n"
        assert to_csv(small(), "start_end") == "score,D,N\nstart,0,-inf\nend,0,0\n"
        steps = to_csv(small().per_step_form(), "transitions")
        assert steps == "step,from,D,N\n1,D,-inf,1\n1,N,0,0.1\n"

    @pytest.mark.parametrize("name", ["=1+1", "+a", "-a", "@a", "'=a", "|a", "＝a", "'s"])
    def test_no_name_is_a_formula_and_an_apostrophe_stays(self, name):
        problem = Problem.blank(["A"], [name])
        text = to_csv(problem, "emissions")
        assert text.splitlines()[1] == (f"'{name},0" if name != "'s" else "'s,0")
        assert from_csv(problem, "emissions", text) == problem

    def test_scores_may_be_typed_as_anywhere_and_emissions_may_bring_more_tokens(self):
        text = "\ufefftoken, D , N\r\na,log 1,−∞\r\n\r\nb, 1e2 ,2/4\r\n"
        read = from_csv(small(), "emissions", text)
        assert (read.tokens, read.emissions) == (("a", "b"), ((0.0, -INF), (100.0, 0.5)))
        read = from_csv(small(), "emissions", "token,D,N\na,1,2\nb,3,4\nc,5,6\n")
        assert read.tokens == ("a", "b", "c")
        with refused("^transitions: expected 2 entries, got 1"):
            from_csv(small().per_step_form(), "emissions", "token,D,N\na,1,2\nb,3,4\nc,5,6\n")
        with refused("^line 2: expected '1,D', got '2,D'"):  # steps have to be in order
            from_csv(small().per_step_form(), "transitions", "step,from,D,N\n2,D,1,2\n2,N,1,2\n")

    @pytest.mark.parametrize(
        ("table", "text", "message"),
        [
            ("emissions", "", "line 1, column 1: expected 'token', got nothing"),
            ("emissions", "token,D\nthe,1\n", "line 1, column 3: expected 'N', got nothing"),
            ("emissions", "token,N,D\n", "line 1, column 2: expected 'D', .*columns token,D,N$"),
            ("emissions", "token,D,N\nthe,1\n", "line 2: expected 3 cells, got 2"),
            ("emissions", "token,D,N\n\nthe,1,x\n", "line 3, column N: expected a number, got 'x'"),
            ("emissions", "token,D,N\n", "tokens: expected 1 to 60 names, got 0"),
            ("emissions", 'token,D,N\n"the,1,2\n', "line 2: expected cells"),
            ("transitions", "from,D,N\nN,1,2\nD,1,2\n", "line 2: expected 'D', got 'N'"),
            ("transitions", "from,D,N\nD,1,2\n", "file: expected 2 rows, got 1"),
            ("transitions", "from,D,N\nD,1,inf\n", "line 2, column N: .*only -inf"),
            ("start_end", "score,D,N\nend,1,2\nstart,1,2\n", "line 2: expected 'start', got 'end'"),
            ("start_end", b"score,D,N\n\xff", "line 2: expected UTF-8"),
            ("emissions", "x" * 200_000, "line 1: expected cells"),
            ("tags", "", "table: expected one of emissions, transitions, start_end, got 'tags'"),
        ],
    )
    def test_refusals_have_the_line(self, table, text, message):
        with pytest.raises(ProblemError, match="^" + message):
            from_csv(small(), table, text)

    def test_any_table(self):
        rows = [["tag", "p"], ["=A", 0.5], ["B", -INF], ["C", 1e300]]
        assert rows_to_csv(rows) == "tag,p\n'=A,0.5\nB,-inf\nC,1e+300\n"


class TestLinks:
    @given(problems(SHORT_SCORE))
    @example(small())
    @example(Problem.blank(AWKWARD[:5], AWKWARD))
    def test_round_trip_keeps_six_digits_exactly(self, problem):
        in_url = parse_qs(urlencode(to_query(problem)), strict_parsing=True)
        assert from_query({key: value for key, (value,) in in_url.items()}) == problem

    @given(problems())
    def test_more_digits_are_rounded_and_then_stay(self, problem):
        once = from_query(to_query(problem))
        assert from_query(to_query(once)) == once
        for table in ("start", "end"):
            assert getattr(once, table) == pytest.approx(getattr(problem, table), rel=5e-6)

    def test_it_is_readable(self):
        assert to_query(small()) == {
            "t": "D~N",
            "w": "the~man",
            "e": "5_-3~-3_2.5",
            "a": "x_1~0_.1",
            "s": "0_x",
        }
        assert urlencode(to_query(small())).count("%") == 0
        assert to_query(small().per_step_form())["p"] == "x_1~0_.1"

    def test_without_start_and_end_both_are_0(self):
        """A link of "The old man the boat" from before the example had such scores."""
        old = from_query(
            {
                "t": "DET~ADJ~NOUN~VERB",
                "w": "The~old~man~the~boat",
                "e": "5_-3_-3_-3~-3_2_.5_-3~-3_-3_2_.5~5_-3_-3_-3~-3_-3_2_-1",
                "a": "-3_.5_1_-3~-3_-.5_1.5_-2~-2.5_-1_0_1~1.5_0_.5_-2",
            }
        )
        assert old.start == old.end == (0.0,) * 4
        assert old.chain().log_partition.item() == pytest.approx(17.936583, abs=5e-7)
        assert old.chain().viterbi().scores.item() == 17.5
        now = EXAMPLES["old-man"].problem
        assert old == now.with_changes(start=old.start, end=old.end) != now

    def test_the_limit_is_that_of_the_encoded_link(self):
        tags, tokens = [f"TAG{s}" for s in range(12)], [f"token{t}" for t in range(20)]
        blank = Problem.blank(tags, tokens)
        assert from_query(to_query(blank)) == blank
        for large in (blank.random(1), Problem.blank(["A"], ["時" * 24] * 9)):
            with pytest.raises(ProblemError, match=rf"^link: expected at most {MAX_LINK:,} .*file"):
                to_query(large)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"t": None}, "link, t: expected text, got NoneType"),
            ({"e": ["5"]}, "link, e: expected text, got list"),
            ({"e": "5_-3"}, "link, e: expected 2 rows, got 1"),
            ({"e": "5_-3~1"}, "link, e, row 2: expected 2 numbers, got 1"),
            ({"e": "5_-3~1_y"}, "link, e, row 2: expected a number, or x for −∞, got 'y'"),
            ({"e": "5_-3~1_1e999"}, r"link, emission of token 2, tag 2: .* got inf"),
            ({"e": "5_-3~1_٣"}, "link, e, row 2"),
            ({"e": "5_-3~1_1\n"}, "link, e, row 2"),
            ({"e": "-"}, "link, e: expected 2 rows, got 0"),
            ({"p": "0_0~0_0"}, "link: expected transitions under a or p, got both"),
            ({"t": "D~D"}, r"link, tag 2"),
            ({"t": "D~*2"}, r"link, t: expected \*0 or \*1"),
            ({"w": "\ud800~b"}, r"link, token 1: "),
            ({"w": "a~" * 400 + "a"}, "link: expected at most 20 tags and 60 tokens, got 2 and"),
            ({"w": "a" * 2000}, "link: expected at most 1,800 characters, got"),
        ],
    )
    def test_forged_values(self, changes, message):
        with refused("^" + message):
            from_query({**to_query(small()), **changes})

    def test_without_names_and_with_the_keys_of_others(self):
        for key in ("t", "w"):
            query = {name: value for name, value in to_query(small()).items() if name != key}
            with refused(f"^link: expected names under {key}, got none"):
                from_query(query)
        assert from_query({**to_query(small()), "lesson": "viterbi", "k": 3}) == small()
