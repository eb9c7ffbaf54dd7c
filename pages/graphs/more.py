"""What stands behind "⋯" of Graphs: what a beat leaves open, each drawn when opened."""

from functools import partial

import pandas as pd
import streamlit as st

from pages.graphs import ice_cream, label_bias
from pages.graphs.beats import CONTROLS
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import probability
from pages.shared.ui import bench
from pages.shared.ui.stage import look

EQUATIONS = {  # section → its equations
    "structure": (r"y^* = \operatorname*{argmax}_{y \in \mathcal{S}^m} f(x, y)",),
    "graph": (
        r"G = (V, F, E), \qquad p(y) = \frac{1}{Z} \prod_{a \in F} \psi_a\bigl(y_{N(a)}\bigr)",
        r"p(y \mid x) = \frac{1}{Z(x)} \prod_{t=1}^{m} \psi(y_t, x, t)"
        r"\prod_{t=1}^{m-1} \psi(y_t, y_{t+1})",
    ),
    "independence": (
        r"p(y \mid x) = \frac{1}{Z}\; A(y_1, \dots, y_{k-1}, y_k)\; B(y_k, y_{k+1}, \dots, y_m)",
        r"p(y_{<k}, y_{>k} \mid y_k, x) = \frac{A(y_{<k}, y_k)}{\sum_{y_{<k}} A}"
        r"\cdot \frac{B(y_k, y_{>k})}{\sum_{y_{>k}} B}",
        r"y_t \perp\!\!\!\perp \text{all other tags} \mid y_{t-1}, y_{t+1}, x",
    ),
    "easier": (
        r"p(y \mid x) = \frac{p(x, y)}{p(x)} = \frac{p(y)\, p(x \mid y)}"
        r"{\sum_{y'} p(y')\, p(x \mid y')}",
    ),
    "features": (
        r"\psi = \exp(\theta \cdot f), \qquad \Phi(x, y) = \sum_{i} \varphi(x, i, y_{i-1}, y_i)",
        r"p(y \mid x) = \frac{\exp(w \cdot \Phi(x, y))}{\sum_{y'} \exp(w \cdot \Phi(x, y'))}",
    ),
    "bias": (),
    "ctc": (
        r"p(\ell \mid x) = \sum_{y \,\text{collapses to}\, \ell} \; \prod_{t=1}^{m} p(y_t \mid x)",
    ),
}
CODE = """
known = chain.clamp(tags)  # tags [B, L]; -1 leaves a token free
known.marginals            # [B, L, S]
""".strip()


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    problem = ice_cream.problem(state.control("cones", CONTROLS))
    bench.show(bench.OnBench("graphs", problem, hidden_from=bench.hides(state, beat)))


def _section(name: str, _state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html(name))
    for equation in EQUATIONS[name]:
        st.latex(equation)
    if name == "bias":
        pairs = [(letter, word) for letter in label_bias.LETTERS for word in label_bias.WORDS]
        rows = [
            [f"r{letter}b", word, *map(probability, label_bias.probabilities(letter, word))]
            for letter, word in pairs
        ]
        heads = [text.line(f"heads.{name}") for name in ("read", "word", "memm", "crf", "hmm")]
        frame = pd.DataFrame(rows, columns=heads)
        st.dataframe(frame, hide_index=True, height="content", alt=text.line("look.bias"))
    elif name == "graph":
        st.html(text.html("sees"))
    elif name == "independence":
        st.code(CODE, language="python")


SECTIONS: look.Sections = {
    "numbers": {"heat-maps": _numbers, "bias": partial(_section, "bias")},
    "why": {name: partial(_section, name) for name in EQUATIONS if name != "bias"},
}
