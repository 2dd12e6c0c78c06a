__cove_recall && :; eval "${__cove_code-}"
