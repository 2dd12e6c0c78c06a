#pragma once

#include "api/call.h"

// What the routes about files do; file_routes.cc has their table.
namespace api {

// files.cc
io::Task<> read_file(CallPtr call);
io::Task<> write_file(CallPtr call);
io::Task<> remove_path(CallPtr call);

// file_changes.cc
io::Task<> make_directory(CallPtr call);
io::Task<> move_path(CallPtr call);
io::Task<> change_mode(CallPtr call);
io::Task<> make_symlink(CallPtr call);

// listings.cc
io::Task<> stat_path(CallPtr call);
io::Task<> list_directory(CallPtr call);

// archives.cc
io::Task<> pack_directory(CallPtr call);
io::Task<> unpack_archive(CallPtr call);

// watch.cc
io::Task<> watch_directory(CallPtr call);

// signed_urls.cc
io::Task<> sign_url(CallPtr call);

}  // namespace api
