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
