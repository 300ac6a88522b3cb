const items = (least: number, schemas: Inner[], rest?: Inner) => (list: unknown[] | null | undefined): boolean =>
  !list || (list.length >= least && list.every((item, at) => {
    const schema = schemas[at] ?? rest;
    return schema !== undefined && !failure(schema, item);
  }));
