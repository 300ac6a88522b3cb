"""Errors of this application, their logging, and their responses."""

from __future__ import annotations

import logging
from typing import ClassVar, NamedTuple

logger = logging.getLogger(__name__)


class AppError(Exception):
    """An error whose code callers may see. Its text is for the log, `user_message` for users."""

    code: ClassVar[str] = "UNEXPECTED"
    status: ClassVar[int] = 500
    user_message: ClassVar[str] = "Something went wrong. Please try again later."
    retryable: ClassVar[bool] = False


class BookNotFoundError(AppError):
    code = "BOOK_NOT_FOUND"
    status = 404
    user_message = "We do not have this book."


class OutOfStockError(AppError):
    code = "OUT_OF_STOCK"
    status = 409
    user_message = "This book has just sold out."


class PaymentDeclinedError(AppError):
    code = "PAYMENT_DECLINED"
    status = 402
    user_message = "Your bank declined the payment. Please try another card."


class PaymentProviderDownError(AppError):
    code = "PAYMENT_PROVIDER_DOWN"
    status = 503
    user_message = "We cannot take payments right now. Please try again in a minute."
    retryable = True


class ErrorResponse(NamedTuple):
    status: int
    body: dict[str, object]


def handle_error(error: Exception) -> ErrorResponse:
    """Logs an error and returns the response for its caller: `except Exception as error: return handle_error(error)`."""
    known = error if isinstance(error, AppError) else AppError()
    if known.status < 500:
        logger.warning("%s: %r", known.code, error)
    else:
        logger.error("%s: %r", known.code, error, exc_info=error)
    answer = {"code": known.code, "message": known.user_message, "retryable": known.retryable}
    return ErrorResponse(known.status, {"error": answer})
