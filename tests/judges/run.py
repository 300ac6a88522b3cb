"""Executes generated modules on values: reads a plan (JSON) from the file given, prints the verdicts as JSON."""

import importlib.util
import json
import sys
import traceback

from pydantic import TypeAdapter, ValidationError


def load(file, at):
    spec = importlib.util.spec_from_file_location(f"judged_{at}", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def verdict(adapter, text):
    try:
        adapter.validate_python(json.loads(text))
        return True
    except ValidationError:
        return False
    except Exception:
        return traceback.format_exc()


def judge(at, module):
    try:
        adapter = TypeAdapter(getattr(load(module["file"], at), module["name"]))
    except Exception:
        return [traceback.format_exc()] * len(module["values"])
    return [verdict(adapter, text) for text in module["values"]]


with open(sys.argv[1], encoding="utf-8") as plan:
    print(json.dumps([judge(at, module) for at, module in enumerate(json.load(plan)["modules"])]))
