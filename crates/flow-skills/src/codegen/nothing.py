def nothing(value: Any) -> Any:
    raise ValueError("is not allowed")
