"""What cells/typescript.ts tells, cell by cell."""

from expected.events import Cell, Exactly, Like, error, failed, result

CELLS = [
    Cell("types are stripped, values stay", result("42")),
    Cell("interfaces and type aliases are nothing at run time",
         result("[ { name: 'Ada', age: 36 }, [ 1, 2 ] ]", json=[{"name": "Ada", "age": 36}, [1, 2]])),
    Cell("a name may be declared again, with another type", result("11")),
    Cell("functions: parameters, defaults, generics, overloads", result("[ 'x', 'hello, Ada' ]", json=["x", "hello, Ada"])),
    Cell("an enum is a value", result("[ 6, 'Green', 'YES' ]", json=[6, "Green", "YES"])),
    Cell("it outlives its cell", result("0")),
    Cell("a class with access modifiers, parameter properties, and what it implements", result("[ 9, 'square 3' ]", json=[9, "square 3"])),
    Cell("assertions of a type, satisfies, non-null", result("2")),
    Cell("top-level await, with types", result("'awaited'")),
    Cell("a namespace", result("1")),
    Cell("types alone are imported from nowhere", result("true")),
    Cell("an error shows the line that was written",
         error("RangeError", "bad: 1", Exactly(
             "Cell In[12]:3\n  throw new RangeError(`bad: ${n}`);\n\nRangeError: bad: 1\n    at check (Cell In[12]:3:9)\n    at Cell In[12]:5:1")), ends=failed()),
    Cell("a syntax error",
         error("SyntaxError", Like(r"^Unexpected token `=`\. Expected an identifier, [^\n]*$"),
               "Cell In[13]:1\nconst broken: = 1;\n              ^\n\nSyntaxError: Unexpected token `=`."), ends=failed()),
    Cell("plain JavaScript is TypeScript, too", result("[ 2, 4 ]", json=[2, 4])),
    Cell("types are not checked", result("'string'")),
]
