"""Counts datamodel-code-generator. A schema that is refused, or whose code does not load, misses all its cases."""

import importlib.util
import json
import pathlib
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor

from datamodel_code_generator import DataModelType, InputFileType, generate
from datamodel_code_generator.enums import StrictTypes
from pydantic import TypeAdapter, ValidationError

OPTIONS = {
    "defaults": {},
    "strict types, field constraints": {
        "strict_types": list(StrictTypes),
        "field_constraints": True,
    },
}


def load(text):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        spec = importlib.util.spec_from_file_location("judged", file.name)
        module = importlib.util.module_from_spec(spec)
        sys.modules["judged"] = module
        spec.loader.exec_module(module)
    return TypeAdapter(module.Root)


def accepts(adapter, value):
    try:
        adapter.validate_json(json.dumps(value))
        return True
    except ValidationError:
        return False


def right(job):
    group, options = job
    warnings.simplefilter("ignore")
    try:
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "made.py"
            generate(
                json.dumps(group["schema"]),
                input_file_type=InputFileType.JsonSchema,
                output=output,
                output_model_type=DataModelType.PydanticV2BaseModel,
                class_name="Root",
                allow_remote_refs=False,
                **options,
            )
            adapter = load(output.read_text(encoding="utf-8"))
    except (Exception, SystemExit):
        return 0
    count = 0
    for case in group["tests"]:
        try:
            count += accepts(adapter, case["data"]) == case["valid"]
        except Exception:
            pass
    return count


def main():
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    with ProcessPoolExecutor() as pool:
        for name, options in OPTIONS.items():
            for selection, groups in plan.items():
                counts = list(pool.map(right, [(group, options) for group in groups]))
                cases = [len(group["tests"]) for group in groups]
                whole = sum(count == total for count, total in zip(counts, cases))
                print(
                    f"datamodel-code-generator ({name}), {selection}: {sum(counts)} of {sum(cases)} cases, "
                    f"{whole} of {len(groups)} groups whole",
                    flush=True,
                )


if __name__ == "__main__":
    main()
