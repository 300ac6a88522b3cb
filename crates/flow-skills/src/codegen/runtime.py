Check = Callable[..., bool]
def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
def attempt(check: Check, value: Any) -> set[Any] | None:
    seen: set[Any] = set()
    return seen if check(value, seen) else None
def equal(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[name], b[name]) for name in a)
    return bool(isinstance(a, bool) == isinstance(b, bool) and a == b)
def anything() -> Check:
    return lambda value, seen=None: True
def nothing() -> Check:
    return lambda value, seen=None: False
TESTS: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
def types(*names: str) -> Check:
    return lambda value, seen=None: any(TESTS[name](value) for name in names)
def equals_any(*values: Any) -> Check:
    return lambda value, seen=None: any(equal(value, other) for other in values)
def refer(target: Callable[[], Check]) -> Check:
    return lambda value, seen=None: target()(value, seen)
def minimum(bound: float) -> Check:
    return lambda value, seen=None: not is_number(value) or value >= bound
def maximum(bound: float) -> Check:
    return lambda value, seen=None: not is_number(value) or value <= bound
def exclusive_minimum(bound: float) -> Check:
    return lambda value, seen=None: not is_number(value) or value > bound
def exclusive_maximum(bound: float) -> Check:
    return lambda value, seen=None: not is_number(value) or value < bound
def multiple_of(step: float) -> Check:
    whole = Fraction(repr(step))
    return lambda value, seen=None: not is_number(value) or (value - value == 0 and Fraction(repr(value)) % whole == 0)
def min_length(count: int) -> Check:
    return lambda value, seen=None: not isinstance(value, str) or len(value) >= count
def max_length(count: int) -> Check:
    return lambda value, seen=None: not isinstance(value, str) or len(value) <= count
def pattern(form: re.Pattern[str]) -> Check:
    return lambda value, seen=None: not isinstance(value, str) or form.search(value) is not None
def category(*names: str) -> str:
    found = [(c, c) for c in range(0x110000) if unicodedata.category(chr(c)).startswith(names)]
    joined: list[tuple[int, int]] = []
    for low, high in found:
        joined[-1:] = [(joined[-1][0], high)] if joined and joined[-1][1] == low - 1 else joined[-1:] + [(low, high)]
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in joined)
def matches(form: str) -> Check:
    whole = re.compile(form)
    return lambda value, seen=None: not isinstance(value, str) or whole.fullmatch(value) is not None
DATE = re.compile(r"[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))")
TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:[zZ]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])")
def is_date(text: str) -> bool:
    if DATE.fullmatch(text) is None:
        return False
    year = int(text[:4])
    return text[5:] != "02-29" or year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
def is_date_time(text: str) -> bool:
    return text[10:11] in ("t", "T") and is_date(text[:10]) and TIME.fullmatch(text[11:]) is not None
def format_date() -> Check:
    return lambda value, seen=None: not isinstance(value, str) or is_date(value)
def format_time() -> Check:
    return lambda value, seen=None: not isinstance(value, str) or TIME.fullmatch(value) is not None
def format_date_time() -> Check:
    return lambda value, seen=None: not isinstance(value, str) or is_date_time(value)
def format_email() -> Check:
    return matches(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?")
def format_uuid() -> Check:
    return matches(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
def format_uri() -> Check:
    return matches(r"[A-Za-z][A-Za-z0-9+.\-]*:(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]|\[[0-9A-Fa-f:.]+\]|%[0-9A-Fa-f]{2})*")
def format_ipv4() -> Check:
    return matches(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!\Z)|\Z)){4}")
def format_ipv6() -> Check:
    return matches(r"(?=.*::|(?:[^:]*:){7}[^:.]*\Z|(?:[^:]*:){6}[0-9]+\.[0-9.]+\Z)(?!.*::.*::)(?!.*:::)(?!:[^:])(?!.*[^:]:\Z)(?:[0-9A-Fa-f]{0,4}:){1,7}(?:[0-9A-Fa-f]{0,4}|(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9]))")
def min_items(count: int) -> Check:
    return lambda value, seen=None: not isinstance(value, list) or len(value) >= count
def max_items(count: int) -> Check:
    return lambda value, seen=None: not isinstance(value, list) or len(value) <= count
def unique_items() -> Check:
    return lambda value, seen=None: not isinstance(value, list) or not any(equal(a, b) for at, a in enumerate(value) for b in value[:at])
def items(prefix: list[Check], rest: Check | None) -> Check:
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        if not isinstance(value, list):
            return True
        if seen is not None:
            seen.update(range(len(value) if rest else min(len(value), len(prefix))))
        pairs = zip(value, prefix + [rest] * (len(value) - len(prefix)) if rest else prefix)
        return all(own(item) for item, own in pairs)
    return check
def contains(inner: Check, least: int, most: int | None) -> Check:
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        if not isinstance(value, list):
            return True
        found = [at for at, item in enumerate(value) if inner(item)]
        if seen is not None:
            seen.update(found)
        return len(found) >= least and (most is None or len(found) <= most)
    return check
def required(*names: str) -> Check:
    return lambda value, seen=None: not isinstance(value, dict) or all(name in value for name in names)
def min_properties(count: int) -> Check:
    return lambda value, seen=None: not isinstance(value, dict) or len(value) >= count
def max_properties(count: int) -> Check:
    return lambda value, seen=None: not isinstance(value, dict) or len(value) <= count
def property_names(inner: Check) -> Check:
    return lambda value, seen=None: not isinstance(value, dict) or all(inner(name) for name in value)
def properties(own: list[tuple[str, Check]], matched: list[tuple[re.Pattern[str], Check]], rest: Check | None) -> Check:
    known = dict(own)
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        if not isinstance(value, dict):
            return True
        for name, item in value.items():
            checks = [inner for form, inner in matched if form.search(name)]
            if name in known:
                checks.append(known[name])
            if not checks and rest:
                checks.append(rest)
            if checks and seen is not None:
                seen.add(name)
            if not all(inner(item) for inner in checks):
                return False
        return True
    return check
def dependent_required(name: str, needed: list[str]) -> Check:
    return lambda value, seen=None: not isinstance(value, dict) or name not in value or all(other in value for other in needed)
def dependent_schema(name: str, inner: Check) -> Check:
    return lambda value, seen=None: not isinstance(value, dict) or name not in value or inner(value, seen)
def all_of(*checks: Check) -> Check:
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        shared = set() if seen is None else seen
        return all(inner(value, shared) for inner in checks)
    return check
def passed(checks: tuple[Check, ...], value: Any, seen: set[Any] | None) -> int:
    found = [own for own in (attempt(check, value) for check in checks) if own is not None]
    if seen is not None:
        seen.update(*found)
    return len(found)
def any_of(*checks: Check) -> Check:
    return lambda value, seen=None: passed(checks, value, seen) > 0
def one_of(*checks: Check) -> Check:
    return lambda value, seen=None: passed(checks, value, seen) == 1
def negate(check: Check) -> Check:
    return lambda value, seen=None: attempt(check, value) is None
def conditional(condition: Check, then: Check | None, otherwise: Check | None) -> Check:
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        met = attempt(condition, value)
        if met is not None and seen is not None:
            seen.update(met)
        following = otherwise if met is None else then
        return following is None or following(value, seen)
    return check
def scoped(inner: Check) -> Check:
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        own = attempt(inner, value)
        if own is not None and seen is not None:
            seen.update(own)
        return own is not None
    return check
def unevaluated_items(inner: Check) -> Check:
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        if not isinstance(value, list):
            return True
        left = [at for at in range(len(value)) if seen is None or at not in seen]
        if seen is not None:
            seen.update(range(len(value)))
        return all(inner(value[at]) for at in left)
    return check
def unevaluated_properties(inner: Check) -> Check:
    def check(value: Any, seen: set[Any] | None = None) -> bool:
        if not isinstance(value, dict):
            return True
        left = [name for name in value if seen is None or name not in seen]
        if seen is not None:
            seen.update(value)
        return all(inner(value[name]) for name in left)
    return check
