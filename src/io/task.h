// io: one event loop, and what code that waits on it is written with. Everything runs on the loop's thread
// unless it is handed to a Pool, so there are no locks; what may change while a task waits is whatever other
// tasks touch.
//
// A task is a coroutine that ends with a Result. It is started by a TaskGroup, which names it, hears how it
// ended and can cancel it: the wait that it is in then throws, and its frame unwinds like a scope. Nothing
// outside of io and http names the library underneath.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>

#include "base/error.h"

namespace io {

using base::Result;
using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;  // none: for ever

template <class T = void>
using Task = boost::asio::awaitable<Result<T>>;

}  // namespace io

#define CO_RETURN_IF_ERROR(expr) \
  if (auto r_ = (expr); !r_) co_return std::unexpected(std::move(r_).error())
#define CO_ASSIGN_OR_RETURN(decl, expr) CO_ASSIGN_OR_RETURN_(BASE_CAT(r_, __COUNTER__), decl, expr)
#define CO_ASSIGN_OR_RETURN_(tmp, decl, expr)                  \
  auto tmp = (expr);                                           \
  if (!tmp) co_return std::unexpected(std::move(tmp).error()); \
  decl = *std::move(tmp)
