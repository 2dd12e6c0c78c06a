#pragma once

#include <string>
#include <string_view>

// How people say which template they mean.
namespace templates {

// "Python 3.11" is python-3.11, "node 22" node-22: lower case, words joined by dashes. What needs no change
// stays as it is, digests too.
std::string canonical_reference(std::string_view typed);

// Where a language of this version is found when no template has its name: base has Node 20, and python is
// Python 3.13. Empty: nowhere.
std::string_view home_of_language(std::string_view reference);

}  // namespace templates
