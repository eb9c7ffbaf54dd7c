"""The state of a beat: everything that its picture depends on, and how an address says it.

A state is a base (an example, a sentence with a tagger, or a table of scores), edits of the base's
scores, fixed tags, the values of controls, and a step. One table, `PARTS`, declares each part: its
key in the address, its default, and how it is read. A part that cannot be read gives its default
and one sentence; nothing else happens.

    ex=old-man                     an example
    sentence=They+fish.&tagger=local&spaces=1
    t=DET~NOUN&w=the~man&e=…       a table of scores (`problem_links`)
    edit=t:DET:NOUN_2.5~e:1:NOUN_x scores that were changed; x is −∞
    fix=2.3~4.0                    token 2 has tag 3, token 4 has tag 0, counted from 0
    lambda=.5&tau=.2&step=12       controls and the step
    form=message&scale=potential   the reader's notation, with ends=root
    path=0~1~2~0~2&bet=old         the lit path, and the option that was bet on
    with=rate_.5~method_adam       controls that only one lesson has

In the names of an edit and in the values of controls "*0" is *, "*1" is ~, "*2" is : and "*3" is
_. With a transition table of its own for each step, `t:3:DET:NOUN` names the step's.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from pages.shared.course import problem_links
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_checks import MAX_SCORE, MAX_TAGS, MAX_TOKENS, short
from pages.shared.course.typed_numbers import LINK_DIGITS
from pages.shared.course.words import say

MAX_STEP = 999_999
FEW_EDITS = 24  # more are written as a table, if an address can carry it
MAX_EDITS = MAX_TOKENS * MAX_TAGS + MAX_TAGS**2 + 2 * MAX_TAGS  # one for each score
_DECIMAL = re.compile(r"(?:0|1)?(?:\.[0-9]{1,6})?")
_EDIT = re.compile(r"([estz])((?::[^:~]+){1,3})_(x|-?[0-9]{0,7}(?:\.[0-9]{0,6})?)")
_ESCAPES = (("*", "*0"), ("~", "*1"), (":", "*2"), ("_", "*3"))
_CONTROL = re.compile(r"([a-z][a-z-]{0,30})_([^_~]{0,4000})", re.DOTALL)
MAX_CONTROLS = 20
_TABLES = {"e": "emissions", "t": "transitions", "s": "start", "z": "end"}


class Base(NamedTuple):
    """What the scores are before any edit: an example, a sentence with a tagger, or a table."""

    example: str = ""  # its name
    sentence: str = ""
    tagger: str = ""  # its key; "": the usual one
    spaces: str = ""  # "1": the words are split at spaces; "0": by the tagger; "": as it looks
    table: Problem | None = None


class Reader(NamedTuple):
    """The tagger that gave the scores, as far as beats ask it.

    Attributes:
        alone: Words → [n][S] their own scores; None: they depend on the other words.
        word_by_word: Gives the marginals [L, S] of the same words by the tagger that reads one at
            a time; None: it has other tags, or it is this one.
        right: Tagger → the shares of sentences that it gets right, with a softmax and with a CRF.
    """

    alone: Callable[[tuple[str, ...]], Sequence[Sequence[float]]] | None = None
    word_by_word: Callable[[], Any] | None = None
    right: Mapping[str, tuple[float, float]] = {}


class Given(NamedTuple):
    """The scores of a base."""

    problem: Problem
    source: str  # who gave them: a tagger's key, or "hand"
    unknown: tuple[bool, ...] = ()  # [L] whether the tagger did not see the word in training
    fault: str = ""  # a sentence on what was left out, as the end of a long sentence
    reader: Reader = Reader()


@dataclass(frozen=True)
class State:
    """What a picture depends on; figures and facts are pure functions of it."""

    base: Base
    given: Given
    edits: Mapping[tuple[str, tuple[int, ...]], float] = field(default_factory=dict)
    fixed: Mapping[int, int] = field(default_factory=dict)  # token → tag index
    lambda_: float = 1.0  # factor of the transitions, 0 to 1
    tau: float = 1.0  # temperature, 0 (only the best) to 1
    path: tuple[int, ...] = ()  # [L] tag indices of the lit path; (): the beat's own
    bet: str = ""  # the option that the reader has chosen
    step: int | None = None  # None: where the beat opens
    form: str = "state"  # where a word's own score counts: "state", "message" or "pair"
    scale: str = "log"  # how numbers are written: "log" or "potential"
    ends: str = "start"  # "root": START and END are ROOT and EOS, their scores transitions
    controls: Mapping[str, str] = field(default_factory=dict)  # of one lesson: name → text

    def control(self, name: str, table: Mapping[str, "StatePart"]) -> Any:
        """The value of a lesson's control; its default where it has none that can be read.

        Args:
            name: Which.
            table: The lesson's controls.
        """
        part, text = table[name], self.controls.get(name, "")
        return part.default if not text or unreadable(part, text) else part.read(text)

    @cached_property
    def problem(self) -> Problem:
        """The scores as they are now."""
        return self.given.problem.with_scores(self.edits)


Give = Callable[[Base], Given]


class StatePart(NamedTuple):
    """One part of a state in the address."""

    default: Any
    read: Callable[[str], Any]  # raises ValueError for anything else


def one_of(*names: str, usual: str = "") -> StatePart:
    """A control that has one of some names; the first is the usual one, unless another is."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return StatePart(usual or names[0], read)


def unreadable(part: StatePart, text: str) -> bool:
    """Whether a part's text is refused."""
    try:
        part.read(text)
    except ValueError:
        return True
    return False


def _share(text: str) -> float:
    if not text or text == "." or not _DECIMAL.fullmatch(text) or float(text) > 1:
        raise ValueError
    return float(text)


def _step(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 7 and int(text) <= MAX_STEP):
        raise ValueError
    return int(text)


def _path(text: str) -> tuple[int, ...]:
    return tuple(_step(part) for part in text.split("~"))


def _flag(text: str) -> str:
    if text not in ("", "0", "1"):
        raise ValueError
    return text


def _controls(text: str) -> dict[str, str]:
    pairs = [_CONTROL.fullmatch(pair) for pair in text.split("~")]
    if len(pairs) > MAX_CONTROLS or not all(pairs):
        raise ValueError
    return {pair[1]: _unescaped(pair[2]) for pair in pairs if pair}


def _name(text: str) -> str:
    if len(text) > 200:
        raise ValueError
    return text


PARTS = {
    "ex": StatePart("", _name),
    "sentence": StatePart("", str),
    "tagger": StatePart("", _name),
    "spaces": StatePart("", _flag),
    "lambda": StatePart(1.0, _share),
    "tau": StatePart(1.0, _share),
    "path": StatePart((), _path),
    "bet": StatePart("", _name),
    "step": StatePart(None, _step),
    "form": one_of("state", "message", "pair"),
    "scale": one_of("log", "potential"),
    "ends": one_of("start", "root"),
    "with": StatePart({}, _controls),
}
ALIASES = {"convention": "form", "space": "scale"}  # of older addresses
KEYS = (*PARTS, *ALIASES, "edit", "fix", *problem_links.KEYS)


def read(query: Mapping[str, str], give: Give) -> tuple[State, str]:
    """The state of an address, of which nothing is trusted, and one sentence on what is wrong.

    Args:
        query: Key → text; keys other than `KEYS` and empty texts are ignored.
        give: Gives the scores of a base; a `ProblemError` says in a sentence why it cannot.

    Returns:
        A state, and "" or a sentence about the first part that could not be read.
    """
    query, faults = _renamed({key: text for key, text in query.items() if text}), []
    values = {key: part.default for key, part in PARTS.items()}
    for key in PARTS.keys() & query.keys():
        try:
            values[key] = PARTS[key].read(query[key])
        except ValueError:
            faults.append(_unreadable(key, query[key]))
    base = Base(values["ex"], values["sentence"], values["tagger"], values["spaces"])
    base, given = _given(base, query, give, faults)
    named = ("lambda", "tau", "path", "bet", "step", "form", "scale", "ends", "with")
    rest = (values[key] for key in named)
    state = State(base, given, {}, {}, *rest)
    for key, change in (("edit", with_edits), ("fix", with_fixed)):
        if key in query:
            try:
                state = change(state, query[key])
            except (ValueError, KeyError, IndexError):
                faults.append(_unreadable(key, query[key]))
    return state, next(iter([*faults, *filter(None, [given.fault])]), "")


def _renamed(query: dict[str, str]) -> dict[str, str]:
    """An older address's names as today's."""
    for old, new in ALIASES.items():
        if text := query.pop(old, ""):
            query.setdefault(new, "potential" if text == "probability" else text)
    return query


def _given(
    base: Base, query: Mapping[str, str], give: Give, faults: list[str]
) -> tuple[Base, Given]:
    table = {key: query[key] for key in problem_links.KEYS if key in query}
    if table and not base.example:
        try:
            base = Base(table=problem_links.from_query(table))
        except ProblemError as error:
            faults.append(say("state.no-table", why=str(error)))
            base = Base()
    try:
        return base, give(base)
    except ProblemError as error:
        faults.append(str(error))
        return Base(), give(Base())


def _unreadable(key: str, text: str) -> str:
    return say("state.unreadable", key=key, asked=short(text))


def write(state: State) -> dict[str, str]:
    """The state as values for an address; defaults are left out.

    Raises:
        ProblemError: A table of scores is too long for an address.
    """
    base = state.base
    query = {"ex": base.example, "sentence": base.sentence, "tagger": base.tagger}
    query["spaces"] = base.spaces
    if base.table is not None:
        query |= problem_links.to_query(base.table)
    query["edit"] = "~".join(
        f"{_cell(state.problem, table, place)}_{_number(value)}"
        for (table, place), value in state.edits.items()
    )
    query["fix"] = "~".join(f"{t}.{s}" for t, s in sorted(state.fixed.items()))
    query["lambda"] = "" if state.lambda_ == 1 else _number(state.lambda_)
    query["tau"] = "" if state.tau == 1 else _number(state.tau)
    query["path"] = "~".join(map(str, state.path))
    query["bet"] = state.bet
    query["step"] = "" if state.step is None else str(state.step)
    query["form"] = "" if state.form == "state" else state.form
    query["scale"] = "" if state.scale == "log" else state.scale
    query["ends"] = "" if state.ends == "start" else state.ends
    query["with"] = "~".join(f"{name}_{_escaped(text)}" for name, text in state.controls.items())
    return {key: value for key, value in query.items() if value}


def changed(state: State, problem: Problem) -> dict[str, str]:
    """The parts that an address changes so that its scores are a problem's.

    Edits of the same base where names are the same and few scores differ; else a table.

    Raises:
        ProblemError: No address can carry the scores.
    """
    blank = dict.fromkeys(("ex", "sentence", "tagger", "spaces", *problem_links.KEYS), "")
    blank |= dict.fromkeys(("edit", "fix", "path", "bet", "step"), "")
    edits = _differing(state.given.problem, problem)
    if edits is None or len(edits) > FEW_EDITS:
        try:
            return blank | problem_links.to_query(problem)
        except ProblemError:
            if edits is None or len(edits) > MAX_EDITS:
                raise
    return {"edit": write(replace(state, edits=edits)).get("edit", ""), "bet": ""}


def _differing(old: Problem, new: Problem) -> dict[tuple[str, tuple[int, ...]], float] | None:
    """The scores that differ, by their places; None where the two have other names or forms."""
    if (old.tags, old.tokens, old.per_step) != (new.tags, new.tokens, new.per_step):
        return None
    return {
        (table, place): value
        for table in _TABLES.values()
        for place, value in _scores(getattr(new, table))
        if value != old.score_at(table, place)
    }


def _scores(table: Any, place: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], float]]:
    for k, entry in enumerate(table):
        if isinstance(entry, tuple):
            yield from _scores(entry, (*place, k))
        else:
            yield (*place, k), entry


# ---------------------------------------------------------------------- edits and fixed tags


def with_edits(state: State, text: str) -> State:
    """The state with edited scores.

    Raises:
        ValueError: An edit cannot be read, or its score is out of range.
        KeyError: It names a tag that there is not.
    """
    problem, edits = state.given.problem, dict(state.edits)
    parts = text.split("~")
    if len(parts) > MAX_EDITS:
        raise ValueError
    for part in parts:
        match = _EDIT.fullmatch(part)
        if match is None or match[3] in ("", "-", ".", "-."):
            raise ValueError
        table, names = _TABLES[match[1]], match[2][1:].split(":")
        place = _place(problem, table, names)
        value = -math.inf if match[3] == "x" else float(match[3])
        if abs(value) > MAX_SCORE and value != -math.inf:
            raise ValueError
        problem.score_at(table, place)  # refuses an index out of range
        edits[table, place] = value
    return replace(state, edits=edits)


def _place(problem: Problem, table: str, names: list[str]) -> tuple[int, ...]:
    tags = {tag: s for s, tag in enumerate(problem.tags)}
    count = {"emissions": 2, "transitions": 3 if problem.per_step else 2}.get(table, 1)
    if len(names) != count:
        raise ValueError
    by_index = table == "emissions" or len(names) == 3
    lead = [_step(names[0])] if by_index else []
    return (*lead, *(tags[_unescaped(name)] for name in names[len(lead) :]))


def _cell(problem: Problem, table: str, place: tuple[int, ...]) -> str:
    """A score's name, as the hooks and the address have it: "t:DET:NOUN"."""
    by_index = 1 if table == "emissions" or len(place) == 3 else 0
    names = [*map(str, place[:by_index]), *(_escaped(problem.tags[s]) for s in place[by_index:])]
    return ":".join([{name: key for key, name in _TABLES.items()}[table], *names])


def _escaped(name: str) -> str:
    for plain, written in _ESCAPES:
        name = name.replace(plain, written)
    return name


def _unescaped(name: str) -> str:
    if re.search(r"\*(?![0-3])", name):
        raise ValueError
    for plain, written in reversed(_ESCAPES):
        name = name.replace(written, plain)
    return name


def _number(value: float) -> str:
    """The shortest way to write it with six significant digits, without an exponent.

    >>> [_number(x) for x in (0.5, -2.0, -math.inf, 1e-7, 123456.7)]
    ['.5', '-2', 'x', '0', '123457']
    """
    if value == -math.inf:
        return "x"
    digits = max(0, min(LINK_DIGITS, LINK_DIGITS - 1 - math.floor(math.log10(abs(value) or 1))))
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return re.sub(r"^(-?)0\.", r"\1.", text) if text not in ("-0", "") else "0"


def with_fixed(state: State, text: str) -> State:
    """The state with fixed tags, "2.3~4.0".

    Raises:
        ValueError: It cannot be read, or there is no such token or tag.
    """
    problem, fixed = state.given.problem, {}
    for pair in text.split("~"):
        t, _, s = pair.partition(".")
        token, tag = _step(t), _step(s)
        if token >= len(problem.tokens) or tag >= len(problem.tags):
            raise ValueError
        fixed[token] = tag
    return replace(state, fixed=fixed)
