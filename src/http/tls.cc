#include "http/tls.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string_view>

#include "http/tls_stream.h"

namespace http {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kRecordBytes = 16 << 10;  // what TLS encrypts at a time

// A client that offers protocols by ALPN gets HTTP/1.1 or nothing.
// The parameters are OpenSSL's. NOLINTNEXTLINE(readability-function-size)
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  const int result = SSL_select_next_proto(&found, size, kHttp11, sizeof kHttp11 - 1, offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

base::Result<> checked(const boost::system::error_code& failed, const std::string& what) {
  if (!failed) return {};
  return base::fail(base::Code::kInvalid, what + ": " + failed.message());
}
}  // namespace

struct TlsContext::Impl {
  asio::ssl::context context{asio::ssl::context::tls_server};
};

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;

base::Result<std::unique_ptr<TlsContext>> TlsContext::load(const Tls& files) {
  auto impl = std::make_unique<Impl>();
  SSL_CTX* const raw = impl->context.native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  boost::system::error_code failed;
  impl->context.use_certificate_chain_file(files.certificate_file, failed);
  RETURN_IF_ERROR(checked(failed, "certificate " + files.certificate_file));
  impl->context.use_private_key_file(files.key_file, asio::ssl::context::pem, failed);
  RETURN_IF_ERROR(checked(failed, "key " + files.key_file));
  if (SSL_CTX_check_private_key(raw) != 1)
    return base::fail(base::Code::kInvalid,
                      "key " + files.key_file + " is not that of certificate " + files.certificate_file);
  return std::unique_ptr<TlsContext>(new TlsContext(std::move(impl)));
}

std::unique_ptr<Stream> TlsContext::wrap(Socket socket) {
  return std::make_unique<TlsStream>(std::move(socket), impl_->context);
}

Stream::Step TlsStream::handshake() {
  return tls_.async_handshake(asio::ssl::stream_base::server, asio::as_tuple(asio::use_awaitable));
}

Stream::Transfer TlsStream::read_some(asio::mutable_buffer room) {
  return tls_.async_read_some(room, asio::as_tuple(asio::use_awaitable));
}

// TLS sends a record for each buffer, so small ones are put together first.
Stream::Transfer TlsStream::write_some(const Buffers& buffers) {
  record_.clear();
  for (const asio::const_buffer& buffer : buffers) {
    const std::size_t size = std::min(buffer.size(), kRecordBytes - record_.size());
    record_.append(static_cast<const char*>(buffer.data()), size);
  }
  return tls_.async_write_some(asio::buffer(record_), asio::as_tuple(asio::use_awaitable));
}

Stream::Step TlsStream::end() { return tls_.async_shutdown(asio::as_tuple(asio::use_awaitable)); }

}  // namespace http
