# Each schema of cases.json is valid for jsonschema, which accepts `{}` and none of the rejected files.
import json, jsonschema
for case in json.load(open('cases.json')):
    jsonschema.Draft202012Validator.check_schema(case['schema'])
    validator = jsonschema.Draft202012Validator(case['schema'])
    assert validator.is_valid({})
    for one in case['rejected']:
        assert not validator.is_valid(one), one
