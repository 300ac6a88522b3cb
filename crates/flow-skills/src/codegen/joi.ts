const holds = (check: Check, message: string): Joi.CustomValidator => (value, helpers) =>
  check(helpers.original) ? value : helpers.message({ custom: message });
const lazy = (target: () => Joi.Schema): Joi.CustomValidator => (value, helpers) => {
  const { error } = target().validate(value);
  return error ? helpers.message({ custom: error.message }) : value;
};
const proto = (schema: Joi.Schema): Joi.CustomValidator => (value, helpers) =>
  Object.hasOwn(helpers.original, "__proto__") && schema.validate(helpers.original["__proto__"]).error
    ? helpers.error("object.unknown", { child: "__proto__" })
    : value;
