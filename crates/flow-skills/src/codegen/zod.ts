const mapOf = <T extends z.ZodType>(schema: T) =>
  z.any()
    .refine((value) => !isObject(value) || !Object.hasOwn(value, "__proto__") || schema.safeParse(value["__proto__"]).success)
    .pipe(z.record(z.string(), schema));
