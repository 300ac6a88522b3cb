// Errors of this application, their logging, and their responses.

/** An error whose code callers may see: `message` is for the log, `userMessage` for users. */
export abstract class AppError extends Error {
  abstract readonly code: string;
  abstract readonly status: number;
  abstract readonly userMessage: string;
  readonly retryable: boolean = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class BookNotFoundError extends AppError {
  readonly code = "BOOK_NOT_FOUND";
  readonly status = 404;
  readonly userMessage = "We do not have this book.";
}

export class OutOfStockError extends AppError {
  readonly code = "OUT_OF_STOCK";
  readonly status = 409;
  readonly userMessage = "This book has just sold out.";
}

export class PaymentDeclinedError extends AppError {
  readonly code = "PAYMENT_DECLINED";
  readonly status = 402;
  readonly userMessage = "Your bank declined the payment. Please try another card.";
}

export class PaymentProviderDownError extends AppError {
  readonly code = "PAYMENT_PROVIDER_DOWN";
  readonly status = 503;
  readonly userMessage = "We cannot take payments right now. Please try again in a minute.";
  override readonly retryable = true;
}

export interface ErrorResponse {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean } };
}

/** Logs an error and returns the response for its caller: `catch (error) { return handleError(error); }`. */
export function handleError(error: unknown, logger: Pick<Console, "warn" | "error"> = console): ErrorResponse {
  if (!(error instanceof AppError)) {
    logger.error("UNEXPECTED", error);
    const message = "Something went wrong. Please try again later.";
    return { status: 500, body: { error: { code: "UNEXPECTED", message, retryable: false } } };
  }
  const { code, status, retryable, userMessage: message } = error;
  logger[status < 500 ? "warn" : "error"](code, error);
  return { status, body: { error: { code, message, retryable } } };
}
