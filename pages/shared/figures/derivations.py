r"""The recursions as textbooks derive them, in LaTeX: nested sums with braces, then in logs.

    nested("forward", "state", ["The", "old", "man"])[0]
    \hat{\alpha}_{3}(y_{3}) = \psi(y_{3}, \text{man}) \sum_{y_{2}} \psi(y_{2}, y_{3}) \underbrace{…}

Potentials: ψ(y, word) of an emission, ψ(y′, y) of a transition, σ and ε of start and end; in pair
form ψ(y′, y, t) has all of a step. Sources: Rabiner (1989), section III; Collins (2013), "The
forward-backward algorithm"; Sutton and McCallum (2012), section 4.1.
"""

import re
from collections.abc import Sequence

from crf.figures.trellis.notation import EOS, ROOT
from crf.steps.conventions import FORMS, convention
from pages.shared.course.latex import letter, name

DEEPEST = 5  # braces inside each other that fit a line
_PLAIN = re.compile(r"[A-Za-z0-9.,:;!?' ]{1,16}")  # words that need no care in a formula


class _Writer:
    """Writes the cells of one recursion over words, in one form; tokens count from 0."""

    def __init__(
        self, algorithm: str, form: str, words: Sequence[str], semiring: str, rooted: bool = False
    ) -> None:
        self.words, self.form, self.m, self.rooted = words, form, len(words), rooted
        self.convention, self.is_forward = convention(algorithm, form), algorithm != "backward"
        self.merge = r"\sum" if semiring == "sum" else r"\max"
        self.letter = letter(algorithm, form, semiring, "probability")
        self.columns = range(self.m)[self.convention.tokens]

    # ------------------------------------------------------------------ factors

    def tag(self, t: int) -> str:
        return f"y_{{{t + 1}}}" if t >= 0 else "*"

    def emission(self, t: int) -> str:
        word = self.words[t]
        return rf"\psi({self.tag(t)}, {name(word) if _PLAIN.fullmatch(word) else f'x_{{{t + 1}}}'})"

    def transition(self, t: int) -> str:
        """The factor for the transition into token t's tag."""
        return rf"\psi({self.tag(t - 1)}, {self.tag(t)})"

    def pair(self, t: int) -> str:
        return rf"\psi({self.tag(t - 1)}, {self.tag(t)}, {t + 1})"

    def start(self, t: int) -> str:
        return (
            rf"\psi(\text{{{ROOT}}}, {self.tag(t)})" if self.rooted else rf"\sigma({self.tag(t)})"
        )

    def end(self, t: int) -> str:
        if self.rooted:
            return rf"\psi({self.tag(t)}, \text{{{EOS}}})"
        return rf"\varepsilon({self.tag(t)})"

    def over(self, t: int) -> str:
        return rf"{self.merge}_{{{self.tag(t)}}}"

    # ------------------------------------------------------------------ cells

    def cell(self, t: int) -> str:
        """A cell's symbol. In message form its number is not the one of its tag."""
        number = t - self.convention.first + self.convention.number
        return rf"{self.letter}_{{{number}}}({self.tag(t)})"

    def written(self, t: int, depth: int) -> str:
        """A cell's definition, or one token beyond the chain the total's.

        The earlier cells in it are written out under braces, and stand last.
        """
        u = t - 1 if self.is_forward else t + 1
        term, after = self.convention.at(t, u, self.m)

        def factor(part: str) -> str:
            if part == "transition":
                return self.transition(max(t, u))
            return getattr(self, part.strip("'"))(u if part.endswith("'") else t)

        factors = [factor(part) for part in term if part != "previous'"]
        if factors and self.form == "pair":
            factors = [self.pair(max(t, u))]
        if "previous'" in term:
            factors.append(self.braced(u, depth))
        own = [factor(part) for part in after]
        if u not in range(self.m):
            return joined(*factors, *own) or "1"
        return joined(*own, self.over(u), *factors)

    def braced(self, t: int, depth: int) -> str:
        if depth <= 0:
            return self.cell(t)
        return rf"\underbrace{{{self.written(t, depth - 1)}}}_{{{self.cell(t)}}}"


def joined(*factors: str) -> str:
    """Factors of a product, with thin spaces between."""
    return r" \, ".join(filter(None, factors))


def nested(
    algorithm: str,
    form: str,
    words: Sequence[str],
    token: int | None = None,
    *,
    rooted: bool = False,
) -> tuple[str, str]:
    """A cell of a token as nested sums, and the total likewise.

    Args:
        algorithm: "forward", "backward" or "viterbi".
        form: "state", "message" or "pair".
        words: The tokens.
        token: Whose cell, from 0; the nearest one that the form has.
        rooted: Whether START and END are ROOT and EOS.

    Returns:
        Two equations; in message form a single word has no cell, and the first is "".
    """
    semiring, whole = ("max", r"\max_{y} \psi(y)") if algorithm == "viterbi" else ("sum", "Z")
    writer = _Writer(algorithm, form, words, semiring, rooted)
    total = f"{whole} = {writer.written(writer.m if writer.is_forward else -1, DEEPEST)}"
    columns, how = writer.columns, writer.convention
    if not columns:
        return "", total
    t = min(max((token or 0) + 1 + how.first - how.number, columns[0]), columns[-1])
    return f"{writer.cell(t)} = {writer.written(t, DEEPEST)}", total


def flat(words: Sequence[str], token: int, *, backward: bool = False, rooted: bool = False) -> str:
    """α̂ or β of a token as one sum over all that comes before, or after it."""
    writer = _Writer("backward" if backward else "forward", "state", words, "sum", rooted)
    others = range(token + 1, writer.m) if backward else range(token)
    if len(others) > 2:
        sums = rf"{writer.over(others[0])} \cdots {writer.over(others[-1])}"
    else:
        sums = " ".join(map(writer.over, others))
    into = others if backward else range(1, token + 1)
    factors = [factor for k in into for factor in (writer.transition(k), writer.emission(k))]
    if backward:
        factors.append(writer.end(writer.m - 1))
    else:
        factors.insert(0, joined(writer.start(0), writer.emission(0)))
    if len(factors) > 7:
        factors = [*factors[:3], r"\cdots", *factors[-3:]]
    return f"{writer.cell(token)} = {joined(sums, *factors)}"


def aligned(*lines: str) -> str:
    """Lines of one derivation, equal signs below each other."""
    first, *rest = lines
    return r"\begin{aligned}" + r" \\ ".join([first, *rest]) + r"\end{aligned}"


_SUM = r"\textstyle\sum_{s'}"
_LOGSUMEXP = (
    r"\mathrm{logsumexp}_k\, q_k = c + \log \textstyle\sum_k \exp(q_k - c),"
    r" \qquad c = \max_k q_k"
)
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
        _LOGSUMEXP,
    ),
    "logs-forward-message": (
        aligned(
            rf"\log \alpha_t(s) &= \log {_SUM} \alpha_{{t-1}}(s')\, \psi(s', x_t)\, \psi(s', s)",
            rf"&= \log {_SUM} \exp\bigl( \log \alpha_{{t-1}}(s') + e[t, s'] + T[s', s] \bigr)",
            r"&= \mathrm{logsumexp}_{s'} \bigl( \log \alpha_{t-1}(s') + e[t, s'] + T[s', s] \bigr)",
        ),
        _LOGSUMEXP,
    ),
    "logs-forward-pair": (
        aligned(
            rf"\log \alpha_t(s) &= \log {_SUM} \alpha_{{t-1}}(s')\, \psi(s', s, t)",
            rf"&= \log {_SUM} \exp\bigl( \log \alpha_{{t-1}}(s') + \log \psi(s', s, t) \bigr)",
            r"&= \mathrm{logsumexp}_{s'} \bigl( \log \alpha_{t-1}(s') + \log \psi(s', s, t) \bigr)",
        ),
        r"\log \psi(s', s, t) = T[s', s] + e[t, s]",
        _LOGSUMEXP,
    ),
    "logs-backward-message": (
        aligned(
            rf"\log \beta_t(s) &= \log {_SUM} \psi(s', x_t)\, \psi(s, s')\, \beta_{{t+1}}(s')",
            rf"&= \log {_SUM} \exp\bigl( e[t, s'] + T[s, s'] + \log \beta_{{t+1}}(s') \bigr)",
            r"&= \mathrm{logsumexp}_{s'} \bigl( e[t, s'] + T[s, s'] + \log \beta_{t+1}(s') \bigr)",
        ),
    ),
    "logs-backward-pair": (
        aligned(
            rf"\log \beta_t(s) &= \log {_SUM} \psi(s, s', t+1)\, \beta_{{t+1}}(s')",
            rf"&= \log {_SUM} \exp\bigl( \log \psi(s, s', t+1) + \log \beta_{{t+1}}(s') \bigr)",
            r"&= \mathrm{logsumexp}_{s'} \bigl("
            r" \log \psi(s, s', t+1) + \log \beta_{t+1}(s') \bigr)",
        ),
    ),
    "total-message": (
        r"Z = \sum_s \alpha_{t-1}(s)\, \psi(s, x_t)\, \beta_{t+1}(s) \quad t = 2, \dots, m - 1",
    ),
    "total-pair": (
        r"Z = \sum_s \alpha_t(s)\, \beta_t(s) \quad t = 1, \dots, m",
        r"Z = \sum_{a, b} \alpha_{i-1}(a)\, \psi(a, b, i)\, \beta_i(b) \quad i = 2, \dots, m",
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
BRACES = (  # a marginal as a part of the whole sum
    r"p(y_t = s \mid x) = \frac{1}{Z} \underbrace{\sum_{y_1 \dots y_{t-1}} \prod_{i \le t}"
    r" \psi_i(y_{i-1}, y_i)}_{\hat\alpha_t(s)} \; \underbrace{\sum_{y_{t+1} \dots y_m}"
    r" \prod_{i > t} \psi_i(y_{i-1}, y_i)}_{\beta_t(s)}, \quad y_t = s"
)
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
}


def equations(
    topic: str, words: Sequence[str], token: int, form: str = "state", *, rooted: bool = False
) -> list[str]:
    """The equations of a topic; those of a recursion with the words at hand.

    Args:
        topic: "alpha", "beta", "delta", "marginal" or a name in `FORMULAS`.
        words: The tokens.
        token: Whose cell, from 0.
        form: Of the recursion; where all forms are shown, it comes first.
        rooted: Whether START and END are ROOT and EOS.
    """
    forms = sorted(FORMS, key=lambda each: each != form)
    if topic in ("alpha", "beta"):
        direction, every = ("forward", [form]) if topic == "alpha" else ("backward", forms)
        lines = [nested(direction, each, words, token, rooted=rooted) for each in every]
        whole = [lines[0][1]] if topic == "alpha" else []
        all_at_once = flat(words, token, backward=topic == "beta", rooted=rooted)
        first = [all_at_once] if form == "state" else []
        return list(filter(None, [*first, *(cell for cell, _ in lines), *whole]))
    if topic == "delta":
        return [nested("viterbi", "state", words, token)[0]]
    if topic == "marginal":
        return [BRACES, *(line for each in forms for line in MARGINALS[each])]
    return list(FORMULAS.get(f"{topic}-{form}", FORMULAS[topic]))
