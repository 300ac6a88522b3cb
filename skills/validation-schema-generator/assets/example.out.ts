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
const required = (...names: string[]): Check => (value) =>
  !isObject(value) || names.every((name) => Object.hasOwn(value, name));
const oneOf = (...checks: Check[]): Check => (value, seen) => {
  const passed = checks.map((check) => attempt(check, value)).filter((found) => found !== null);
  if (seen) passed.forEach((found) => merge(seen, found));
  return passed.length === 1;
};

export const Address = z.object({
  street: z.string().min(1),
  zip: z.string().regex(/^\d{5}$/u).optional(),
});
export type Address = z.infer<typeof Address>;

/** Who may sign in. */
export interface Account {
  id: string;
  email: string;
  /** In years. */
  age?: number | undefined;
  roles: ("admin" | "editor" | "reader")[];
  balance?: number | undefined;
  address?: Address | undefined;
  contact?: unknown;
  parent?: Account | null | undefined;
}
export const Account: z.ZodType<Account> = z.strictObject({
  id: z.uuid(),
  email: z.email().max(254),
  /** In years. */
  age: z.int().min(0).max(150).optional(),
  roles: z.array(z.enum(["admin", "editor", "reader"])).min(1).refine((list) => new Set(list).size === list.length, "must not have equal items"),
  balance: z.number().multipleOf(0.01).optional(),
  address: Address.optional(),
  contact: z.unknown().refine(oneOf(required("phone"), required("fax")), "must match exactly one of the alternatives").optional(),
  parent: z.lazy(() => Account).nullable().optional(),
});
