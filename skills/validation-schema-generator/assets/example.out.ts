import { z } from "zod";

export const Address = z.object({
  street: z.string().min(1),
  zip: z.string().regex(/^\d{5}$/u).optional(),
});
export type Address = z.infer<typeof Address>;

// Not checked: oneOf of Account.contact.
/** Who may sign in. */
export interface Account {
  id: string;
  email: string;
  /** In years. */
  age?: number;
  roles: ("admin" | "editor" | "reader")[];
  balance?: number;
  address?: Address;
  contact?: {
    phone: unknown;
  } | {
    fax: unknown;
  };
  parent?: Account | null;
}
export const Account: z.ZodType<Account> = z.strictObject({
  id: z.uuid(),
  email: z.email().max(254),
  /** In years. */
  age: z.int().min(0).max(150).optional(),
  roles: z.array(z.enum(["admin", "editor", "reader"])).min(1).refine((list) => new Set(list).size === list.length, "must not have equal items"),
  balance: z.number().multipleOf(0.01).optional(),
  address: Address.optional(),
  contact: z.union([z.object({
    phone: z.unknown(),
  }), z.object({
    fax: z.unknown(),
  })]).optional(),
  parent: z.lazy(() => Account).nullable().optional(),
});
