"""The rules that hold the project together: imports, what must not occur, what is documented."""

import ast
import graphlib
import inspect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import crf
import crf.trace

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("crf", "pages", "benchmarks")
SOURCES = [ROOT / "app.py", *(p for name in FOLDERS for p in sorted((ROOT / name).rglob("*.py")))]
ASSETS = [
    path
    for name in ("assets", "crf/figures", "pages")
    for path in sorted((ROOT / name).rglob("*"))
    if path.suffix in (".js", ".css", ".html")
]

PAGES = sorted((ROOT / "pages").rglob("*.py"))
LESSONS = sorted(path.name for path in ROOT.glob("pages/[!_]*/") if path.name != "shared")
OUTSIDE = {"app", "benchmarks", "tests", *(f"pages.{lesson}" for lesson in LESSONS)}
# layer → what it may not import; from the core outwards, each knows only what is before it
FORBIDDEN = {
    "crf": {"streamlit", "plotly", "pandas", "pages", "app", "benchmarks", "tests"},
    "pages/shared/course": OUTSIDE
    | {"streamlit", "plotly", "pages.shared.figures", "pages.shared.ui"},
    "pages/shared/figures": {"streamlit", "pages.shared.ui", *OUTSIDE},
    "pages/shared/ui": OUTSIDE,
    "pages": {"app", "benchmarks", "tests"},
}
# inside the core: the readable recursions stand on nothing but what is before them
CORE_ORDER = "potentials recursions decoding information sampling distribution chain module".split()


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> list[ast.AST]:
    """A file's syntax tree, node by node."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> set[str]:
    """Every module that a file imports, in functions too; in `crf` also for annotations."""
    names: set[str] = set()
    unread: set[ast.AST] = set()
    for block in nodes(path) if not relative(path).startswith("crf/") else ():
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING"):
            unread |= {node for part in block.body for node in ast.walk(part)}
    for node in nodes(path):
        if node in unread:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = absolute(node, path)
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return names


def absolute(node: ast.ImportFrom, path: Path) -> str:
    """The module that is imported from; inside `crf` imports are relative, elsewhere none is."""
    inside = relative(path).startswith("crf/")
    assert (node.level > 0) == (inside and node.module != "__future__" and not _foreign(node)), path
    if node.level == 0:
        return str(node.module)
    package = relative(path.parent).split("/")
    package = package[: len(package) - node.level + 1]
    return ".".join([*package, *filter(None, [node.module])])


def _foreign(node: ast.ImportFrom) -> bool:
    return node.level == 0 and str(node.module).split(".")[0] != "crf"


def layer(path: Path) -> str | None:
    """The innermost layer that a file belongs to."""
    inside = [name for name in FORBIDDEN if relative(path).startswith(f"{name}/")]
    return max(inside, key=len, default=None)


def test_imports_point_one_way():
    for path in SOURCES:
        banned = FORBIDDEN.get(layer(path) or "", set())
        for name in imports(path):
            assert not any(name == b or name.startswith(f"{b}.") for b in banned), f"{path}: {name}"


def test_a_lesson_imports_no_other_lesson():
    for lesson in LESSONS:
        allowed = {lesson, "shared"}
        for path in sorted((ROOT / "pages" / lesson).rglob("*.py")):
            for name in imports(path):
                top, *rest = name.split(".")
                assert top != "pages" or not rest or rest[0] in allowed, f"{path}: {name}"


def test_the_core_is_a_ladder_below_the_tagger():
    for path in (ROOT / "crf").glob("*.py"):
        above = {name for name in imports(path) if name.startswith("crf.tagger")}
        assert not above or path.name == "__main__.py", path
    for k, name in enumerate(CORE_ORDER):
        later = {f"crf.{other}" for other in CORE_ORDER[k + 1 :]}
        assert not imports(ROOT / "crf" / f"{name}.py") & later, name


def test_no_modules_import_each_other():
    paths = [path for path in SOURCES if relative(path).startswith(("crf/", "pages/"))]
    names = {relative(p)[:-3].replace("/", ".").removesuffix(".__init__"): p for p in paths}
    graph = {
        name: {
            other
            for other in imports(path) & names.keys()
            if not f"{name}.".startswith(f"{other}.")  # the package that it is in
        }
        for name, path in names.items()
    }
    graph["crf.chain"].remove("crf.figures")  # when it draws itself at the end of a notebook's cell
    graphlib.TopologicalSorter(graph).prepare()


def types(path: Path) -> Iterator[str]:
    """The public classes of a module, and its names for types."""
    for node in nodes(path)[0].body:  # of the module
        if isinstance(node, ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        else:
            continue
        if name[0].isupper() and not name.isupper():
            yield name


def test_a_type_s_name_has_one_meaning():
    found = Counter(name for path in SOURCES if layer(path) for name in types(path))
    twice = {name for name, count in found.items() if count > 1}
    # the scratch memory of two kernels; a network with a fault, which a lesson shows as it is
    assert twice <= {"Work", "Encoder"}


def declared(path: Path) -> list[str]:
    """The keys of the session that a file declares, as they are written there."""
    kinds = "SessionValue|Control|Choice|Flag|Integer|Number|Text|Value|TaggerChoice"
    calls = (node for node in nodes(path) if isinstance(node, ast.Call))
    return [
        ast.unparse(call.args[0])
        for call in calls
        if call.args and re.fullmatch(rf"({kinds})(\[.*\])?", ast.unparse(call.func), re.DOTALL)
    ]


def test_only_the_table_touches_the_session_and_the_address():
    allowed = {f"pages/shared/ui/{name}.py" for name in ("state", "controls", "client_values")}
    for path in PAGES:
        touched = [
            node
            for node in nodes(path)
            if isinstance(node, ast.Attribute)
            and node.attr in ("session_state", "query_params")
            and ast.unparse(node.value) == "st"
        ]
        assert not touched or relative(path) in allowed, f"{relative(path)}:{touched[0].lineno}"
        assert not {"streamlit.session_state", "streamlit.query_params"} & imports(path), path


def test_every_key_of_the_session_is_declared_once():
    keys = [key for path in PAGES for key in declared(path)]
    assert len(keys) > 60
    assert sorted(keys) == sorted(set(keys))


def test_nothing_that_runs_what_it_loads():
    calls = r"(?<![\w.])(torch\.load\(|pickle\.load|allow_pickle=True|eval\(|exec\()"
    for path in SOURCES:
        assert not imports(path) & {"pickle", "cPickle", "dill", "shelve", "joblib", "marshal"}
        assert not re.search(calls, path.read_text(encoding="utf-8")), path


OWN_JSON = {  # files and lines that this program has written itself, where only it writes
    "crf/strict_json.py",
    "crf/lab/homework.py",
    "crf/lab/process.py",  # NaN is an answer there
    "pages/shared/ui/component_data.py",
}


def test_json_from_outside_has_one_reader():
    found = {
        relative(path)
        for path in SOURCES
        if layer(path)
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.load", "json.loads")
    }
    assert found <= OWN_JSON


def test_json_is_written_without_numbers_that_are_none():
    """All through `write_json`, or refused there: −∞ is "-inf", and Infinity and NaN never."""
    own = {"crf/strict_json.py", "crf/lab/homework.py", "crf/lab/process.py"}  # NaN is an answer
    own |= {"benchmarks/raw_client.py"}  # sends anything at all
    sources = [*SOURCES, *(ROOT / "benchmarks").rglob("*.py")]
    loose = {
        f"{relative(path)}:{node.lineno}"
        for path in sources
        if relative(path) not in own
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.dump", "json.dumps")
        if "allow_nan=False" not in map(ast.unparse, node.keywords)
    }
    assert not loose


def test_the_package_under_test_is_ours():
    assert Path(crf.__file__) == ROOT / "crf" / "__init__.py"


def test_importing_the_core_is_cheap():
    """It loads no compiler, neither LLVM nor torch's own: seconds before the first paint."""
    heavy = "{'torch._dynamo', 'triton', 'streamlit', 'plotly', 'pandas', 'conllu'}"
    code = f"import sys, crf, crf.trace; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


ALLOWED = {  # requests to the server itself, and the one place that reads markup, and that is ours
    "file.js": 'fetch(SHELLS.href + folder, { mode: "same-origin" })',
    "ask.js": "fetch(address, how)",
    "dom.js": "template.innerHTML = skeleton;",
}


def test_assets_ask_nothing_of_the_network():
    for path in ASSETS:
        text = path.read_text(encoding="utf-8")
        code = re.sub(r"^\s*//.*$", "", text, flags=re.M)
        urls = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", code)
        assert [url for url in urls if "www.w3.org" not in url] == []  # names of XML namespaces
        if path.name == "ask.js":
            assert 'mode: "same-origin"' in text
        text = text.replace(ALLOWED.get(path.name, "nothing"), "", 1)
        for skeleton in re.findall(r"\bfill\(\w+, (.*?)\)", text):  # a constant, without a hole
            assert skeleton in ("skeleton", "SKELETON") or re.fullmatch("`[^`$]*`", skeleton), path
        assert not re.search(r"^const \w*SKELETON = `[^`]*\$", text, re.MULTILINE), path
        for call in ("fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "@import", "innerHTML"):
            assert call not in text, f"{path}: {call}"


def test_what_streamlit_calls_its_elements_is_known_in_one_file():
    found = {path: path.read_text(encoding="utf-8").count("data-testid") for path in ASSETS}
    python = [p for p in ROOT.glob("pages/**/*.py") if "data-testid" in p.read_text("utf-8")]
    assert [relative(path) for path in found if found[path]] == ["assets/streamlit.css"]
    assert found[ROOT / "assets/streamlit.css"] <= 20
    assert python == []


def own_members(thing: type) -> list[tuple[str, object]]:
    """A class's members that are written in this library, inherited ones too."""
    ours = [base for base in thing.__mro__ if base.__module__.startswith("crf.")]
    return [member for base in ours for member in vars(base).items()]


def public_names() -> list:
    """What `crf` and `crf.trace` offer: classes, functions and their methods and properties."""
    found = []
    for owner in (crf, crf.trace):
        for name in getattr(owner, "__all__", ["trace"]):
            thing = getattr(owner, name)
            found.append((f"{name}", thing))
            if inspect.isclass(thing):
                for member, value in own_members(thing):
                    value = getattr(value, "__func__", value)
                    if not member.startswith("_") and (
                        inspect.isfunction(value) or isinstance(value, property)
                    ):
                        found.append((f"{name}.{member}", value))
    return found


def test_public_names_have_docstrings_with_arguments_and_raises():
    for name, thing in public_names():
        text = inspect.getdoc(thing) or ""
        first = text.split("\n\n")[0]
        assert len(first) > 15, name
        assert first.rstrip().endswith((".", ":", "?")), f"{name}: {first!r}"
        if inspect.isfunction(thing):
            for argument in (p for p in inspect.signature(thing).parameters if p != "self"):
                written = rf"^ +{argument}(, \w+)*: "
                assert argument == "cls" or re.search(written, text, re.M), f"{name}: {argument}"
            raises = re.search(r"\braise [A-Z]|\bcheck_\w+\(", inspect.getsource(thing))
            assert not raises or "Raises:" in text, name
            assert "Returns:" not in text or ">>> " in text, f"{name}: no example"


def test_the_server_answers_before_torch_is_there():
    """What app.py imports at once does without torch, which comes in a thread of its own."""
    needed = [n for n in imports(ROOT / "app.py") if n.startswith("pages.") and n.count(".") > 2]
    names = sorted(
        {
            n if (ROOT / f"{n.replace('.', '/')}.py").exists() else n.rpartition(".")[0]
            for n in needed
        }
    )
    code = f"import sys; sys.modules['torch'] = None; import crf.figures, {', '.join(names)}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
