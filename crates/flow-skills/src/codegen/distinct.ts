const distinct = (list: readonly unknown[] | null | undefined): boolean => {
  const sorted = (_: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
  return !list || new Set(list.map((item) => JSON.stringify(item, sorted))).size === list.length;
};
