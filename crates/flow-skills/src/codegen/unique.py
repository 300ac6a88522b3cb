def unique(values: Any) -> Any:
    if isinstance(values, list) and len({json.dumps(item, sort_keys=True, default=str) for item in values}) < len(values):
        raise ValueError("must not have equal items")
    return values
