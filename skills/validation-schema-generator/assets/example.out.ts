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
const pattern = (form: RegExp): Check => (value) => typeof value !== "string" || form.test(value);
const formatEmail = (): Check => pattern(/^[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+(?:\.[A-Za-z0-9!#$%&'*+\/=?^_`{|}~\-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?$/u);
const formatUuid = (): Check => pattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u);
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
export interface Account {
  id: string;
  email: string;
  /** In years. */
  age?: number;
  roles: ("admin" | "editor" | "reader")[];
  balance?: number;
  address?: Address;
  contact?: unknown;
  parent?: Account | null;
}
export const Account: z.ZodType<Account> = z.strictObject({
  id: z.string().refine(formatUuid(), "must be a valid uuid"),
  email: z.string().refine(maxLength(254), "must have at most 254 characters").refine(formatEmail(), "must be a valid email"),
  /** In years. */
  age: z.number().refine(Number.isInteger, "must be a whole number").gte(0).lte(150).optional(),
  roles: z.array(z.enum(["admin", "editor", "reader"])).min(1).refine(uniqueItems(), "must not have equal items"),
  balance: z.number().refine(multipleOf(0.01), "must be a multiple of 0.01").optional(),
  address: Address.optional(),
  contact: z.unknown().refine(oneOf(required("phone"), required("fax")), "does not fit the schema").optional(),
  parent: z.lazy(() => Account).nullable().optional(),
}) as unknown as z.ZodType<Account>;
