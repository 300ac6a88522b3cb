const members = (values: Inner, names: string[]) => (value: object | null | undefined): boolean =>
  Object.entries(value ?? {}).every(([key, item]) => names.includes(key) || !failure(values, item));
