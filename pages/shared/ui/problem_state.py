"""The one problem that all lessons share: in the session, in the address, with the way back.

The address carries as little as says it all: an untouched example its name (`ex=old-man`), an
untouched sentence its text and tagger (and how many tags, if some are left out), anything else
every score (`pages.shared.course.problem_links`). What an address says is checked like anything
typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from crf.figures.numbers import format_probability
from pages.shared.course.examples import DEFAULT, EXAMPLES
from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError, clean_name
from pages.shared.course.problem_checks import refuse
from pages.shared.course.problem_links import KEYS, from_query, to_query
from pages.shared.ui import sentence_scores, taggers
from pages.shared.ui.state import SessionValue, all_asked, complain
from pages.shared.ui.words import say

ADDRESS_KEYS = ("ex", "name", *sentence_scores.KEYS, *KEYS)
MOST_UNDONE = 100


class Origin(NamedTuple):
    """Where a problem came from; resetting returns to it."""

    problem: Problem  # as it came
    label: str  # what it is, in words
    example: str | None = None  # name of the worked example that it is, or None
    query: dict[str, str] | None = None  # a short address for it as it came, or None
    name: str = ""  # what the reader calls it; "": nothing in particular


class _Past(NamedTuple):
    problem: Problem
    origin: Origin
    what: str


@dataclass
class _Shared:
    problem: Problem
    origin: Origin
    past: list[_Past] = field(default_factory=list)  # the last change last
    future: list[_Past] = field(default_factory=list)  # what was undone, the last last

    def go_to(self, problem: Problem, origin: Origin, what: str) -> None:
        if (problem, origin) != (self.problem, self.origin):
            self.past = [*self.past, _Past(self.problem, self.origin, what)][-MOST_UNDONE:]
            self.problem, self.origin = problem, origin
            self.future = []

    def travel(self, there: list[_Past], back: list[_Past]) -> None:
        """To the last one there; what is on screen is the last one on the way back."""
        if there:
            problem, origin, what = there.pop()
            back.append(_Past(self.problem, self.origin, what))
            self.problem, self.origin = problem, origin


SHARED = SessionValue[_Shared | None]("shared_problem", None, kind=_Shared)


def current() -> Problem:
    """The problem on screen; at the start of a session the address's, else the default example."""
    return _shared().problem


def origin() -> Origin:
    """Where it came from."""
    return _shared().origin


def is_of_a_tagger() -> bool:
    """Whether a tagger gave its scores, as they came."""
    return "sentence" in (origin().query or {})


def is_edited() -> bool:
    """Whether it differs from how it came."""
    return current() != origin().problem


def change(problem: Problem, what: str) -> None:
    """Put another problem on screen that was made from this one.

    `what`: what was changed, in words, for the way back: "emission of ‘man’, NOUN".
    """
    _shared().go_to(problem, origin(), what)


def undoable() -> str | None:
    """What the last change was, in words; None if there is none to undo."""
    past = _shared().past
    return past[-1].what if past else None


def redoable() -> str | None:
    """What the change is that was taken back last, in words; None after any other change."""
    future = _shared().future
    return future[-1].what if future else None


def undo() -> None:
    """Take the last change back."""
    shared = _shared()
    shared.travel(shared.past, shared.future)


def redo() -> None:
    """Make the change again that was taken back last."""
    shared = _shared()
    shared.travel(shared.future, shared.past)


def reset() -> None:
    """Return to the problem as it came; that, too, can be undone."""
    _shared().go_to(origin().problem, origin(), say("change.reset"))


def use_example(name: str) -> None:
    """Put a worked example on screen; an unknown name is answered by a message."""
    if name in EXAMPLES:
        _start_from(_from_example(name))
    else:
        complain(_no_such_example(name))


def use_new(words: str, tags: str) -> None:
    """Put a problem of these words and tags on screen, both separated by blanks; all scores are 0.

    What is wrong with them is said.
    """
    try:
        problem = Problem.blank(tags.split(), words.split())
        if not problem.is_editable:
            sizes = f"{len(problem.tokens)} words and {len(problem.tags)} tags"
            most = f"at most {MAX_TOKENS} words and {MAX_TAGS} tags"
            raise refuse("a new problem", most, sizes, "leave some out")
    except ProblemError as error:
        complain(f"{error}.")
    else:
        use_other(problem, say("problem.new", words=" ".join(problem.tokens)))


def rename(name: str) -> None:
    """Call the problem on screen by a name; "" takes it away."""
    name = clean_name(name) if name.strip() else ""
    _shared().go_to(current(), origin()._replace(name=name), say("change.name"))


def use_other(problem: Problem, label: str) -> None:
    """Put any problem on screen; the label says in words what it is, as in “the file x.json”."""
    _start_from(Origin(problem, label))


def use_tagger(text: str, tagger: str, keep: int = sentence_scores.KEEP) -> None:
    """Put a trained tagger's scores of a sentence on screen; what is wrong with it is said."""
    try:
        _start_from(_from_sentence(text, tagger, keep))
    except ProblemError as error:
        complain(str(error))


def address() -> dict[str, str] | None:
    """The problem as values for the address's query: the default example has none; None if it is
    too large for one.
    """
    problem, came = _shared().problem, origin()
    name = {"name": came.name} if came.name else {}
    if problem == came.problem and came.query is not None:
        return name | ({} if came.example == DEFAULT else came.query)
    query = _query(problem)
    return None if query is None else query | name


@lru_cache(maxsize=64)  # asked for several times in a run
def _query(problem: Problem) -> dict[str, str] | None:
    try:
        return to_query(problem)
    except ProblemError:
        return None


def _shared() -> _Shared:
    return SHARED.begin(lambda: _begun(all_asked()))


def _begun(query: Mapping[str, str]) -> _Shared:
    asked = _from_address(query)
    if query.get("name", "").strip():
        asked = asked._replace(name=clean_name(query["name"]))
    return _Shared(asked.problem, asked)


def _start_from(origin: Origin) -> None:
    _shared().go_to(origin.problem, origin, origin.label)


def _from_example(name: str) -> Origin:
    example = EXAMPLES[name]
    label = say("problem.example", title=example.title)
    return Origin(example.problem, label, name, {"ex": name})


def _from_sentence(text: str, tagger: str, keep: int) -> Origin:
    problem, share, tags = sentence_scores.problem_of(text, tagger, keep)
    whose, kept = "your" if tagger.startswith(taggers.OWN) else "the", len(problem.tags)
    label = say(f"problem.{whose}-tagger", words=" ".join(problem.tokens))
    if kept < tags:
        label += say("problem.kept", n=kept, of=tags, share=format_probability(share))
    return Origin(problem, label, None, sentence_scores.to_query(text, tagger, keep))


def _from_address(query: Mapping[str, str]) -> Origin:
    """What an address asks for; the default example, and a message, if that cannot be had."""
    is_link = any(key in query for key in KEYS)
    try:
        if "ex" in query:
            if query["ex"] in EXAMPLES:
                return _from_example(query["ex"])
            complain(_no_such_example(query["ex"]))
        elif is_link:
            return Origin(from_query(query), say("problem.link"))
        elif "sentence" in query:
            return _from_sentence(*sentence_scores.from_query(query))
    except ProblemError as error:
        complain(say(f"problem.no-{'link' if is_link else 'sentence'}", why=error))
    return _from_example(DEFAULT)


def _no_such_example(name: str) -> str:
    return say("problem.no-example", name=name[:40], names=", ".join(EXAMPLES))
