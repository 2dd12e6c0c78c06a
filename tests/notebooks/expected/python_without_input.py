"""What cells/python_without_input.py tells when no input is given."""

from expected.events import Cell, error, failed, out, result

NOTHING = "input(): no stdin was provided to this execution; pass the lines it should read as its stdin"

CELLS = [
    Cell("input() says that there is nothing to read, and where it was called",
         out("Name? "),
         error("EOFError", NOTHING, "Cell In[1], line 3", "----> 3 ask()", "Cell In[1], line 2, in ask()", '----> 2     return input("Name? ")', f"EOFError: {NOTHING}"),
         ends=failed()),
    Cell("sys.stdin is empty", result("('', [])")),
    Cell("a command finds no input either", out("status 0\n")),
    Cell("getpass asks like input()",
         out("Password: "),
         error("EOFError", NOTHING, "Cell In[4], line 2", "----> 2 getpass.getpass()", f"EOFError: {NOTHING}"), ends=failed()),
]
