import inspect
from pathlib import Path
from typing import Any

import pytest

import mabench
from mabench.cli.console import in_options
from mabench.errors import UsageError
from mabench.settings import build, list_options
from mabench.specs import AgentSpec, DataSpec, InjectionSpec, RunSpec
from tests.cli.commands import COMMANDS
from tests.rows import dataset

_OPTIONS = list_options(RunSpec)
_BOUNDED = [name for name, field in _OPTIONS.items() if field.setting and field.setting.bound]


@pytest.mark.parametrize("name", _BOUNDED)
def test_a_bound_holds_and_is_said_in_the_same_words_everywhere(name: str) -> None:
    setting: Any = _OPTIONS[name].setting
    edge = setting.above if setting.above is not None else setting.minimum
    for value in (edge - 1, float("nan"), float("inf"), *([edge] if setting.above == edge else [])):
        with pytest.raises(UsageError) as raised:
            build(RunSpec, {"model": "m", name: value})
        assert raised.value.parameter == _OPTIONS[name].parameter
        bound = setting.bound if value <= edge else "finite"
        words = f"--{name.replace('_', '-')} must be {bound}, not {value:g}"
        assert in_options(str(raised.value), raised.value.parameter) == words
    build(RunSpec, {"model": "m", name: edge + 1})


def test_a_setting_is_an_option_with_its_default_and_parts_of_a_run_have_the_rest() -> None:
    options = {option.opts[0]: option for option in COMMANDS["run"].params}
    for name, field in _OPTIONS.items():
        if field.setting and field.setting.group:
            option = options[f"--{name.replace('_', '-')}"]
            assert option.help == field.setting.sentence
            assert option.default in (field.default, None), name
    parameters = inspect.signature(mabench.run).parameters
    assert len(parameters) <= 15
    for name, parameter in parameters.items():
        if name in _OPTIONS:
            assert parameter.default in (_OPTIONS[name].default, None), name
    within = {field.name for field in _OPTIONS.values()} - {*parameters}
    parts = (mabench.AgentSpec, mabench.DataSpec, mabench.InjectionSpec, mabench.ModelSpec)
    for part in (*parts, mabench.Limits):
        within -= {*inspect.signature(part).parameters}
    assert not within, "a setting of the command line that Python lacks"


def test_what_stands_beside_a_part_takes_precedence(tmp_path: Path) -> None:
    run = mabench.run(
        AgentSpec(agent="bm25", settings={"k": 9}),
        DataSpec(data=dataset(), limit_questions=1, sources=("ruler_qa1_197K",)),
        settings={"k": 2},
        limit_questions=2,
        protocol=InjectionSpec(chunk_tokens=64),
        out=tmp_path / "run",
    )
    assert run.record.agent == "bm25[k=2]"
    assert run.record.chunk_tokens == 64
    assert {*run.summary.sources} == {"ruler_qa1_197K"}
    assert run.summary.spent.n == 2


@pytest.mark.parametrize("name", ["prices", "cache", "replay", "base_url", "temperature"])
def test_what_is_said_of_no_model_is_refused(name: str, tmp_path: Path) -> None:
    value = {"cache": True, "base_url": "http://127.0.0.1:9", "temperature": 0.5}.get(
        name, tmp_path
    )
    with pytest.raises(UsageError, match=f"`{name}` applies only with"):
        build(RunSpec, {name: value})
    others = {"meter": "http://127.0.0.1:9/v1", name: value}
    if hasattr(AgentSpec, name):
        assert getattr(build(RunSpec, others).agent, name) == value
    assert getattr(build(RunSpec, {"model": "m", name: value}).agent.model, name) == value
