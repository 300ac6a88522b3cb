export interface Order {
  id: number;
  placedAt: string;
  status: string;
  customer: Customer;
  lines: Line[];
  stock: Record<string, number>;
  note?: null;
  discount?: string;
}

export interface Customer {
  email: string;
  name: string;
  phone?: string;
}

export interface Line {
  sku: string;
  quantity: number;
  price: number;
  kind: string;
}
