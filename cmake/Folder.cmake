# cove_folder(NAME LINKS …): src/NAME becomes the static library NAME (all .cc but main and tests), and its
# *_test.cc files become the test program NAME_test. Library names equal folder names.
function(cove_folder name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC cove_flags ${ARG_LINKS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE cove_flags ${ARG_LINKS})
  endif()
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${name} GTest::gmock GTest::gtest GTest::gtest_main)
    add_test(NAME unit/${name} COMMAND ${name}_test)
    set_tests_properties(unit/${name} PROPERTIES LABELS unit TIMEOUT 900)
  endif()
endfunction()

# cove_program(NAME FOLDER F [STATIC]): src/F/main.cc plus the library F.
function(cove_program name)
  cmake_parse_arguments(ARG "STATIC" "FOLDER" "" ${ARGN})
  add_executable(${name} ${CMAKE_SOURCE_DIR}/src/${ARG_FOLDER}/main.cc)
  target_link_libraries(${name} PRIVATE ${ARG_FOLDER})
  if(ARG_STATIC AND NOT COVE_SANITIZE)
    # What of a library is not used is left out, and with it what that would need.
    target_link_options(${name} PRIVATE -static -Wl,--gc-sections)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  else()
    target_compile_options(${name} PRIVATE -fPIE)
    target_link_options(${name} PRIVATE -pie)
  endif()
endfunction()

# cove_interpreter_library(NAME FOLDER F): bin/NAME.so from src/F/*.cc. A template's interpreter loads it, whatever C++ runtime or
# sanitizer that has or lacks: it links the C library alone.
function(cove_interpreter_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${ARG_FOLDER}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  add_library(${name} MODULE ${sources})
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  target_compile_options(${name} PRIVATE "SHELL:-iquote ${CMAKE_SOURCE_DIR}/src" -Wall -Wextra -Werror -Wshadow -fno-exceptions -fno-rtti
    -fvisibility=hidden -fstack-protector-strong -Wno-missing-designated-field-initializers)
  target_link_options(${name} PRIVATE -nostdlib++ -fuse-ld=lld-19 -Wl,-z,relro,-z,now,-z,noexecstack,-z,defs)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endfunction()

# cove_embed_openapi(TARGET): the contract of the API, docs/openapi.yaml, becomes part of the library that serves it.
function(cove_embed_openapi target)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/openapi.yaml)
  file(READ ${CMAKE_SOURCE_DIR}/docs/openapi.yaml COVE_OPENAPI)
  configure_file(${CMAKE_SOURCE_DIR}/src/api/openapi.cc.in ${CMAKE_BINARY_DIR}/generated/openapi.cc @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated/openapi.cc)
endfunction()
