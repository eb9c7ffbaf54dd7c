"""Problems for the tests of files and links, and a strategy that draws any problem."""

import math

from hypothesis import strategies as st

from pages.shared.course.problem import Problem, ProblemError

INF = math.inf
AWKWARD = ("=1+1", "'=x", "~", "*0", "a~*1b", "-", "@me", "'s", "a,b", 'say "hi"', "<b>", "時間")


def build(names, S, m, per_step, scores) -> Problem:
    """A problem from a list of scores long enough for it."""
    scores = iter(scores)

    def table(*shape):
        return [table(*shape[1:]) for _ in range(shape[0])] if shape else next(scores)

    transitions = table(m - 1, S, S) if per_step else table(S, S)
    return Problem.of(names[:S], names[S : S + m], table(m, S), transitions, table(S), table(S))


def acceptable(name: str) -> bool:
    try:
        Problem.blank([name], [name])
    except ProblemError:
        return False
    return True


NAMES = st.one_of(
    st.sampled_from(AWKWARD), st.text(min_size=1, max_size=6).map(str.strip).filter(acceptable)
)
ANY_SCORE = st.one_of(st.just(-INF), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -0.5]))
SIX_DIGITS = st.builds("{}e{}".format, st.integers(-999999, 999999), st.integers(-12, 0)).map(float)
SHORT_SCORE = st.one_of(st.just(-INF), SIX_DIGITS)


@st.composite
def problems(draw, scores=ANY_SCORE, most=3) -> Problem:
    S, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    names = draw(st.lists(NAMES, min_size=S + m, max_size=S + m, unique=True))
    per_step = draw(st.booleans())
    needed = m * S + max(m, 2) * S * S + 2 * S
    return build(names, S, m, per_step, draw(st.lists(scores, min_size=needed, max_size=needed)))
