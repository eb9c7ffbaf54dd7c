"""What each answer tells the browser, and who is shown the server's numbers."""

import pytest

from pages.shared.course import start_options
from pages.shared.ui.server.headers import Headers, policy
from tests.ui.asgi import answer

WANTED = {
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-resource-policy",
}


def answered(path="/", client="127.0.0.1", host="127.0.0.1:8501", is_class=False):
    """Status and names of the headers of what comes back."""

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    headed = Headers(app, "/_stcore/metrics", is_class)
    status, headers, _ = answer(headed, path, headers={"host": host}, client=(client, 1))
    return status, headers.keys()


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        (200, {}),
        (200, {"path": "/_stcore/metrics"}),
        (200, {"path": "/_stcore/metrics", "client": "::1"}),
        (404, {"path": "/_stcore/metrics", "is_class": True}),
        (404, {"path": "/_stcore/metrics/", "client": "192.168.0.9"}),
        (404, {"path": "/_stcore/metrics", "host": "crf.example.org"}),  # by a proxy on the machine
    ],
)
def test_every_answer_has_the_headers_and_numbers_stay_on_the_machine(status, asked):
    found, names = answered(**asked)
    assert found == status
    assert names >= WANTED


def test_the_policy_allows_no_script_but_files_and_the_one_in_the_page():
    rules = dict(rule.split(" ", 1) for rule in policy().split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in rules["script-src"]
    assert rules["script-src"].count("'sha256-") == 1
    assert rules["frame-ancestors"] == "'self'"
    assert policy(["https://a.example"]).endswith("frame-ancestors 'self' https://a.example")


def test_what_may_frame_the_app_is_an_origin(capsys):
    app = str(start_options.APP)
    assert start_options.read([app, "--embed-from", "https://a.example:1"]).embed_from
    for site in ("https://a.example/b", "a.example", "https://a; script-src *"):
        with pytest.raises(SystemExit):
            start_options.read([app, "--embed-from", site])
        assert "expected https://HOST" in capsys.readouterr().err
