# Compiler, warnings, hardening, sanitizers: one INTERFACE target that everything links.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "Cove is built with clang 19 or newer (script/bootstrap installs it); found "
                      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(cove_flags INTERFACE)
target_compile_definitions(cove_flags INTERFACE _GNU_SOURCE COVE_VERSION="${PROJECT_VERSION}")
# -iquote, not -I: our folder sys/ must not hide the system's <sys/…> headers.
target_compile_options(cove_flags INTERFACE "SHELL:-iquote ${CMAKE_SOURCE_DIR}/src"
  "SHELL:-iquote ${CMAKE_SOURCE_DIR}")
target_compile_options(cove_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough
  -Wno-c99-designator -Wno-missing-designated-field-initializers
  -Wno-gnu-statement-expression-from-macro-expansion
  -fstack-protector-strong -fcf-protection=full -fvisibility=hidden -fno-omit-frame-pointer
  $<IF:$<CONFIG:Release>,-g1,-g>)
target_link_options(cove_flags INTERFACE -fuse-ld=lld-19 -Wl,-z,relro,-z,now,-z,noexecstack)

if(COVE_SANITIZE)
  target_compile_options(cove_flags INTERFACE -fsanitize=${COVE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(cove_flags INTERFACE -fsanitize=${COVE_SANITIZE})
  if(COVE_FUZZ)
    target_compile_options(cove_flags INTERFACE -fsanitize=fuzzer-no-link)
  endif()
else()
  target_compile_definitions(cove_flags INTERFACE _GLIBCXX_ASSERTIONS)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_definitions(cove_flags INTERFACE _FORTIFY_SOURCE=3)
  endif()
endif()
