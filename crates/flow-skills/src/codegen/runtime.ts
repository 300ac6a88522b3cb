type Check = (value: unknown, seen?: Set<string>) => boolean;
type Members = Record<string, unknown>;
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const attempt = (check: Check, value: unknown): Set<string> | null => {
  const seen = new Set<string>();
  return check(value, seen) ? seen : null;
};
const merge = (seen: Set<string>, more: Set<string>): void => more.forEach((name) => seen.add(name));
const equal = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => equal(item, b[at]));
  }
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
  }
  return a === b;
};
const decimal = (number: number): [bigint, number] => {
  const [digits = "0", power = "0"] = String(number).split("e");
  const [whole = "0", part = ""] = digits.split(".");
  return [BigInt(whole + part), Number(power) - part.length];
};
const anything = (): Check => () => true;
const nothing = (): Check => () => false;
const types = (...names: string[]): Check => (value) => {
  const name = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return names.includes(name) || (name === "number" && names.includes("integer") && Number.isInteger(value));
};
const equalsAny = (...values: unknown[]): Check => (value) => values.some((other) => equal(value, other));
const refer = (target: () => Check): Check => (value, seen) => target()(value, seen);
const minimum = (bound: number): Check => (value) => typeof value !== "number" || value >= bound;
const maximum = (bound: number): Check => (value) => typeof value !== "number" || value <= bound;
const exclusiveMinimum = (bound: number): Check => (value) => typeof value !== "number" || value > bound;
const exclusiveMaximum = (bound: number): Check => (value) => typeof value !== "number" || value < bound;
const multipleOf = (step: number): Check => (value) => {
  if (typeof value !== "number") return true;
  if (!Number.isFinite(value)) return false;
  const [[a, p], [b, q]] = [decimal(value), decimal(step)];
  const low = Math.min(p, q);
  return (a * 10n ** BigInt(p - low)) % (b * 10n ** BigInt(q - low)) === 0n;
};
const minLength = (count: number): Check => (value) => typeof value !== "string" || [...value].length >= count;
const maxLength = (count: number): Check => (value) => typeof value !== "string" || [...value].length <= count;
const pattern = (form: RegExp): Check => (value) => typeof value !== "string" || form.test(value);
const isDate = (text: string): boolean => {
  const year = Number(text.slice(0, 4));
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return dateForm.test(text) && (leap || text.slice(5) !== "02-29");
};
const dateForm = /^\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2\d))$/u;
const timeForm = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u;
const formatDate = (): Check => (value) => typeof value !== "string" || isDate(value);
const formatTime = (): Check => pattern(timeForm);
const formatDateTime = (): Check => (value) =>
  typeof value !== "string" ||
  (/^.{10}[tT]/u.test(value) && isDate(value.slice(0, 10)) && timeForm.test(value.slice(11)));
const formatEmail = (): Check => pattern(/^[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+(?:\.[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?$/u);
const formatUuid = (): Check => pattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u);
const formatUri = (): Check => pattern(/^[A-Za-z][A-Za-z0-9+.\-]*:(?:[A-Za-z0-9\-._~:\/?#@!$&'()*+,;=]|\[[0-9A-Fa-f:.]+\]|%[0-9A-Fa-f]{2})*$/u);
const formatIpv4 = (): Check => pattern(/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/u);
const formatIpv6 = (): Check => pattern(/^(?=.*::|(?:[^:]*:){7}[^:.]*$|(?:[^:]*:){6}\d+\.[\d.]+$)(?!.*::.*::)(?!.*:::)(?!:[^:])(?!.*[^:]:$)(?:[0-9A-Fa-f]{0,4}:){1,7}(?:[0-9A-Fa-f]{0,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))$/u);
const minItems = (count: number): Check => (value) => !Array.isArray(value) || value.length >= count;
const maxItems = (count: number): Check => (value) => !Array.isArray(value) || value.length <= count;
const uniqueItems = (): Check => (value) =>
  !Array.isArray(value) || value.every((item, at) => !value.slice(0, at).some((other) => equal(item, other)));
const items = (prefix: Check[], rest: Check | null): Check => (value, seen) =>
  !Array.isArray(value) ||
  value.every((item, at) => {
    const check = at < prefix.length ? prefix[at] : rest;
    if (check) seen?.add(String(at));
    return !check || check(item);
  });
const contains = (check: Check, least: number, most: number | null): Check => (value, seen) => {
  if (!Array.isArray(value)) return true;
  const found = value.flatMap((item, at) => (check(item) ? [String(at)] : []));
  found.forEach((at) => seen?.add(at));
  return found.length >= least && (most === null || found.length <= most);
};
const required = (...names: string[]): Check => (value) =>
  !isObject(value) || names.every((name) => Object.hasOwn(value, name));
const minProperties = (count: number): Check => (value) => !isObject(value) || Object.keys(value).length >= count;
const maxProperties = (count: number): Check => (value) => !isObject(value) || Object.keys(value).length <= count;
const propertyNames = (check: Check): Check => (value) =>
  !isObject(value) || Object.keys(value).every((name) => check(name));
const properties = (own: [string, Check][], matched: [RegExp, Check][], rest: Check | null): Check => {
  const known = new Map(own);
  return (value, seen) =>
    !isObject(value) ||
    Object.keys(value).every((name) => {
      const checks = matched.filter(([form]) => form.test(name)).map(([, check]) => check);
      const mine = known.get(name);
      if (mine) checks.push(mine);
      if (checks.length === 0 && rest) checks.push(rest);
      if (checks.length > 0) seen?.add(name);
      return checks.every((check) => check(value[name]));
    });
};
const dependentRequired = (name: string, needed: string[]): Check => (value) =>
  !isObject(value) || !Object.hasOwn(value, name) || needed.every((other) => Object.hasOwn(value, other));
const dependentSchema = (name: string, check: Check): Check => (value, seen) =>
  !isObject(value) || !Object.hasOwn(value, name) || check(value, seen);
const allOf = (...checks: Check[]): Check => (value, seen = new Set<string>()) => checks.every((check) => check(value, seen));
const anyOf = (...checks: Check[]): Check => (value, seen) => {
  const passed = checks.map((check) => attempt(check, value)).filter((found) => found !== null);
  if (seen) passed.forEach((found) => merge(seen, found));
  return passed.length > 0;
};
const oneOf = (...checks: Check[]): Check => (value, seen) => {
  const passed = checks.map((check) => attempt(check, value)).filter((found) => found !== null);
  if (seen) passed.forEach((found) => merge(seen, found));
  return passed.length === 1;
};
const negate = (check: Check): Check => (value) => attempt(check, value) === null;
const conditional = (condition: Check, then: Check | null, otherwise: Check | null): Check => (value, seen) => {
  const met = attempt(condition, value);
  if (met && seen) merge(seen, met);
  const next = met ? then : otherwise;
  return !next || next(value, seen);
};
const scoped = (check: Check): Check => (value, seen) => {
  const own = attempt(check, value);
  if (own && seen) merge(seen, own);
  return own !== null;
};
const unevaluatedItems = (check: Check): Check => (value, seen = new Set<string>()) =>
  !Array.isArray(value) ||
  value.every((item, at) => {
    const known = seen.has(String(at));
    seen.add(String(at));
    return known || check(item);
  });
const unevaluatedProperties = (check: Check): Check => (value, seen = new Set<string>()) =>
  !isObject(value) ||
  Object.keys(value).every((name) => {
    const known = seen.has(name);
    seen.add(name);
    return known || check(value[name]);
  });
