// %% types are stripped, values stay
const answer: number = 42;
let names: Array<string> = ['Ada', 'Bob'];
answer

// %% interfaces and type aliases are nothing at run time
interface Person {
  name: string;
  age?: number;
}
type Pair<T> = [T, T];
const ada: Person = { name: 'Ada', age: 36 };
const pair: Pair<number> = [1, 2];
[ada, pair]

// %% a name may be declared again, with another type
const ada: string = 'just a name';
ada.length

// %% functions: parameters, defaults, generics, overloads
function same<T>(value: T): T;
function same(value: unknown): unknown { return value; }
const greet = (name: string, greeting: string = 'hello'): string => `${greeting}, ${name}`;
[same<string>('x'), greet('Ada')]

// %% an enum is a value
enum Colour { Red, Green = 5, Blue }
enum Word { Yes = 'YES' }
[Colour.Blue, Colour[5], Word.Yes]

// %% it outlives its cell
Colour.Red

// %% a class with access modifiers, parameter properties, and what it implements
interface Shape { area(): number }
abstract class Base { abstract get label(): string; }
class Square extends Base implements Shape {
  private static made = 0;
  constructor(private readonly side: number) { super(); Square.made++; }
  area(): number { return this.side ** 2; }
  get label() { return `square ${this.side}`; }
}
const square = new Square(3);
[square.area(), square.label]

// %% assertions of a type, satisfies, non-null
const any = JSON.parse('{"n": 1}') as { n: number };
const kept = { a: 1 } satisfies Record<string, number>;
any!.n + kept.a

// %% top-level await, with types
const value: string = await Promise.resolve<string>('awaited');
value

// %% a namespace
namespace Geometry { export const unit = 1; }
Geometry.unit

// %% types alone are imported from nowhere
import type { Stats } from 'node:fs';
import { type Dirent, existsSync } from 'node:fs';
existsSync('/tmp')

// %% an error shows the line that was written
type Ignored = string;
function check(n: number): never {
  throw new RangeError(`bad: ${n}`);
}
check(<number>1);

// %% a syntax error
const broken: = 1;

// %% plain JavaScript is TypeScript, too
var plain = [1, 2].map((n) => n * 2);
plain

// %% types are not checked
const wrong: number = 'a text';
typeof wrong
