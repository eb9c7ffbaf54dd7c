"""The files of `deploy/`, and its README's way without containers: linted, and Redis is shut."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.serving import free_port

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
NO_REDIS = "no redis-server found (on Debian: apt-get install redis-server)"


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **how)


def test_the_container_file_passes_its_linter():
    hadolint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if hadolint is None:
        pytest.skip("hadolint is not installed (requirements-test.txt)")
    done = run(hadolint, "--failure-threshold", "info", DEPLOY / "Containerfile")
    assert done.returncode == 0, done.stdout


def test_the_compose_file_is_of_its_schema():
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    schema = ("--builtin-schema", "vendor.compose-spec")
    done = run(sys.executable, "-m", "check_jsonschema", *schema, DEPLOY / "compose.yaml")
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def services():
    yaml = pytest.importorskip("ruamel.yaml", reason="ruamel.yaml is not installed")
    return yaml.YAML(typ="safe").load(DEPLOY / "compose.yaml")["services"]


def test_only_the_proxy_has_a_published_port_and_no_secret_has_a_default(services):
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert services["redis"]["networks"] == ["inside"]
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{\w+([^?}]*)", text)) == {":"}  # each must be given


def answers(port, password, *question):
    environment = os.environ | ({"REDISCLI_AUTH": password} if password else {})
    return run("redis-cli", "-p", str(port), *question, env=environment).stdout.strip()


def shut(command, env, port, folder):
    """Start Redis by a shell; it wants the password, and keeps what it is told on disk."""
    server = subprocess.Popen(
        ["bash", "-c", command], cwd=folder, env=os.environ | env, stdout=subprocess.DEVNULL
    )
    try:
        for _ in range(100):
            if answers(port, "s3cret", "ping") == "PONG":
                break
            time.sleep(0.05)
        assert "NOAUTH" in answers(port, "", "get", "x")
        assert answers(port, "s3cret", "config", "get", "appendonly").split() == [
            "appendonly", "yes",
        ]  # fmt: skip
        arguments = Path(f"/proc/{server.pid}/cmdline")
        if arguments.exists():
            assert b"s3cret" not in arguments.read_bytes()
        return answers(port, "s3cret", "config", "get", "bind").split()
    finally:
        server.kill()
        server.wait(10)


@pytest.mark.skipif(not shutil.which("redis-server"), reason=NO_REDIS)
def test_redis_of_the_compose_file_wants_a_password(services, tmp_path):
    port, redis = free_port(), services["redis"]
    shell, _, script = redis["command"]
    assert shell == "sh"
    script = script.replace("$$", "$").replace("appendonly", f"port {port}\nappendonly", 1)
    shut(script, {"REDISCLI_AUTH": "s3cret"}, port, tmp_path)


@pytest.mark.skipif(not shutil.which("redis-server"), reason=NO_REDIS)
def test_redis_by_the_readmes_command_is_for_this_machine_and_wants_a_password(tmp_path):
    readme, port = (DEPLOY / "README.md").read_text(encoding="utf-8"), free_port()
    script = re.search(r"<!-- redis -->\n```sh\n(.*?)```", readme, re.DOTALL)[1]
    script = script.replace("$(openssl rand -hex 24)", "s3cret")
    script = "exec " + script.partition("\n")[2].replace("bind ", f"port {port}\nbind ", 1)
    script = script.replace("exec redis-server - <<END  #", "exec redis-server - <<END #")
    assert shut(script, {"CRF_REDIS_PASSWORD": "s3cret"}, port, tmp_path) == ["bind", "127.0.0.1"]
