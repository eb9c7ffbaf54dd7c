"""Any lesson's stage on a page without Streamlit; what it asks is answered here.

A server answers, and not a route of playwright's, for which Chromium keeps no compiled script.
"""

import json
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from crf.figures import modules
from pages import beats
from pages.shared.figures.beat import beat_with
from pages.shared.ui import component
from pages.shared.ui.component_data import as_json
from pages.shared.ui.stage import view as views

PAGE = """<!doctype html><html lang="en"><title>Lesson</title><style>{style}
:root {{ color-scheme: light dark }} body, h1 {{ margin: 0; font-size: 0 }}</style>
<main><h1>Lesson</h1><div class="crf-figure"></div></main>
<script type="application/json">{data}</script><script type="module">
import stage from "/modules/1/{stage}/index.js"
const data = JSON.parse(document.querySelector('[type="application/json"]').textContent)
window.said = {{}}
const model = {{ get: () => data, set(name, value) {{ said[name] = value }}, save_changes() {{}},
  on() {{}}, off() {{}} }}
const {{ signal }} = new AbortController()
stage.render({{ model, el: document.querySelector('.crf-figure'), signal }})
</script></html>"""


class Site(ThreadingHTTPServer):
    """One page, the scripts as the app's server has them, and answers to what a page posts."""

    page: str
    answer: Callable[[str, Any], tuple[int, Any]]  # path, question → status, JSON
    asked: list[Any]  # the questions

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def site(self) -> Site:
        assert isinstance(self.server, Site)
        return self.server

    def do_GET(self):
        if module := re.fullmatch(r"/modules/\w+/(.*\.js)", self.path):
            self._send(component.served(module[1])[0], "text/javascript", keep=600)
        else:
            self._send(self.site.page.encode(), "text/html; charset=utf-8")

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not question.get("ahead"):
            self.site.asked.append(question)
        status, body = self.site.answer(urlsplit(self.path).path, question)
        self._send(as_json(body), "application/json", status)

    def _send(self, body: bytes, kind: str, status: int = 200, keep: int = 0):
        self.send_response(status)
        for name, value in (("Type", kind), ("Length", len(body))):
            self.send_header(f"Content-{name}", str(value))
        self.send_header("Cache-Control", f"max-age={keep}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


def answered(lesson, name, question):
    """What /draw answers."""
    every = beats.LESSONS[lesson]
    beat = next(beat for beat in every if beat.name == name)
    state, fault = views.state_of(question["state"], lesson)
    if question["want"] == "whole" or beat_with(beat, state, every)[0] is not beat:
        return {"view": views.view(beat, lesson, state, fault, every)}
    tables = {"picture": beat.tables(state)} if question.get("tables") and beat.tables else {}
    return {"now": beat.now(state) | tables, **views.address(state, beat, every)}


def open_beat(site, page, lesson, beat, query, host):
    """Show a beat in a state on a tab; `page.asked` collects what it asks."""
    data = {
        "address": f"/draw/{lesson}/{beat}",
        "language": "en",
        "opens": False,
        "host": host,
        "order": 0,
        "set": {},
        "links": {},
        "labels": {},
        "door": beat,
        **answered(lesson, beat, {"state": query, "want": "whole"}),
    }

    def answer(path, question):
        if path.startswith("/draw/"):
            return 200, answered(lesson, path.rsplit("/", 1)[1], question)
        return 503, {"message": "Too many wait."}

    text = as_json(data).decode().replace("<", "\\u003c")
    style = modules.style(views.STAGE)
    site.page, site.answer = PAGE.format(style=style, data=text, stage=views.STAGE), answer
    page.asked = site.asked = []
    page.goto(f"{site.url}/beat/{lesson}/{beat}")
    page.locator(f"[data-figure={lesson}] :visible").first.wait_for()
    return page
