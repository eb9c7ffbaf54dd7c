"""GET /sheet: the course on one page of paper: five formulas, five pictures, one example."""

from pathlib import Path
from string import Template

from markupsafe import Markup, escape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from crf.figures.languages import LANGUAGES, language
from crf.figures.numbers import format_score
from crf.figures.words import words
from pages.shared.contents import ROOT
from pages.shared.ui import preload
from pages.shared.ui.language import of_browser, speaking
from pages.shared.ui.server_path import root
from pages.shared.ui.state import LANGUAGE

FORMULAS = {
    "score": "score(x, y) = start[y₁] + Σₜ e[t, yₜ] + Σₜ T[yₜ₋₁, yₜ] + end[yₘ]",
    "p": Markup("p(y | x) = exp(score(x, y)) / Z,  Z = Σ<sub>y′</sub> exp(score(x, y′))"),
    "forward": "α̂ₜ(s) = exp(e[t, s]) · Σₛ′ α̂ₜ₋₁(s′) · exp(T[s′, s])",
    "viterbi": "δₜ(s) = e[t, s] + maxₛ′ (δₜ₋₁(s′) + T[s′, s])",
    "gradient": "∂ log p / ∂ score = {difference}",
}
PICTURES = ("path", "add", "back", "meet", "counts")
_FOLDER = Path(__file__).parent
_PAGE = _FOLDER / "sheet.html"


def page() -> str:
    """The sheet in the reader's language."""
    from pages.now.beats import USUAL  # these need torch, and the server starts without it
    from pages.shared.course.chain_summary import ChainSummary
    from pages.shared.figures import tables
    from pages.shared.figures.theme import probability

    said = words(_FOLDER, file="sheet")
    formulas = Markup("").join(
        Markup("<li>{} <b>{}</b></li>").format(
            formula.format(difference=said["difference"]), said[name]
        )
        for name, formula in FORMULAS.items()
    )
    stills = ROOT / "docs" / "stills" / ("" if language() == "en" else language())
    pictures = Markup("").join(
        Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(
            Markup((stills / f"{name}.svg").read_text(encoding="utf-8")), said[f"picture-{name}"]
        )
        for name in PICTURES
        if (stills / f"{name}.svg").exists()
    )
    summary, chain = ChainSummary(USUAL), USUAL.chain()
    best = " ".join(summary.viterbi)
    result = said["result"].format(
        best=best,
        score=format_score(chain.viterbi().scores[0].item(), 1),
        log_z=format_score(chain.log_partition[0].item(), 4),
        p=probability(summary.p(summary.viterbi)),
    )
    alphas = chain.log_alphas[0].tolist()
    rows = [
        [tag, *(format_score(column[s]) for column in alphas)] for s, tag in enumerate(USUAL.tags)
    ]
    table = tables.text_table(["log α̂", *USUAL.tokens], rows, said["caption"])
    facts = {
        "title": said["title"],
        "example": said["example"],
        "result": result,
        "back": said["back"],
    }
    return Template(_PAGE.read_text(encoding="utf-8")).substitute(
        {name: escape(text) for name, text in facts.items()},
        lang=language(),
        now=f"{root()}now",
        formulas=formulas,
        pictures=pictures,
        table=table,
    )


def routes() -> list[BaseRoute]:
    """The server's route for it."""

    def written(speak: str) -> str:
        with speaking(speak):
            return page()

    async def answer(request: Request) -> HTMLResponse:
        await preload.imported()
        chosen = request.query_params.get(LANGUAGE, "")
        browser = of_browser(request.headers.get("accept-language"))
        speak = chosen if chosen in LANGUAGES else browser
        return HTMLResponse(await run_in_threadpool(written, speak))

    return [Route(f"{root()}sheet", answer)]
