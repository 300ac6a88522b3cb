const holds = (check: Check, message: string): yup.TestConfig<any> => ({
  name: "holds",
  message,
  test: (value: unknown) => value === undefined || value === null || check(value),
});
const custom = <T>(check: Check, message: string) =>
  yup.mixed<T & {}>().nullable().test("custom", message, (value) => value === undefined || check(value)) as unknown as yup.MixedSchema<T | undefined>;
type Inner = { validateSync(value: unknown, options?: object): unknown };
const failure = (schema: Inner, value: unknown): yup.ValidationError | null => {
  try {
    schema.validateSync(value, { strict: true });
    return null;
  } catch (error) {
    return error as yup.ValidationError;
  }
};
const union = <T>(...schemas: Inner[]) =>
  yup.mixed<T & {}>().nullable().test("union", "matches none of the alternatives", (value, context) => {
    const failures = schemas.map((schema) => failure(schema, value));
    if (value === undefined || failures.includes(null)) return true;
    const inner = failures.find((error) => error?.path);
    return context.createError(inner ? { path: `${context.path}.${inner.path}`, message: inner.message } : {});
  }) as unknown as yup.MixedSchema<T | undefined>;
const mapOf = <T>(schema: Inner) =>
  yup.object().test("mapOf", "has a member that is not allowed", (value, context) => {
    for (const [key, item] of Object.entries(value ?? {})) {
      const error = failure(schema, item);
      if (error) return context.createError({ path: [context.path, key, error.path].filter(Boolean).join("."), message: error.message });
    }
    return true;
  }) as unknown as yup.MixedSchema<Record<string, T> | undefined>;
