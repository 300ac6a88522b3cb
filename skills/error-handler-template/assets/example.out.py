"""Errors of this application: classes, logging, a handler and what users read."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Callable, ClassVar, Generic, Optional, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

UNEXPECTED_MESSAGE = "Something went wrong. Please try again later."


# Error classes


class ShopError(Exception):
    """An error of this application. Its message is for the log; users read `user_message`."""

    code: ClassVar[str] = "UNEXPECTED"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    user_message: ClassVar[str] = UNEXPECTED_MESSAGE

    def __init__(self, message: Optional[str] = None, **details: object) -> None:
        super().__init__(self.user_message if message is None else message)
        self.details = details


class BookNotFoundError(ShopError):
    code: ClassVar[str] = "BOOK_NOT_FOUND"
    status: ClassVar[int] = 404
    retryable: ClassVar[bool] = False
    user_message: ClassVar[str] = "We do not have this book."


class OutOfStockError(ShopError):
    code: ClassVar[str] = "OUT_OF_STOCK"
    status: ClassVar[int] = 409
    retryable: ClassVar[bool] = False
    user_message: ClassVar[str] = "This book has just sold out."


class PaymentDeclinedError(ShopError):
    code: ClassVar[str] = "PAYMENT_DECLINED"
    status: ClassVar[int] = 402
    retryable: ClassVar[bool] = False
    user_message: ClassVar[str] = "Your bank declined the payment. Please try another card."


class PaymentProviderDownError(ShopError):
    code: ClassVar[str] = "PAYMENT_PROVIDER_DOWN"
    status: ClassVar[int] = 503
    retryable: ClassVar[bool] = True
    user_message: ClassVar[str] = "We cannot take payments right now. Please try again in a minute."


ERRORS: dict[str, type[ShopError]] = {
    "BOOK_NOT_FOUND": BookNotFoundError,
    "OUT_OF_STOCK": OutOfStockError,
    "PAYMENT_DECLINED": PaymentDeclinedError,
    "PAYMENT_PROVIDER_DOWN": PaymentProviderDownError,
}


@dataclass(frozen=True)
class ErrorResponse:
    """What answers a caller whose request failed."""

    status: int
    code: str
    message: str
    retryable: bool

    def body(self) -> dict[str, object]:
        return {"error": {"code": self.code, "message": self.message, "retryable": self.retryable}}


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What an operation gave, or how to answer that it failed."""

    value: Optional[T] = None
    response: Optional[ErrorResponse] = None

    @property
    def ok(self) -> bool:
        return self.response is None


# Messages for users


def user_message(error: BaseException) -> str:
    """What a user may read of any error."""
    return error.user_message if isinstance(error, ShopError) else UNEXPECTED_MESSAGE


def is_retryable(error: BaseException) -> bool:
    """Whether the same request may succeed later."""
    return isinstance(error, ShopError) and error.retryable


# Logging


def log_error(error: BaseException, log: logging.Logger = logger) -> None:
    """Logs an error: a warning when the caller is at fault, else an error with its traceback."""
    if isinstance(error, ShopError) and error.status < 500:
        log.warning("%s: %r (%d) %r", error.code, str(error), error.status, error.details)
        return
    known = (error.code, error.details) if isinstance(error, ShopError) else (type(error).__name__, {})
    log.error("%s: %r %r", known[0], str(error), known[1], exc_info=error)


# Handler


def handle_error(error: BaseException, log: logging.Logger = logger) -> ErrorResponse:
    """Logs any error and says how to answer it. Only what users may read leaves here."""
    log_error(error, log)
    if isinstance(error, ShopError):
        return ErrorResponse(error.status, error.code, error.user_message, error.retryable)
    return ErrorResponse(500, "UNEXPECTED", UNEXPECTED_MESSAGE, False)


# Use: try and except


def attempt(operation: Callable[[], T], log: logging.Logger = logger) -> Outcome[T]:
    """Runs an operation and handles what it raises."""
    try:
        return Outcome(value=operation())
    except Exception as error:
        return Outcome(response=handle_error(error, log))
