def unique(values: list[Any]) -> list[Any]:
    if len(set(values)) < len(values):
        raise ValueError("must not have equal items")
    return values
def integral(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
def given(value: Any) -> Any:
    if value is None:
        raise ValueError("must not be null")
    return value
def holds(check: Check, message: str) -> Callable[[Any], Any]:
    def validate(value: Any) -> Any:
        if not check(value):
            raise ValueError(message)
        return value
    return validate
