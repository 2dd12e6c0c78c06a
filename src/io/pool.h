#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <type_traits>

#include "io/loop.h"

namespace io {

// A few threads for calls that block: SQL, hashing, the spawner. A call that has begun is waited for, even by
// a task that is cancelled.
class Pool {
 public:
  explicit Pool(std::size_t threads) : threads_(threads) {}
  ~Pool() { threads_.join(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // `work` is run on one of the threads and returns a Result; the task goes on, on its loop, with that.
  template <class Work>
  auto run(Work work) -> boost::asio::awaitable<std::invoke_result_t<Work>> {
    namespace asio = boost::asio;
    using Answer = std::invoke_result_t<Work>;
    auto start = [this](auto handler, Work todo) {
      auto home = asio::make_work_guard(asio::get_associated_executor(handler));
      asio::post(threads_, [home = std::move(home), handler = std::move(handler),
                            todo = std::move(todo)]() mutable {
        auto answer = todo();
        asio::post(home.get_executor(), [handler = std::move(handler), answer = std::move(answer)]() mutable {
          std::move(handler)(std::move(answer));
        });
      });
    };
    return asio::async_initiate<const asio::use_awaitable_t<>, void(Answer)>(start, asio::use_awaitable,
                                                                             std::move(work));
  }

 private:
  boost::asio::thread_pool threads_;
};

}  // namespace io
