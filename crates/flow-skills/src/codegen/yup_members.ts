const members = (values: Inner, names: string[], keys?: Inner) => (value: object | null | undefined): boolean =>
  Object.entries(value ?? {}).every(([key, item]) => names.includes(key) || (!failure(values, item) && (!keys || !failure(keys, key))));
