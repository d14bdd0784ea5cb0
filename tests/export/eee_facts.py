"""Facts of the schema of Every Eval Ever 0.3 about what we write, as a JSON Schema of our own.

Read off the package every-eval-ever 0.3.0; `make test-exports` holds records against its own.
"""

from typing import Any

_TEXT, _NUMBER, _INTEGER = ({"type": kind} for kind in ("string", "number", "integer"))
_TEXTS = {"type": "object", "additionalProperties": _TEXT}


def _one_of(words: str) -> dict[str, Any]:
    return {"enum": words.split()}


def _object(
    required: str, texts: str = "", *, closed: bool = False, **properties: Any
) -> dict[str, Any]:
    """Return the schema of an object; ``texts`` are names of further properties that are text."""
    properties |= dict.fromkeys(texts.split(), _TEXT)
    more = {"additionalProperties": False} if closed else {}
    return {"type": "object", "required": required.split(), "properties": properties, **more}


_ABOUT_MODEL = _object(
    "deployment_type model_availability",
    deployment_type=_one_of("self_deployed externally_managed unknown"),
    model_availability=_one_of("open_weights closed_weights unknown"),
)
_MODEL = _object(
    "name id additional_details", "name id", additional_details={**_TEXTS, **_ABOUT_MODEL}
)
_SOURCE = {
    "oneOf": [
        _object(
            "dataset_name source_type",
            "dataset_name hf_repo",
            source_type={"const": "hf_dataset"},
            samples_number=_INTEGER,
            additional_details=_TEXTS,
        ),
        _object(
            "dataset_name source_type",
            "dataset_name",
            source_type={"const": "other"},
            additional_details=_TEXTS,
        ),
    ]
}
_METRIC = _object(
    "lower_is_better score_type min_score max_score",
    "metric_id metric_name metric_kind metric_unit",
    lower_is_better={"type": "boolean"},
    score_type=_one_of("binary continuous"),
    min_score=_NUMBER,
    max_score=_NUMBER,
    llm_scoring=_object(
        "judges input_prompt",
        "input_prompt",
        judges={"type": "array", "minItems": 1, "items": _object("model_info", model_info=_MODEL)},
    ),
)
_INTERVAL = _object(
    "lower upper",
    "method",
    lower=_NUMBER,
    upper=_NUMBER,
    confidence_level={"type": "number", "minimum": 0, "maximum": 1},
)
_UNCERTAINTY = _object("", num_samples=_INTEGER, confidence_interval=_INTERVAL)
_RESULT = _object(
    "evaluation_name source_data metric_config score_details",
    "evaluation_result_id evaluation_name",
    source_data=_SOURCE,
    metric_config=_METRIC,
    score_details=_object("score", score=_NUMBER, details=_TEXTS, uncertainty=_UNCERTAINTY),
    generation_config=_object(
        "",
        generation_args=_object("", "execution_command", closed=True, temperature=_NUMBER),
        additional_details=_TEXTS,
    ),
)
RECORD = _object(
    "schema_version evaluation_id retrieved_timestamp source_metadata model_info eval_library "
    "evaluation_results",
    "schema_version evaluation_id evaluation_timestamp retrieved_timestamp",
    closed=True,
    source_metadata=_object(
        "source_type source_organization_name evaluator_relationship",
        "source_name source_organization_name",
        source_type=_one_of("documentation evaluation_run"),
        evaluator_relationship=_one_of("first_party third_party collaborative other"),
    ),
    model_info=_MODEL,
    eval_library=_object("name version", "name version"),
    evaluation_results={"type": "array", "items": _RESULT},
)
