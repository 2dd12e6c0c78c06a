# cove_scripts(LABEL [TIMEOUT seconds]): every *.py of the calling folder is a test program that drives the real binaries.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(cove_scripts label)
  cmake_parse_arguments(ARG "" "TIMEOUT" "" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.py)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME ${label}/${name} COMMAND ${Python3_EXECUTABLE} -B ${script})
    # One at a time: they measure the machine.
    set_tests_properties(${label}/${name} PROPERTIES LABELS ${label} TIMEOUT ${ARG_TIMEOUT} RUN_SERIAL TRUE
      ENVIRONMENT "COVE_TEST_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endforeach()
endfunction()
