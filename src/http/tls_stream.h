#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <string>

#include "http/stream.h"

namespace http {

class TlsStream final : public Stream {
 public:
  TlsStream(Socket socket, boost::asio::ssl::context& context) : tls_(std::move(socket), context) {}

  Step handshake() override;
  Transfer read_some(boost::asio::mutable_buffer room) override;
  Transfer write_some(const Buffers& buffers) override;
  Step end() override;
  bool is_encrypted() const override { return true; }
  Socket& socket() override { return tls_.next_layer(); }
  boost::asio::ssl::stream<Socket>& tls() { return tls_; }

 private:
  boost::asio::ssl::stream<Socket> tls_;
  std::string record_;  // what is being sent, in one piece
};

}  // namespace http
