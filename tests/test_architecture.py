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

import pytest

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

PROGRAM = [path for path in SOURCES if path.parent != ROOT and "benchmarks" not in path.parts]
PAGES = sorted((ROOT / "pages").rglob("*.py"))
LESSONS = sorted(path.name for path in ROOT.glob("pages/[!_]*/") if path.name != "shared")
# folder → what it must do without
WITHOUT = {
    "crf": {"streamlit", "plotly", "pandas", "app", "benchmarks", "tests"},
    "pages": {"app", "benchmarks", "tests"},
    "pages/shared/course": {"streamlit", "plotly"},
    "pages/shared/figures": {"streamlit"},
}
# from the ground up; each knows itself and what is below it; "*": the rest of a package
LAYERS = [
    "crf: moved schemes strict_json",
    # the scores, and the recursions of the textbook; sums that need their gradients
    "crf.core: shapes torch_tracing potentials export_loop results validation recursions decoding "
    "scoring scan",
    "crf.core: *",
    "crf.queries: *",
    # what computes them, and the distribution
    "crf.kernels: *",
    "crf.engines: *",
    "crf: constraints distribution chain",
    # what one asks of it
    "crf.nn: *",
    "crf: doctor",
    "crf.segments: *",
    "crf: compat huggingface",
    "crf.steps: *",
    "crf: trace",
    "crf.figures: languages modules numbers texts words colours",
    "crf.figures: *",
    # files and texts; sentences; the model and its training; commands
    "crf.tagger: bundled cells decoders devices encodings features fetch lines storage tokeniser "
    "unseen brat vector_clusters",
    "crf.tagger: formats span_formats column_layouts first_lines layouts",
    "crf.tagger: columns reading text_input",
    "crf.tagger: encoder model hugging_face auxiliary_losses checkpoint evaluation errors "
    "continuing training model_card transformer_training metrics_text",
    "crf.tagger: *",
    # a reader's program and its cells; commands
    "crf.lab: reference homework pasted ladder mistakes starter cells process report checking",
    "crf.lab: *",
    "crf: *",
    "pages.shared: contents",
    # a problem; what is made of one
    "pages.shared.course: bibliography marginals right_to_left templates textbook words measuring "
    "problem_checks typed_numbers json_files problem",
    "pages.shared.course: *",
    "pages.shared.figures: *",
    # the session and its widgets; the server; a beat in a state; the stage
    "pages.shared.ui: client_values component_data computed server_path state words answers "
    "fonts linked component controls files question frame language taggers "
    "textbook_code exports practice score_tables",
    "pages.shared.ui.server: *",
    "pages.shared.ui.stage: scores view",
    "pages.shared.ui: *",
    *(f"pages.{lesson}: *" for lesson in LESSONS if lesson not in ("teach", "read")),
    "pages: beats pictures",
    # the article, which has figures of all lessons
    "pages.read: *",
    # a class and what it is shown; its pages
    "pages.teach.classroom: store pictures network room news",
    "pages.teach: *",
    "pages: *",
]
FLOORS = 5


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> list[ast.AST]:
    """A file's syntax tree, node by node."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> set[str]:
    """Every module that a file imports, also in functions and for annotations."""
    names: set[str] = set()
    for node in nodes(path):
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


@pytest.mark.parametrize("folder", WITHOUT)
def test_a_folder_does_without(folder):
    for path in sorted((ROOT / folder).rglob("*.py")):
        assert not {name.split(".")[0] for name in imports(path)} & WITHOUT[folder], path


@cache
def modules() -> dict[str, set[str]]:
    """Every module of the program, and which of them it imports."""
    names = {relative(p)[:-3].replace("/", ".").removesuffix(".__init__"): p for p in PROGRAM}
    graph = {
        name: {
            other
            for other in imports(path) & names.keys()
            if not f"{name}.".startswith(f"{other}.")  # the package that it is in
        }
        for name, path in names.items()
    }
    # the one exception: a chain draws itself at the end of a notebook's cell
    graph["crf.chain"] -= {"crf.figures", "crf.figures.flow"}
    return graph


def layer(module: str) -> int:
    """The place of its layer in `LAYERS`: the innermost that names it."""

    def rank(k: int) -> tuple[int, bool]:
        package, names = LAYERS[k].split(": ")
        rest = module.removeprefix(f"{package}.")
        named = rest != module and rest.split(".")[0] in names.split()
        inside = f"{module}.".startswith(f"{package}.") and names == "*"
        return (len(package), named) if named or inside else (-1, False)

    return max(range(len(LAYERS)), key=rank)


def scripts() -> dict[str, set[str]]:
    """Every script of the program as a module's name, and which of them it imports."""
    paths = [path for path in ASSETS if path.suffix == ".js" and path.parent.name != "hosts"]
    found = re.compile(r'^(?:import|export) .*from "(\..*)";$', re.MULTILINE)
    graph = {}
    for path in paths:
        others = found.findall(path.read_text(encoding="utf-8"))
        graph[path] = {(path.parent / other).resolve() for other in others}
    names = {path: relative(path)[:-3].replace("/", ".") for path in paths}
    return {names[path]: {names[other] for other in others} for path, others in graph.items()}


def test_no_script_imports_from_above_and_no_lesson_s_from_another_lesson():
    graph = scripts()
    assert len(graph) > 100
    assert graph["pages.index"] == {"pages.pictures", "pages.shared.ui.stage.index"}
    for script, others in graph.items():
        above = [other for other in others if layer(other) > layer(script)]
        assert not above, f"{script} stands below {above}"
        lesson = script.split(".")[1]
        for other in others:
            beside = other.split(".")[1]
            assert not {lesson, beside} <= {*LESSONS} or beside == lesson, f"{script}: {other}"


def test_the_layers_name_what_exists():
    """A name that is gone would let its layer grow unseen; a folder without a place would, too."""
    folders = {p.parent for p in PROGRAM if p.name == "__init__.py"} - {ROOT / "crf"}
    named = {line.split(": ")[0] for line in LAYERS}
    for line in LAYERS:
        package, names = line.split(": ")
        folder = ROOT / package.replace(".", "/")
        assert folder.is_dir(), line
        for name in set(names.split()) - {"*"}:
            assert any(folder.glob(f"{name}.*")) or (folder / name).is_dir(), f"{package}.{name}"
    for folder in folders:
        if folder.parent == ROOT / "crf":
            assert relative(folder).replace("/", ".") in named, folder


def test_few_modules_lie_flat_in_the_library():
    assert len(list((ROOT / "crf").glob("*.py"))) <= 12


def test_no_module_imports_another_in_a_circle_and_no_layer_has_more_than_five_floors():
    graph, floor = modules(), {}
    for module in graphlib.TopologicalSorter(graph).static_order():
        here = layer(module)
        above = [other for other in graph[module] if layer(other) > here]
        assert not above, f"{module} stands below {above}"
        floor[module] = 1 + max((floor[o] for o in graph[module] if layer(o) == here), default=0)
        assert floor[module] <= FLOORS, f"{module} stands on floor {floor[module]}: {LAYERS[here]}"


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
    found = Counter(name for path in PROGRAM for name in types(path))
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
    assert len(keys) > 5
    assert len(keys) < 25
    assert sorted(keys) == sorted(set(keys))


def test_nothing_that_runs_what_it_loads():
    calls = r"(?<![\w.])(torch\.load\(|pickle\.load|allow_pickle=True|eval\(|exec\()"
    for path in SOURCES:
        assert not imports(path) & {"pickle", "cPickle", "dill", "shelve", "joblib", "marshal"}
        assert not re.search(calls, path.read_text(encoding="utf-8")), path


OWN_JSON = {  # files and lines that this program has written itself, where only it writes
    "crf/strict_json.py",
    "crf/doctor.py",  # what pip wrote
    "crf/lab/homework.py",
    "crf/lab/process.py",  # NaN is an answer there
    "pages/shared/ui/component_data.py",
}


def test_json_from_outside_has_one_reader():
    found = {
        relative(path)
        for path in PROGRAM
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
    code = "import sys; sys.modules['torch'] = None; import app"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def is_private(name: str) -> bool:
    """Whether a name is its owner's; not `__doc__`, nor `_repr_html_`, which notebooks call."""
    public = {"_asdict", "_replace", "_fields", "_make"}  # of named tuples
    return name.startswith("_") and not name.endswith("_") and name not in public


def names_of_others(path: Path) -> Iterator[str]:
    """What a file reads of others, imports, or replaces by name."""
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ("self", "cls"):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("attr"):
            texts = (part.value for part in node.args[:2] if isinstance(part, ast.Constant))
            yield from (text.rpartition(".")[2] for text in texts if isinstance(text, str))


def test_tests_read_and_replace_nothing_private():
    """`torch.utils._python_dispatch` is where torch documents TorchDispatchMode."""
    read = {
        (path.name, name)
        for path in (ROOT / "tests").rglob("*.py")
        for name in names_of_others(path)
        if is_private(name)
    }
    assert read == {("test_gradients.py", "_python_dispatch")}
