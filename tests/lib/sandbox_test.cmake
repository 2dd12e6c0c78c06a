# cove_sandbox_test(NAME [LINKS …]): NAME_test.cc of the calling folder drives the engine with real sandboxes, in the world of the
# attacks.
function(cove_sandbox_test name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  set(attacks ${CMAKE_SOURCE_DIR}/tests/attacks)
  add_executable(${name}_test ${name}_test.cc ${attacks}/world.cc ${attacks}/spawner_process.cc)
  target_link_libraries(${name}_test PRIVATE engine ${ARG_LINKS} GTest::gmock GTest::gtest)
  target_compile_definitions(${name}_test PRIVATE COVE_BUILD_BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  add_dependencies(${name}_test cove-spawner cove-init)
  add_test(NAME jail/${name} COMMAND ${name}_test)
  set_tests_properties(jail/${name} PROPERTIES LABELS jail TIMEOUT 600)
endfunction()
