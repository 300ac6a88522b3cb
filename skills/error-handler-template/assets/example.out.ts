// Errors of this application: classes, logging, a handler and what users read.

/** What is known of each error. */
export const errorCases = {
  "BOOK_NOT_FOUND": {
    status: 404,
    message: "We do not have this book.",
    retryable: false,
  },
  "OUT_OF_STOCK": {
    status: 409,
    message: "This book has just sold out.",
    retryable: false,
  },
  "PAYMENT_DECLINED": {
    status: 402,
    message: "Your bank declined the payment. Please try another card.",
    retryable: false,
  },
  "PAYMENT_PROVIDER_DOWN": {
    status: 503,
    message: "We cannot take payments right now. Please try again in a minute.",
    retryable: true,
  },
} as const;

/** The codes that there are. */
export type ErrorCode = keyof typeof errorCases;

/** What answers a caller whose request failed. */
export interface ErrorResponse {
  readonly status: number;
  readonly body: {
    readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean };
  };
}

/** Where errors are logged; the console is one. */
export interface Logger {
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

// Error classes

/** An error of this application. Its message is for the log; users read `userMessage`. */
export class ShopError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly userMessage: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message?: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    const known = errorCases[code];
    super(message ?? known.message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.status = known.status;
    this.retryable = known.retryable;
    this.userMessage = known.message;
    this.details = details;
  }
}

export class BookNotFoundError extends ShopError {
  constructor(message?: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super("BOOK_NOT_FOUND", message, details, cause);
  }
}

export class OutOfStockError extends ShopError {
  constructor(message?: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super("OUT_OF_STOCK", message, details, cause);
  }
}

export class PaymentDeclinedError extends ShopError {
  constructor(message?: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super("PAYMENT_DECLINED", message, details, cause);
  }
}

export class PaymentProviderDownError extends ShopError {
  constructor(message?: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super("PAYMENT_PROVIDER_DOWN", message, details, cause);
  }
}

// Messages for users

const unexpectedMessage = "Something went wrong. Please try again later.";

/** What a user may read of any error. */
export function userMessage(error: unknown): string {
  return error instanceof ShopError ? error.userMessage : unexpectedMessage;
}

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ShopError && error.retryable;
}

// Logging

/** Logs an error: a warning when the caller is at fault, else an error with its stack. */
export function logError(error: unknown, logger: Logger = console): void {
  if (error instanceof ShopError && error.status < 500) {
    logger.warn(error.message, { code: error.code, status: error.status, details: error.details });
    return;
  }
  const known = error instanceof ShopError ? { code: error.code, status: error.status, details: error.details } : {};
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  const cause = error instanceof Error ? error.cause : undefined;
  logger.error(message, { ...known, stack, cause });
}

// Handler

/** Logs any error and says how to answer it. Only what users may read leaves here. */
export function handleError(error: unknown, logger: Logger = console): ErrorResponse {
  logError(error, logger);
  if (error instanceof ShopError) {
    const { code, status, retryable } = error;
    return { status, body: { error: { code, message: error.userMessage, retryable } } };
  }
  return { status: 500, body: { error: { code: "UNEXPECTED", message: unexpectedMessage, retryable: false } } };
}

// Use: try and catch

/** What an operation gave, or how to answer that it failed. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly response: ErrorResponse };

/** Runs an operation and handles what it throws. */
export async function attempt<T>(operation: () => T | Promise<T>, logger: Logger = console): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await operation() };
  } catch (error) {
    return { ok: false, response: handleError(error, logger) };
  }
}
