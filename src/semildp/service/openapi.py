"""The description of the interface: OpenAPI, made of the messages' schemas and the list of problems."""

from __future__ import annotations

from typing import Any

from semildp import __version__
from semildp.service.problems import STATUS
from semildp.wire.problems import PROBLEMS as WIRE
from semildp.wire.schemas import DOCUMENTS, schema

_TOKEN = {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"}
_PERSON, _INVITATION, _CURATOR = ({name: list[str]()} for name in ("person", "invitation", "curator"))
_ALWAYS = ("bad-request", "too-many-requests", "cross-site", "store-unavailable")
_BODY = ("too-large", "too-slow", "busy")
_NOBODY = ("no-token", "unknown-token")
_ENROL = (
    *_NOBODY,
    *("not-open", "invitation-used", "token-used", "study-closed", "enrolment-over"),
    *WIRE,
    *_BODY,
)
_REPORT = (*_NOBODY, "not-asked", "already-answered", "wave-over", "study-closed", *WIRE, *_BODY)
_TEXT = {"text/plain": {"schema": {"type": "string"}}}


def openapi() -> dict[str, Any]:
    """Return the document."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "semildp collection service", "version": __version__},
        "paths": {**_people(), **_curator(), **_own()},
        "components": {
            "schemas": {**_schemas(), **_answers()},
            "securitySchemes": {
                name: {"type": "http", "scheme": "bearer", "description": text}
                for name, text in {
                    "person": "the token that a person's browser has drawn",
                    "invitation": "from an invitation's link; none is needed if the study is open",
                    "curator": "shown once when the study is first served",
                }.items()
            },
        },
    }


def _people() -> dict[str, Any]:
    header = {"name": "Semildp-Person", "in": "header", "required": True, "schema": _TOKEN}
    wave = {"name": "wave", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 0}}
    enrol = _call("Enrol.", {201: _ref("Person"), 200: _ref("Person")}, _ENROL, _INVITATION, "enrolment")
    enrol["security"].append({})
    enrol["parameters"] = [header]
    report = _call("Report.", {201: None, 200: None}, _REPORT, _PERSON, "report")
    report["parameters"] = [wave]
    question = _call(
        "What the person is asked now.",
        {200: _ref("question"), 204: None},
        ("no-token", "unknown-token", "not-open", "study-closed", "busy"),
        _PERSON,
    )
    batch = _call("Many at once.", {200: _ref("Batch")}, ("not-open", *_BODY))
    batch["requestBody"] = {"required": True, "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
    return {
        "/api/study": {"get": _call("The study.", {200: _ref("study")})},
        "/api/collection": {"get": _call("How it is collected.", {200: _ref("Collection")})},
        "/api/texts": {"get": _call("The page's texts.", {200: {"type": "object"}})},
        "/api/people": {"post": enrol},
        "/api/question": {"get": question},
        "/api/reports/{wave}": {"put": report},
        "/api/batch": {"post": batch},
    }


def _curator() -> dict[str, Any]:
    def get(text: str, result: Any, *more: str) -> dict[str, Any]:
        return {"get": _call(text, {200: result}, ("no-token", "unknown-token", *more), _CURATOR)}

    def post(text: str, status: int, result: Any) -> dict[str, Any]:
        return {"post": _call(text, {status: result}, ("no-token", "unknown-token", "study-closed", *_BODY), _CURATOR)}

    invitations = post("Make invitations.", 201, _ref("Invitations"))
    invitations["post"]["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref("Invite")}}}
    made = {"type": "object", "required": ["wave"], "properties": {"wave": {"type": "integer"}}}
    statement = get("The privacy statement.", None)
    statement["get"]["responses"]["200"]["content"] = _TEXT
    page = get("The privacy statement as a page.", None)
    page["get"]["responses"]["200"]["content"] = {"text/html": {"schema": {"type": "string"}}}
    return {
        "/api/curator/status": get("Progress.", {"type": "object"}),
        "/api/curator/model": get("The model.", _ref("model"), "no-model"),
        "/api/curator/interim": get("Estimates so far.", {"type": "object"}, "no-model", "study-closed"),
        "/api/curator/totals": get("Totals of reports.", {"type": "object"}, "no-model"),
        "/api/curator/statement": statement,
        "/api/curator/statement.html": page,
        "/api/curator/close": post("Close the study.", 202, made),
        "/api/curator/advance": post("End the open wave.", 202, made),
        "/api/curator/invitations": invitations,
    }


def _own() -> dict[str, Any]:
    metrics = _call("Counters for Prometheus.", {200: None})
    metrics["responses"]["200"]["content"] = _TEXT
    return {
        "/health": {"get": _call("Whether the store can be read.", {200: {"type": "object"}})},
        "/metrics": {"get": metrics},
    }


def _call(
    text: str,
    results: dict[int, Any],
    problems: tuple[str, ...] = (),
    security: dict[str, list[str]] | None = None,
    body: str | None = None,
) -> dict[str, Any]:
    """Describe one operation: what it answers, and by which names it refuses."""
    responses: dict[str, Any] = {}
    for status, result in results.items():
        responses[str(status)] = {"description": text}
        if result is not None:
            responses[str(status)]["content"] = {"application/json": {"schema": result}}
    by_status: dict[int, list[str]] = {}
    for name in (*_ALWAYS, *problems):
        by_status.setdefault(STATUS[name], []).append(name)
    for status, names in sorted(by_status.items()):
        listed = {"allOf": [_ref("Problem"), {"properties": {"problem": {"enum": names}}}]}
        responses[str(status)] = {
            "description": ", ".join(names),
            "content": {"application/problem+json": {"schema": listed}},
        }
    call: dict[str, Any] = {"summary": text, "responses": responses, "security": [security] if security else []}
    if body is not None:
        call["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(body)}}}
    return call


def _schemas() -> dict[str, Any]:
    """The messages' schemas; their parts are shared."""
    found: dict[str, Any] = {}
    for document in DOCUMENTS:
        made = _moved(schema(document))
        found.update(made.pop("$defs"))
        made.pop("$schema")
        found[document] = made
    return found


def _moved(part: Any) -> Any:
    """Let references point to this document's shelf."""
    if isinstance(part, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else _moved(value)
            for key, value in part.items()
        }
    return [_moved(each) for each in part] if isinstance(part, list) else part


def _answers() -> dict[str, Any]:
    """What the service itself answers."""
    text, whole = {"type": "string"}, {"type": "integer", "minimum": 0}
    bad = _object(line={**whole, "description": "counted from 0"}, problem={"enum": list(STATUS)})
    status = {"enum": ["not-open", "enrolling", "asking", "closed"]}
    fields = ("title", "description", "contact", "access", "visits", "opens", "closes", "questions", "people")
    return {
        "Problem": _object(problem={"enum": list(STATUS)}, title=text, detail=text),
        "Person": _object(person=_TOKEN),
        "Batch": _object(accepted=whole, refused={"type": "array", "items": bad}),
        "Collection": _object(status=status, **{name: {} for name in fields}),
        "Invite": {
            **_object(count={"type": "integer", "minimum": 1, "maximum": 100_000}),
            "additionalProperties": False,
        },
        "Invitations": _object(invitations={"type": "array", "items": _TOKEN}),
    }


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
