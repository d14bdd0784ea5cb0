"""Facts of the schema of Every Eval Ever 0.3 about what we write, as a JSON Schema of our own.

Read off the package every-eval-ever 0.3.0; `make test-exports` holds records against its own.
"""

from typing import Any

_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
_NUMBER = {"type": "number"}
_TEXT = {"type": "string"}


def _object(required: str, *, closed: bool = False, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        **({"additionalProperties": False} if closed else {}),
    }


_MODEL = _object(
    "name id additional_details",
    name=_TEXT,
    id=_TEXT,
    additional_details={
        **_TEXTS,
        "required": ["deployment_type", "model_availability"],
        "properties": {
            "deployment_type": {"enum": ["self_deployed", "externally_managed", "unknown"]},
            "model_availability": {"enum": ["open_weights", "closed_weights", "unknown"]},
        },
    },
)
_SOURCE = {
    "oneOf": [
        _object(
            "dataset_name source_type",
            dataset_name=_TEXT,
            source_type={"const": "hf_dataset"},
            hf_repo=_TEXT,
            samples_number={"type": "integer"},
            additional_details=_TEXTS,
        ),
        _object(
            "dataset_name source_type",
            dataset_name=_TEXT,
            source_type={"const": "other"},
            additional_details=_TEXTS,
        ),
    ]
}
_METRIC = _object(
    "lower_is_better score_type min_score max_score",
    lower_is_better={"type": "boolean"},
    score_type={"enum": ["binary", "continuous"]},
    metric_id=_TEXT,
    metric_name=_TEXT,
    metric_kind=_TEXT,
    metric_unit=_TEXT,
    min_score=_NUMBER,
    max_score=_NUMBER,
    llm_scoring=_object(
        "judges input_prompt",
        judges={"type": "array", "minItems": 1, "items": _object("model_info", model_info=_MODEL)},
        input_prompt=_TEXT,
    ),
)
_SCORE = _object(
    "score",
    score=_NUMBER,
    details=_TEXTS,
    uncertainty=_object(
        "",
        num_samples={"type": "integer"},
        confidence_interval=_object(
            "lower upper",
            lower=_NUMBER,
            upper=_NUMBER,
            confidence_level={"type": "number", "minimum": 0, "maximum": 1},
            method=_TEXT,
        ),
    ),
)
_RESULT = _object(
    "evaluation_name source_data metric_config score_details",
    evaluation_result_id=_TEXT,
    evaluation_name=_TEXT,
    source_data=_SOURCE,
    metric_config=_METRIC,
    score_details=_SCORE,
    generation_config=_object(
        "",
        generation_args=_object("", closed=True, temperature=_NUMBER, execution_command=_TEXT),
        additional_details=_TEXTS,
    ),
)
RECORD = _object(
    "schema_version evaluation_id retrieved_timestamp source_metadata model_info eval_library "
    "evaluation_results",
    closed=True,
    schema_version=_TEXT,
    evaluation_id=_TEXT,
    evaluation_timestamp=_TEXT,
    retrieved_timestamp=_TEXT,
    source_metadata=_object(
        "source_type source_organization_name evaluator_relationship",
        source_type={"enum": ["documentation", "evaluation_run"]},
        source_name=_TEXT,
        source_organization_name=_TEXT,
        evaluator_relationship={"enum": ["first_party", "third_party", "collaborative", "other"]},
    ),
    model_info=_MODEL,
    eval_library=_object("name version", name=_TEXT, version=_TEXT),
    evaluation_results={"type": "array", "items": _RESULT},
)
