def exactly(*values: Any) -> BeforeValidator:
    """Of values that Python takes for equal, such as `True` and 1, only these."""

    def check(value: Any) -> Any:
        if not any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values):
            raise ValueError("is none of the allowed values")
        return value

    return BeforeValidator(check)
