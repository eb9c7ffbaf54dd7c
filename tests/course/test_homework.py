"""Homework: two sheets of one seed, and codes that cannot be changed."""

import base64
import json
import zlib
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pages.shared.course import homework
from pages.shared.course.exercises import KINDS
from pages.shared.course.homework import HandedIn, Sheet, hand_in, read
from pages.shared.course.problem import ProblemError

TOKEN = homework.token_of("k" * 32, "abcdefgh")
SHEET = Sheet(7, ("path-score", "viterbi"), count=2)
WORK = HandedIn(SHEET, "A", "Ada", (("1.5",), ("A", "B")), 1_700_000_000)
CODE = hand_in(TOKEN, WORK)

sheets = some.builds(
    Sheet,
    some.integers(0, 10**9),
    some.lists(some.sampled_from(sorted(KINDS)), min_size=1, max_size=6).map(tuple),
    some.sampled_from(["small", "medium", "large"]),
    some.integers(1, 8),
)
texts = some.text(some.characters(exclude_categories=["C"]), max_size=60)


class TestSheets:
    def test_a_and_b_ask_the_same_with_other_numbers(self):
        sheet = Sheet(1)
        a, b = sheet.exercises("A"), sheet.exercises("B")
        assert [e.kind for e in a] == [e.kind for e in b] == list(KINDS)
        assert not {e.problem for e in a} & {e.problem for e in b}
        assert Sheet(1).exercises("A") == a
        assert Sheet(2).exercises("A") != a

    @given(sheets)
    def test_a_link_gives_back_the_sheet(self, sheet):
        assert homework.from_query(sheet.query()) == sheet

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"seed": "-1"}, "seed: "),
            ({"count": "21"}, "count: expected 1 to 20"),
            ({"kinds": "forward~<b>"}, "kind: "),
            ({"kinds": "~".join(["forward"] * 30)}, "kinds: "),
            ({"of": "huge"}, "size: "),
        ],
    )
    def test_a_forged_link_is_refused(self, changes, message):
        with pytest.raises(ProblemError, match=message):
            homework.from_query(SHEET.query() | changes)


class TestCodes:
    @given(sheets, texts.filter(str.strip), some.data())
    def test_a_code_gives_back_what_was_handed_in(self, sheet, name, data):
        name = "".join(c for c in name if c.isprintable()).strip() or "x"
        answer = some.lists(texts, max_size=4).map(tuple)
        answers = some.lists(answer, min_size=sheet.count, max_size=sheet.count).map(tuple)
        work = HandedIn(sheet, "B", name, data.draw(answers), 5)
        code = hand_in(TOKEN, work)
        assert read(code, TOKEN) == work
        assert homework.codes_in(f"From: {name.replace('CRF1', '')}\n{code}\n--") == [code]

    @given(some.lists(some.integers(6, len(CODE) - 1), max_size=4, unique=True), some.data())
    def test_a_code_that_mail_has_broken_is_put_together(self, breaks, data):
        at = [0, *sorted(breaks), len(CODE)]
        broken = data.draw(some.sampled_from(["\n", "\r\n", "=\n", " \n> ", "\n>> | "])).join(
            CODE[a:b] for a, b in pairwise(at)
        )
        assert homework.codes_in(f"Ada: {broken}\nBest, Ada\n\n{CODE}.") == [CODE, CODE]

    @given(some.integers(0, len(CODE) - 1), some.sampled_from("ABCxyz019_-."))
    def test_a_changed_code_is_refused(self, at, letter):
        changed = CODE[:at] + letter + CODE[at + 1 :]
        if changed != CODE:
            with pytest.raises(ProblemError, match="; "):
                read(changed, TOKEN)

    def test_another_class_s_token_and_no_token(self):
        for name in ("", "ABCDEFGH", "abcdefg", "<b>defgh", None):
            with pytest.raises(ProblemError, match="class: "):
                homework.token_of("k" * 32, name)
        for token in (homework.token_of("k" * 32, "abcdefgi"), "", TOKEN + "x"):
            with pytest.raises(ProblemError, match="not genuine"):
                read(CODE, token)
        assert read(CODE, f" {TOKEN.upper()} ") == WORK  # as one types it

    @pytest.mark.parametrize(
        "fields", [[1], [7, ["x"], "small", 1, "A", "n", [["1"]], 1], {"a": 1}]
    )
    def test_what_is_signed_and_still_nonsense(self, fields):
        packed = zlib.compress(json.dumps(fields).encode())
        body = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        with pytest.raises(ProblemError, match="cannot be read"):
            read(f"CRF1.{body}.{homework._signature(TOKEN, body)}", TOKEN)

    def test_what_is_too_much_or_too_little(self):
        for field, values in (
            ("name", (" ", "x" * 61, "a\nb")),
            ("answers", ((), (("x" * 61,), ("A",)))),
            ("variant", ("C",)),
        ):
            for value in values:
                with pytest.raises(ProblemError):
                    replace(WORK, **{field: value})

    def test_how_many_codes_a_list_may_have_and_of_one_cut_off_the_rest_is_not_made_up(self):
        cut = CODE[:-5]
        assert homework.codes_in(f"{cut}\nBest regards, Ada") == [cut]
        assert len(homework.codes_in((CODE + "\n") * 500)) == 500
        for pasted in ("", "no code", (CODE + "\n") * 501):
            with pytest.raises(ProblemError, match="codes: expected 1 to 500"):
                homework.codes_in(pasted)
