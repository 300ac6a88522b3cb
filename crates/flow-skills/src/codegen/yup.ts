type Inner = { validateSync(value: unknown, options?: object): unknown };
const failure = (schema: Inner, value: unknown): yup.ValidationError | null => {
  try {
    schema.validateSync(value, { strict: true });
    return null;
  } catch (error) {
    return error as yup.ValidationError;
  }
};
