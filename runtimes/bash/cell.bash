eval "${__cove_code-}"
