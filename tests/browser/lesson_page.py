"""Any lesson's stage on a page without Streamlit; what it asks is answered here."""

import json
import re
from urllib.parse import urlsplit

from crf.figures import modules
from pages import beats
from pages.shared.contents import ROOT
from pages.shared.ui.component_data import as_json
from pages.shared.ui.stage import view as views

SITE = "http://stage.test"
STAGE = "pages/shared/ui/stage"
PAGE = """<!doctype html><html lang="en"><title>Lesson</title><style>{style}
:root {{ color-scheme: light dark }} body, h1 {{ margin: 0; font-size: 0 }}</style>
<main><h1>Lesson</h1><div class="crf-figure"></div></main>
<script type="application/json">{data}</script><script type="module">
import stage from "/modules/{stage}/index.js"
const data = JSON.parse(document.querySelector('[type="application/json"]').textContent)
const model = {{ get: () => data, set() {{}}, save_changes() {{}}, on() {{}}, off() {{}} }}
const {{ signal }} = new AbortController()
stage.render({{ model, el: document.querySelector('.crf-figure'), signal }})
</script></html>"""


def answered(lesson, name, question):
    """What /draw answers."""
    every = beats.LESSONS[lesson]
    beat = next(beat for beat in every if beat.name == name)
    state, fault = views.state_of(question["state"], lesson)
    if question["want"] == "whole":
        return {"view": views.view(beat, lesson, state, fault, every)}
    tables = {"picture": beat.tables(state)} if question.get("tables") and beat.tables else {}
    return {"now": beat.now(state) | tables, **views.address(state, beat, every)}


def open_beat(page, lesson, beat, **query):
    """Show a beat in a state on an empty tab."""
    data = {
        "address": f"/draw/{lesson}/{beat}", "language": "en", "opens": False, "host": "frame",
        "order": 0, "set": {}, "links": {}, "labels": {}, "door": beat,
        **answered(lesson, beat, {"state": query, "want": "whole"}),
    }  # fmt: skip

    def serve(route):
        path = urlsplit(route.request.url).path
        if module := re.fullmatch(r"/modules/(.*\.js)", path):
            route.fulfill(path=ROOT / module[1], content_type="text/javascript")
        elif path.startswith("/draw/"):
            question = json.loads(route.request.post_data)
            route.fulfill(body=as_json(answered(lesson, path.rsplit("/", 1)[1], question)))
        else:
            text = as_json(data).decode().replace("<", "\\u003c")
            body = PAGE.format(style=modules.style(STAGE, *views.STYLES), data=text, stage=STAGE)
            route.fulfill(body=body, content_type="text/html; charset=utf-8")

    page.route(f"{SITE}/**", serve)
    page.goto(f"{SITE}/beat/{lesson}/{beat}")
    page.locator(f"[data-figure={lesson}] :visible").first.wait_for()
    return page
