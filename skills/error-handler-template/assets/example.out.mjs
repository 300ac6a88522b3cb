// Errors of this application: classes, logging, a handler and what users read.

/** What is known of each error. */
export const errorCases = Object.freeze({
  "BOOK_NOT_FOUND": Object.freeze({
    status: 404,
    message: "We do not have this book.",
    retryable: false,
  }),
  "OUT_OF_STOCK": Object.freeze({
    status: 409,
    message: "This book has just sold out.",
    retryable: false,
  }),
  "PAYMENT_DECLINED": Object.freeze({
    status: 402,
    message: "Your bank declined the payment. Please try another card.",
    retryable: false,
  }),
  "PAYMENT_PROVIDER_DOWN": Object.freeze({
    status: 503,
    message: "We cannot take payments right now. Please try again in a minute.",
    retryable: true,
  }),
});

/**
 * @typedef {keyof typeof errorCases} ErrorCode
 * @typedef { { code: string, message: string, retryable: boolean } } ErrorBody
 * @typedef { { status: number, body: { error: ErrorBody } } } ErrorResponse
 * @typedef { { warn(message: string, fields: object): void, error(message: string, fields: object): void } } Logger
 */

// Error classes

/** An error of this application. Its message is for the log; users read `userMessage`. */
export class ShopError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} [message]
   * @param {Record<string, unknown>} [details]
   * @param {unknown} [cause]
   */
  constructor(code, message, details = {}, cause = undefined) {
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
  /**
   * @param {string} [message]
   * @param {Record<string, unknown>} [details]
   * @param {unknown} [cause]
   */
  constructor(message, details = {}, cause = undefined) {
    super("BOOK_NOT_FOUND", message, details, cause);
  }
}

export class OutOfStockError extends ShopError {
  /**
   * @param {string} [message]
   * @param {Record<string, unknown>} [details]
   * @param {unknown} [cause]
   */
  constructor(message, details = {}, cause = undefined) {
    super("OUT_OF_STOCK", message, details, cause);
  }
}

export class PaymentDeclinedError extends ShopError {
  /**
   * @param {string} [message]
   * @param {Record<string, unknown>} [details]
   * @param {unknown} [cause]
   */
  constructor(message, details = {}, cause = undefined) {
    super("PAYMENT_DECLINED", message, details, cause);
  }
}

export class PaymentProviderDownError extends ShopError {
  /**
   * @param {string} [message]
   * @param {Record<string, unknown>} [details]
   * @param {unknown} [cause]
   */
  constructor(message, details = {}, cause = undefined) {
    super("PAYMENT_PROVIDER_DOWN", message, details, cause);
  }
}

// Messages for users

const unexpectedMessage = "Something went wrong. Please try again later.";

/**
 * What a user may read of any error.
 * @param {unknown} error
 */
export function userMessage(error) {
  return error instanceof ShopError ? error.userMessage : unexpectedMessage;
}

/**
 * Whether the same request may succeed later.
 * @param {unknown} error
 */
export function isRetryable(error) {
  return error instanceof ShopError && error.retryable;
}

// Logging

/**
 * Logs an error: a warning when the caller is at fault, else an error with its stack.
 * @param {unknown} error
 * @param {Logger} [logger]
 */
export function logError(error, logger = console) {
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

/**
 * Logs any error and says how to answer it. Only what users may read leaves here.
 * @param {unknown} error
 * @param {Logger} [logger]
 * @returns {ErrorResponse}
 */
export function handleError(error, logger = console) {
  logError(error, logger);
  if (error instanceof ShopError) {
    const { code, status, retryable } = error;
    return { status, body: { error: { code, message: error.userMessage, retryable } } };
  }
  return { status: 500, body: { error: { code: "UNEXPECTED", message: unexpectedMessage, retryable: false } } };
}

// Use: try and catch

/**
 * Runs an operation and handles what it throws.
 * @template T
 * @param {() => T | Promise<T>} operation
 * @param {Logger} [logger]
 * @returns {Promise<{ ok: true, value: T } | { ok: false, response: ErrorResponse }>}
 */
export async function attempt(operation, logger = console) {
  try {
    return { ok: true, value: await operation() };
  } catch (error) {
    return { ok: false, response: handleError(error, logger) };
  }
}
