// The part of the library that speaks TLS is compiled once, here; src/io compiles the rest.
#include <boost/asio/ssl/impl/src.hpp>
