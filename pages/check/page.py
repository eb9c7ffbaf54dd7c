"""Check your code: paste what a program of your own prints, and see the first wrong cell."""

import streamlit as st

from crf.lab import mistakes
from crf.lab.cells import FORMS, AnswerForm
from crf.lab.report import CheckResult, number, place
from pages.check import checking, picture
from pages.shared.course.problem_code import problem_code
from pages.shared.ui.controls import Choice, Flag
from pages.shared.ui.drawing import draw
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue

_LABELS = {key: quantity.label for key, quantity in checking.QUANTITIES.items()}
QUANTITY = Choice("check.quantity", "alpha", address="quantity", labels=_LABELS)
FORM = Choice(
    "check.form", "state", address="form",
    labels=dict(zip(FORMS, ("State", "Message", "Pair", "Before emission"), strict=True)),
)  # fmt: skip
SPACE = Choice(
    "check.space", "log", address="numbers",
    labels={"log": "Log-scores", "probability": "Potentials"},
)  # fmt: skip
FLAVOUR = Choice(
    "check.flavour", "lists", address="flavour",
    labels={"lists": "Lists", "numpy": "numpy", "torch": "torch"},
)  # fmt: skip
BATCHED = Flag("check.batched", False, address="batched")
PASTED = SessionValue("check.pasted", "")

lesson = Lesson.open("check", controls=(QUANTITY, FORM, SPACE, FLAVOUR, BATCHED))
lesson.bar()
problem = lesson.problem
figure, text = lesson.split()


def where(check: CheckResult) -> str:
    """The first wrong cell by its names."""
    cell = check.cell
    if cell is None or cell.token is None or cell.tag is None:
        return place(check)
    return f"{problem.tags[cell.tag]}, {problem.tokens[cell.token]}"


def tell(verdict: checking.PastedVerdict) -> None:
    """Say what came out of the comparison."""
    check = verdict.check
    if verdict.why:
        lesson.say("unreadable", why=verdict.why)
    if check is None:
        return
    if check.passed:
        if check.wrong[1] == 1:
            lesson.say("right-number")
        else:
            lesson.say("right", count=check.wrong[1])
        tell_what_is_hidden(verdict)
        return
    sentences = mistakes.explanations()
    if check.impossible:
        st.error(f"**{check.impossible}.** {sentences[check.impossible]}", icon=":material/block:")
    facts = {"expected": number(check.expected), "got": number(check.got)}
    if check.wrong[1] == 1:
        lesson.say("wrong-number", **facts)
    else:
        many = {"wrong": check.wrong[0], "count": check.wrong[1], "place": where(check)}
        lesson.say("wrong-cell", **many, **facts)
    for name in check.mistakes:
        st.error(f"**{name}.** {sentences[name]}", icon=":material/close:")
    if not check.mistakes:
        lesson.say("unknown")
    tell_what_is_hidden(verdict)


def tell_what_is_hidden(verdict: checking.PastedVerdict) -> None:
    """Say which mistakes this problem cannot show."""
    if not any((*problem.start, *problem.end)):
        lesson.say("blind-ends")
    if verdict.hidden:
        lesson.say("hidden", names=", ".join(f"**{name}**" for name in verdict.hidden))


with text:
    lesson.say("idea", mistakes=len({name for name, _ in mistakes.CATALOGUE}))
if problem.per_step or not lesson.summary.feasible:
    with text:
        lesson.say("per-step" if problem.per_step else "infeasible")
    lesson.close()
    st.stop()

with text:
    with lesson.fold("1 · Copy the problem", key="copy") as is_open:
        if is_open:
            lesson.say("copy")
            flavour, batched = FLAVOUR.widget("As"), BATCHED.widget("Batch of one")
            tags = checking.scores_of(problem).tags
            code = problem_code(problem, flavour, tags, batched=batched)
            st.code(code, language="python", height=260)
    st.markdown("**2 · Paste the numbers**")
    key = QUANTITY.widget("What they are", shape="select")
    quantity = checking.QUANTITIES[key]
    is_table = quantity.shape == "table"
    with lesson.fold("How else are these scores written?", key="forms") as is_open:
        if is_open:
            FORM.widget("Form")
            SPACE.widget("Numbers as")
    form = AnswerForm(SPACE.value, FORM.value) if is_table else AnswerForm()
    rows, columns = checking.shape(problem, quantity, form)
    lesson.say("paste", what=quantity.label, shape=f"{rows} × {columns}")
    typed = st.text_area(
        "What your code prints", key=PASTED.key, height=100, max_chars=50_000,
        placeholder="tensor([[ 1.2000, -0.4000], …", persist_state="session",
    )  # fmt: skip
    verdict = checking.PastedVerdict()
    if typed.strip():
        verdict = checking.check(problem, key, typed, form)
    tell(verdict)
    lesson.say("command")

with figure:
    tokens = problem.tokens
    if form.form == "message":  # one stands between two tokens, and is named after its column's
        tokens = tokens[:-1] if quantity.function == "backward" else tokens[1:]
    draw(picture.trellis(problem.tags, tokens, verdict, quantity.label), key="check.trellis")
    lesson.say("picture-after" if verdict.columns else "picture-before")
lesson.foot()
lesson.close()
