import { z } from "zod";

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
const multipleOf = (step: number): Check => (value) => {
  if (typeof value !== "number") return true;
  if (!Number.isFinite(value)) return false;
  const [[a, p], [b, q]] = [decimal(value), decimal(step)];
  const low = Math.min(p, q);
  return (a * 10n ** BigInt(p - low)) % (b * 10n ** BigInt(q - low)) === 0n;
};
const maxLength = (count: number): Check => (value) => typeof value !== "string" || [...value].length <= count;
const formats: Record<string, RegExp> = {
  date: /^\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2\d))$/u,
  time: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u,
  email: /^[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+(?:\.[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?$/u,
  uuid: /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u,
  uri: /^[A-Za-z][A-Za-z0-9+.\-]*:(?:[A-Za-z0-9\-._~:\/?#@!$&'()*+,;=]|\[[0-9A-Fa-f:.]+\]|%[0-9A-Fa-f]{2})*$/u,
  ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/u,
  ipv6: /^(?=.*::|(?:[^:]*:){7}[^:]*$|(?:[^:]*:){6}[\d.]+$)(?!.*::.*::)(?!.*:::)(?!:[^:])(?!.*[^:]:$)(?:[0-9A-Fa-f]{0,4}:){1,7}(?:[0-9A-Fa-f]{0,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))$/u,
};
const isFormat = (name: string, text: string): boolean => {
  if (name === "date-time") {
    return /^[^tT]*[tT][^tT]*$/u.test(text) && isFormat("date", text.slice(0, 10)) && isFormat("time", text.slice(11));
  }
  if (!formats[name]?.test(text)) return false;
  const year = Number(text.slice(0, 4));
  return name !== "date" || text.slice(5) !== "02-29" || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
};
const format = (name: string): Check => (value) => typeof value !== "string" || isFormat(name, value);
const uniqueItems = (): Check => (value) =>
  !Array.isArray(value) || value.every((item, at) => !value.slice(0, at).some((other) => equal(item, other)));
const required = (...names: string[]): Check => (value) =>
  !isObject(value) || names.every((name) => Object.hasOwn(value, name));
const oneOf = (...checks: Check[]): Check => (value, seen) => {
  const passed = checks.map((check) => attempt(check, value)).filter((found) => found !== null);
  if (seen) passed.forEach((found) => merge(seen, found));
  return passed.length === 1;
};

export const Address = z.looseObject({
  street: z.string().min(1),
  zip: z.string().regex(/^\d{5}$/u).optional(),
});
export type Address = z.infer<typeof Address>;

/** Who may sign in. */
export const Account: z.ZodType = z.strictObject({
  id: z.string().refine(format("uuid"), "must be a valid uuid"),
  email: z.string().refine(maxLength(254), "must have at most 254 characters").refine(format("email"), "must be a valid email"),
  /** In years. */
  age: z.number().refine(Number.isInteger, "must be a whole number").gte(0).lte(150).optional(),
  roles: z.array(z.enum(["admin", "editor", "reader"])).min(1).refine(uniqueItems(), "must not have equal items"),
  balance: z.number().refine(multipleOf(0.01), "must be a multiple of 0.01").optional(),
  address: Address.optional(),
  contact: z.unknown().refine(oneOf(required("phone"), required("fax")), "does not fit the schema").optional(),
  parent: z.lazy(() => Account).nullable().optional(),
});
export type Account = z.infer<typeof Account>;
