#pragma once

#include <memory>

#include "base/error.h"
#include "http/stream.h"
#include "http/tls_files.h"

namespace http {

// A server's certificate and the rules for its connections: TLS 1.2 or newer, no compression, no
// renegotiation.
class TlsContext {
 public:
  static base::Result<std::unique_ptr<TlsContext>> load(const Tls& files);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  std::unique_ptr<Stream> wrap(Socket socket);

 private:
  struct Impl;
  explicit TlsContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
