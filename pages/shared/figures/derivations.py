r"""The recursions as textbooks derive them, in LaTeX: nested sums with braces, then in logs.

    nested("forward", "state", ["The", "old", "man"])[0]
    \hat{\alpha}_{3}(y_{3}) = \psi(y_{3}, \text{man}) \sum_{y_{2}} \psi(y_{2}, y_{3}) \underbrace{…}

Potentials: ψ(y, word) of an emission, ψ(y′, y) of a transition, σ and ε of start and end; in pair
form ψ(y′, y, t) has all of a step. Sources: Rabiner (1989), section III; Collins (2013), "The
forward-backward algorithm"; Sutton and McCallum (2012), section 4.1.
"""

import re
from collections.abc import Sequence

from crf.conventions import FORMS
from pages.shared.course.latex import name

DEEPEST = 5  # braces inside each other that fit a line
_PLAIN = re.compile(r"[A-Za-z0-9.,:;!?' ]{1,16}")  # words that need no care in a formula


class _Writer:
    """Writes the cells of one recursion over words, in one form."""

    def __init__(self, algorithm: str, form: str, words: Sequence[str], merge: str) -> None:
        self.words, self.form, self.merge = words, form, merge
        self.m, self.is_forward = len(words), algorithm != "backward"
        forward = r"\hat{\alpha}" if form == "state" else r"\alpha"
        if merge == r"\max":
            forward = r"\exp v" if form == "message" else r"\exp \delta"
        self.letter = forward if self.is_forward else r"\beta"

    # ------------------------------------------------------------------ factors

    def emission(self, t: int) -> str:
        word = self.words[t - 1]
        return rf"\psi(y_{{{t}}}, {name(word) if _PLAIN.fullmatch(word) else f'x_{{{t}}}'})"

    def move(self, t: int) -> str:
        """The factor for the transition into token t's tag."""
        return rf"\psi(y_{{{t - 1}}}, y_{{{t}}})"

    def pair(self, t: int) -> str:
        before = rf"y_{{{t - 1}}}" if t > 1 else "*"
        return rf"\psi({before}, y_{{{t}}}, {t})"

    def over(self, t: int) -> str:
        return rf"{self.merge}_{{y_{{{t}}}}}"

    @property
    def start(self) -> str:
        return joined(r"\sigma(y_{1})", self.emission(1))

    @property
    def end(self) -> str:
        return rf"\varepsilon(y_{{{self.m}}})"

    # ------------------------------------------------------------------ cells

    @property
    def columns(self) -> range:
        """The columns of the recursion, in its order, by token from 1."""
        if self.is_forward:
            return range(1, self.m + (self.form != "message"))
        return range(self.m, 1 if self.form == "message" else 0, -1)

    def cell(self, t: int) -> str:
        """A cell's symbol. In message form it belongs to the tag of the neighbour."""
        tag = t if self.form != "message" else t + 1 if self.is_forward else t - 1
        return rf"{self.letter}_{{{t}}}(y_{{{tag}}})"

    def written(self, t: int, depth: int) -> str:
        """A cell's definition, with the earlier cells in it written out under braces."""
        if t == self.columns[0]:
            return self.first
        inner = self.braced(t - 1 if self.is_forward else t + 1, depth)
        if self.form == "message":  # the tag of this token is summed out
            move = self.move(t + 1 if self.is_forward else t)
            return joined(self.over(t), self.emission(t), move, inner)
        if self.is_forward:
            over = self.over(t - 1)
            if self.form == "pair":
                return joined(over, self.pair(t), inner)
            return joined(self.emission(t), over, self.move(t), inner)
        if self.form == "pair":
            return joined(self.over(t + 1), self.pair(t + 1), inner)
        return joined(self.over(t + 1), self.move(t + 1), self.emission(t + 1), inner)

    @property
    def first(self) -> str:
        """The recursion's first column: on the left going forward, on the right going backward."""
        if self.form == "message":
            if self.is_forward:
                return joined(self.over(1), self.start, self.move(2))
            return joined(self.over(self.m), self.emission(self.m), self.move(self.m), self.end)
        if self.form == "pair":
            return self.pair(1) if self.is_forward else "1"
        return self.start if self.is_forward else self.end

    def braced(self, t: int, depth: int) -> str:
        if depth <= 0:
            return self.cell(t)
        return rf"\underbrace{{{self.written(t, depth - 1)}}}_{{{self.cell(t)}}}"

    def total(self, depth: int) -> str:
        """The formula for Z, or for the best path's potential."""
        inner = self.braced(self.columns[-1], depth) if self.columns else ""
        if not self.is_forward:
            start = self.pair(1) if self.form == "pair" else self.start
            return joined(self.over(1), start, inner or self.end)
        last = {
            "state": self.end,
            "message": joined(self.emission(self.m) if inner else self.start, self.end),
            "pair": "",
        }
        return joined(self.over(self.m), last[self.form], inner)


def joined(*factors: str) -> str:
    """Factors of a product, with thin spaces between."""
    return r" \, ".join(filter(None, factors))


def nested(
    algorithm: str, form: str, words: Sequence[str], token: int | None = None
) -> tuple[str, str]:
    """A cell of a token as nested sums, and the total likewise.

    Args:
        algorithm: "forward", "backward" or "viterbi".
        form: "state", "message" or "pair".
        words: The tokens.
        token: Whose cell, from 0; the nearest one that the form has.

    Returns:
        Two equations; in message form a single word has no cell, and the first is "".
    """
    writer = _Writer(algorithm, form, words, r"\max" if algorithm == "viterbi" else r"\sum")
    whole = "Z" if algorithm != "viterbi" else r"\max_{y} \psi(y)"
    total = f"{whole} = {writer.total(DEEPEST)}"
    if not writer.columns:
        return "", total
    t = min(max((token or 0) + 1, min(writer.columns)), max(writer.columns))
    return f"{writer.cell(t)} = {writer.written(t, DEEPEST)}", total


def flat(words: Sequence[str], token: int, *, backward: bool = False) -> str:
    """α̂ or β of a token as one sum over all that comes before, or after it."""
    writer = _Writer("backward" if backward else "forward", "state", words, r"\sum")
    t, m = token + 1, len(words)
    others = range(t + 1, m + 1) if backward else range(1, t)
    if len(others) > 2:
        sums = rf"{writer.over(others[0])} \cdots {writer.over(others[-1])}"
    else:
        sums = " ".join(map(writer.over, others))
    if backward:
        factors = [f for k in others for f in (writer.move(k), writer.emission(k))] + [writer.end]
    else:
        steps = [f for k in range(2, t + 1) for f in (writer.move(k), writer.emission(k))]
        factors = [writer.start, *steps]
    if len(factors) > 7:
        factors = [*factors[:3], r"\cdots", *factors[-3:]]
    return f"{writer.cell(t)} = {joined(sums, *factors)}"


def aligned(*lines: str) -> str:
    """Lines of one derivation, equal signs below each other."""
    first, *rest = lines
    return r"\begin{aligned}" + r" \\ ".join([first, *rest]) + r"\end{aligned}"


_SUM = r"\textstyle\sum_{s'}"
FORMULAS = {  # name → equations without numbers
    "greedy": (
        r"\hat{y}_t = \arg\max_s\; e[t, s], \qquad "
        r"\hat{y}_t = \arg\max_s\; T[\hat{y}_{t-1}, s] + e[t, s]",
    ),
    "score": (
        r"\mathrm{score}(y) = \mathrm{start}[y_1] + \sum_{t=1}^{m} e[t, y_t]"
        r" + \sum_{t=2}^{m} T[y_{t-1}, y_t] + \mathrm{end}[y_m]",
        r"p(y \mid x) = \frac{\exp \mathrm{score}(y)}{Z}"
        r" = \exp(\mathrm{score}(y) - \log Z), \qquad Z = \sum_{y} \exp \mathrm{score}(y)",
    ),
    "linear": (
        r"\mathrm{score}(y) = w \cdot \Phi(x, y), \qquad"
        r" \Phi(x, y) = \sum_{t} \varphi(x, t, y_{t-1}, y_t)",
    ),
    "nll": (
        r"-\log p(y \mid x) = \log Z(x) - \mathrm{score}(x, y)",
        r"L = \sum_{n=1}^{N} \bigl( \log Z(x^{n}) - \mathrm{score}(x^{n}, y^{n}) \bigr), \qquad"
        r" L_B = \frac{1}{B} \sum_{n \in \text{batch}}"
        r" \bigl( \log Z(x^{n}) - \mathrm{score}(x^{n}, y^{n}) \bigr)",
    ),
    "cost": (
        r"\underbrace{|S|^{m}}_{\text{one by one}} \quad\longrightarrow\quad"
        r" \underbrace{O(m\,|S|^{2})}_{\text{time}},\;"
        r" \underbrace{O(m\,|S|)}_{\text{all cells}},\;"
        r" \underbrace{O(m\,|S|^{2})}_{\text{all pair marginals}}",
    ),
    "distribute": (
        r"a\,b\,c + a'\,b'\,c = (a\,b + a'\,b')\,c, \qquad"
        r" \sum_{y_1} \sum_{y_2} f(y_1)\, g(y_1, y_2)\, h(y_2)"
        r" = \sum_{y_2} h(y_2) \sum_{y_1} f(y_1)\, g(y_1, y_2)",
        r"5! = 120, \qquad 7! = \underbrace{5!}_{120} \cdot 6 \cdot 7 = 5040",
    ),
    "logs-forward": (
        aligned(
            rf"\log \hat{{\alpha}}_t(s) &= \log \bigl( \psi(s, x_t) {_SUM}"
            r" \hat{\alpha}_{t-1}(s')\, \psi(s', s) \bigr)",
            rf"&= \log \psi(s, x_t) + \log {_SUM} \hat{{\alpha}}_{{t-1}}(s')\, \psi(s', s)",
            rf"&= e[t, s] + \log {_SUM} \exp\bigl( \log \hat{{\alpha}}_{{t-1}}(s')"
            r" + T[s', s] \bigr)",
            r"&= e[t, s] + \mathrm{logsumexp}_{s'} \bigl( \log \hat{\alpha}_{t-1}(s')"
            r" + T[s', s] \bigr)",
        ),
        r"\mathrm{logsumexp}_k\, q_k = c + \log \textstyle\sum_k \exp(q_k - c),"
        r" \qquad c = \max_k q_k",
    ),
    "logs-backward": (
        aligned(
            rf"\log \beta_t(s) &= \log {_SUM} \psi(s, s')\, \psi(s', x_{{t+1}})"
            r"\, \beta_{t+1}(s')",
            rf"&= \log {_SUM} \exp\bigl( T[s, s'] + e[t+1, s'] + \log \beta_{{t+1}}(s') \bigr)",
            r"&= \mathrm{logsumexp}_{s'} \bigl( T[s, s'] + e[t+1, s']"
            r" + \log \beta_{t+1}(s') \bigr)",
        ),
    ),
    "viterbi": (
        aligned(
            r"y^{*} &= \arg\max_y\; p(y \mid x) = \arg\max_y \frac{\exp \mathrm{score}(y)}{Z}",
            r"&= \arg\max_y\; \exp \mathrm{score}(y) = \arg\max_y\; \mathrm{score}(y)"
            r" = \arg\max_y\; w \cdot \Phi(x, y)",
        ),
        r"\max(a + b,\; a + c) = a + \max(b, c)",
        r"\delta_t(s) = e[t, s] + \max_{s'} \bigl( \delta_{t-1}(s') + T[s', s] \bigr), \qquad"
        r" \kappa_t(s) = \arg\max_{s'} \bigl( \delta_{t-1}(s') + T[s', s] \bigr)",
    ),
    "pointers": (
        r"y^{*}_m = \arg\max_s \bigl( \delta_m(s) + \mathrm{end}[s] \bigr), \qquad"
        r" y^{*}_{t-1} = \kappa_t(y^{*}_t)",
    ),
    "without-pointers": (
        r"y^{*}_{t-1} = \arg\max_{s'} \bigl( \delta_{t-1}(s') + T[s', y^{*}_t] \bigr)",
    ),
    "total": (
        r"Z = \sum_s \hat{\alpha}_t(s)\, \beta_t(s) \quad t = 1, \dots, m",
        r"Z = \sum_{a, b} \hat{\alpha}_t(a)\, \psi(a, b)\, \psi(b, x_{t+1})\, \beta_{t+1}(b)"
        r" \quad t = 1, \dots, m - 1",
    ),
    "rise": (
        r"\frac{\partial \log Z}{\partial e[t, s]} = p(y_t = s \mid x), \qquad"
        r" \log Z(e + 1) - \log Z(e) = \log\bigl( 1 + p\,(\mathrm{e} - 1) \bigr)",
    ),
    "temperature": (
        r"\tau \log \sum_y \exp\frac{\mathrm{score}(y)}{\tau}"
        r" \;\xrightarrow{\;\tau \to 0\;}\; \max_y\, \mathrm{score}(y)",
    ),
    "gradient": (
        r"\frac{\partial \log p(y \mid x)}{\partial\, T[a, b]}"
        r" = \sum_t [\,y_{t-1} = a,\, y_t = b\,] - \sum_t p(y_{t-1} = a,\, y_t = b \mid x)",
        r"\frac{\partial \log p(y \mid x)}{\partial\, \psi} ="
        r" \frac{1}{\psi}\, \frac{\partial \log p(y \mid x)}{\partial \log \psi}",
    ),
}
MARGINALS = {  # form → the probability of a tag, and of a pair of neighbours' tags
    "state": (
        r"p(y_t = s \mid x) = \frac{\hat{\alpha}_t(s)\, \beta_t(s)}{Z}",
        r"p(y_t = a,\, y_{t+1} = b \mid x) = \frac{\hat{\alpha}_t(a)\, \psi(a, b)\,"
        r" \psi(b, x_{t+1})\, \beta_{t+1}(b)}{Z}",
    ),
    "message": (
        r"p(y_t = s \mid x) = \frac{\alpha_{t-1}(s)\, \psi(s, x_t)\, \beta_{t+1}(s)}{Z}",
        r"p(y_t = a,\, y_{t+1} = b \mid x) = \frac{\alpha_{t-1}(a)\, \psi(a, x_t)\, \psi(a, b)\,"
        r" \psi(b, x_{t+1})\, \beta_{t+2}(b)}{Z}",
    ),
    "pair": (
        r"p(y_t = s \mid x) = \frac{\alpha_t(s)\, \beta_t(s)}{Z}",
        r"g(i, a, b) = p(y_{i-1} = a,\, y_i = b \mid x) = \frac{\alpha_{i-1}(a)\, \psi(a, b, i)\,"
        r" \beta_i(b)}{Z}",
    ),
}  # fmt: skip


def equations(topic: str, words: Sequence[str], token: int) -> list[str]:
    """The equations of a topic; those of a recursion with the words at hand.

    Args:
        topic: "alpha", "beta", "delta", "marginal" or a name in `FORMULAS`.
        words: The tokens.
        token: Whose cell, from 0.
    """
    if topic == "alpha":
        return [flat(words, token), *nested("forward", "state", words, token)]
    if topic == "beta":
        forms = [nested("backward", form, words, token)[0] for form in FORMS]
        return list(filter(None, [flat(words, token, backward=True), *forms]))
    if topic == "delta":
        return [nested("viterbi", "state", words, token)[0]]
    if topic == "marginal":
        return [line for form in MARGINALS.values() for line in form]
    return list(FORMULAS[topic])
