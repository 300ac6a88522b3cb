// Errors of this application, their logging, and their responses.

/** An error whose code callers may see: `message` is for the log, `userMessage` for users. */
export class ShopError extends Error {
  /**
   * @param {{ code: string, status: number, userMessage: string, retryable?: boolean }} answer
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(answer, message, options) {
    super(message, options);
    this.name = new.target.name;
    this.code = answer.code;
    this.status = answer.status;
    this.userMessage = answer.userMessage;
    this.retryable = answer.retryable ?? false;
  }
}

export class BookNotFoundError extends ShopError {
  constructor(message = "", options = {}) {
    super({ code: "BOOK_NOT_FOUND", status: 404, userMessage: "We do not have this book." }, message, options);
  }
}

export class OutOfStockError extends ShopError {
  constructor(message = "", options = {}) {
    super({ code: "OUT_OF_STOCK", status: 409, userMessage: "This book has just sold out." }, message, options);
  }
}

export class PaymentDeclinedError extends ShopError {
  constructor(message = "", options = {}) {
    super({ code: "PAYMENT_DECLINED", status: 402, userMessage: "Your bank declined the payment. Please try another card." }, message, options);
  }
}

export class PaymentProviderDownError extends ShopError {
  constructor(message = "", options = {}) {
    super({ code: "PAYMENT_PROVIDER_DOWN", status: 503, userMessage: "We cannot take payments right now. Please try again in a minute.", retryable: true }, message, options);
  }
}

/**
 * Logs an error and returns the response for its caller: `catch (error) { return handleError(error); }`.
 * @param {unknown} error
 * @param {Pick<Console, "warn" | "error">} [logger]
 */
export function handleError(error, logger = console) {
  if (!(error instanceof ShopError)) {
    logger.error("UNEXPECTED", error);
    const message = "Something went wrong. Please try again later.";
    return { status: 500, body: { error: { code: "UNEXPECTED", message, retryable: false } } };
  }
  const { code, status, retryable, userMessage: message } = error;
  logger[status < 500 ? "warn" : "error"](code, error);
  return { status, body: { error: { code, message, retryable } } };
}
