#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "template/pip_lock.h"

// npm packages by version and hash: a package-lock.json of version 3. What is understood here is what the
// host acts on: names, versions, SHA-512 integrity and the platforms a package is for. The rest is for the
// npm inside. Addresses in it are passed over: where packages come from is the host's own configuration.
namespace templates {

struct NpmPackage {
  std::string path;     // where it goes, and its key in the lock: "node_modules/a/node_modules/b"
  std::string name;     // "b", "@scope/b"
  std::string version;  //
  std::string sha512;   // hex digits
};

struct NpmLock {
  std::vector<NpmPackage> packages;  // those to fetch: for this platform, and not inside another's file
  std::string text;                  // the whole lock, without addresses
};

// `origin` is the file's name, for messages.
Result<NpmLock> parse_npm_lock(std::string_view text, std::string_view origin);

// The lock for npm to read, each package to be found in `files` (in the order of the packages), and the
// package.json that goes with it.
struct NpmInputs {
  std::string lock;
  std::string manifest;
};
NpmInputs npm_inputs(const NpmLock& lock, const std::vector<std::string>& files);

}  // namespace templates
