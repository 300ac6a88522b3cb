const lazy = (target: () => Joi.Schema): Joi.CustomValidator => (value, helpers) => {
  const { error } = target().validate(value, { convert: helpers.prefs.convert ?? true });
  return error ? helpers.message({ custom: error.message }) : value;
};
