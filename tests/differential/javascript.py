"""javascript.py — expressions, patterns and modules by seed, most of them fine, for braces in MDX: what
is JavaScript and what isn't must be told apart where the reference implementation does.   [tests]
"""

NAMES = ("a b c await async of get set static let yield arguments eval undefined new.target import.meta this super "
         "if class constructor __proto__ as from null true \\u0061b a\\u{62} typeof enum implements $ _ é").split()
STRINGS = ['"x"', "'y'", '"\\n"', '"\\u0041"', '"\\x41"', '"\\u{1F600}"', '"\\0"', '"\\01"', '"\\u{110000}"', "'\\\n'",
           '"a\u2028b"', '"javascript:x"', "''", "'use strict'", '"\\u{}"', '"\\8"', '"\\c"']
NUMBERS = "0 1 1.5 .5 5. 1e5 1E-5 0x1f 0o7 0b1 1n 0n 1_000 1__0 01 08 0_1 1e 0x 0b2 1.n 1_ 0xfn 5.e3 .5n 1a 00 .".split()
BINARY = "+ - * / % ** < > <= >= == === != !== && || ?? & | ^ << >> >>> in instanceof , = += **= ??= &&= => ? :".split()
UNARY = "- + ! ~ typeof void delete ++ -- await new ... yield async".split()
PATTERNS = r"""a b . ^ $ | ( ) (?: (?= (?! (?<= (?<! (?<n> (?<m> (?<n (?i: (?-i: (?) [ ] [^ - a-z z-a \d-a a-\d \d \D \w \s \b \B \1
 \2 \9 \k<n> \k<m> \k \k< \u0041 \u004 \u{41} \u{110000} \ud83d\ude00 \x41 \x4 \0 \00 \07 \8 \cA \c \c1 \- \/ \p{L} \p{Lu}
 \P{Script=Greek} \p{sc=Grek} \p{Alphabetic} \p{Nope} \p{General_Category=Letter} \p{gc=Lu} \p{RGI_Emoji} \p{ASCII} \p
 {1} {1,} {1,2} {2,1} {,3} { } {a} * + ? *? +? ?? ** && -- \q{ab|c} \q{ [a&&b] [a--b] [[a]] [^[a]] [(] [)] [|] [-] ( ) (a) (?:a)
 (?=a)* (?<=a)* (?!a)+ \a \_ é 😀 [😀] [\b] [\B] [\cA] [\c] [\c_] [a-\b] [\u{1F600}-\u{1F64F}]""".split()
FLAGS = ["", "", "", "g", "i", "u", "u", "v", "v", "gimsuy", "d", "uv", "gg", "x", "y\\u0067"]


class Javascript:
    def __init__(self, random):
        self.random = random

    def one(self, *choices):
        return self.random.choice(choices)

    def pattern(self):
        size = self.random.choice((1, 2, 3, 4, 6))
        return "/" + "".join(self.random.choice(PATTERNS) for _ in range(size)) + "/" + self.random.choice(FLAGS)

    def template(self, depth):
        inner = self.one("", "x", "\\`", "\\${", "\n  y", "$", "\\u0041", "\\0", "\\u{}", "\\01", "${" + self.expression(depth - 1) + "}")
        return "`" + inner + "`"

    def key(self, depth):
        return self.one("a", "b", "'c'", "1", "0x1", "__proto__", "'__proto__'", "get", "async", "static", "if", "[" +
                        self.expression(depth - 1) + "]", "#a", "1n", "\\u0061")

    def member(self, depth):
        value = self.expression(depth - 1)
        key = self.key(depth)
        return self.one(f"{key}: {value}", f"{key}: {value}", f"{key}: {value}", key, f"...{value}", f"{key}() {self.body(depth)}",
                        f"get {key}() {self.body(depth)}", f"set {key}(a) {self.body(depth)}", f"async {key}() {self.body(depth)}",
                        f"*{key}() {self.body(depth)}", f"{key} = {value}", f"async *{key}(){{}}")

    def members(self, depth):
        return ", ".join(self.member(depth) for _ in range(self.random.randint(0, 3))) + self.one("", "", ",")

    def items(self, depth):
        return ", ".join(self.one("", "...") * (self.random.random() < 0.1) + self.expression(depth - 1)
                         for _ in range(self.random.randint(0, 3))) + self.one("", "", "", ",")

    def parameters(self, depth):
        return ", ".join(self.one("a", "b", "{c}", "[d]", "e = 1", "...f", "{g = 1}", "{h: i}", "a", self.expression(depth - 1))
                         for _ in range(self.random.randint(0, 2))) + self.one("", "", "", ",")

    def statement(self, depth):
        value = self.expression(depth - 1)
        return self.one(f"{value};", f"return {value};", f"const a = {value};", f"let b, c = {value};", f"if ({value}) {{}} else {{}}",
                        f"for (const x of {value}) {{ break; }}", f"while ({value}) continue;", f"throw {value};", "break;", "return",
                        f"try {{}} catch {{}}", "debugger;", "function f() {}", "class C {}", f"switch ({value}) {{ case 1: default: }}",
                        f"var d\n{value}", "label: for (;;) break label", "{ }", ";", "await x", "yield", "let a; let a;", "super()")

    def body(self, depth):
        if depth <= 0:
            return "{}"
        return "{ " + " ".join(self.statement(depth) for _ in range(self.random.randint(0, 2))) + " }"

    def markup(self, depth):
        return self.one("<a/>", "<a>b</a>", "<></>", "<a.b c={" + self.expression(depth - 1) + "}/>", "<a b='c'>{" +
                        self.expression(depth - 1) + "}</a>", "<a:b/>", "<a></b>", "<a b=<c/>/>", "<a {...b}/>", "<a b={}/>", "<a>{}</a>", "<a>}</a>")

    def arrow(self, depth):
        return self.one("", "async ") + self.one("a", f"({self.parameters(depth)})") + " => " + \
            self.one(self.body(depth), self.expression(depth - 1))

    def member_of_class(self, depth):
        return self.one("a = 1;", "static b;", "#c;", "constructor() {}", f"d() {self.body(depth)}", "get e() {}", "static {}", ";", "f", "'g' = 2",
                        "static async *h() {}", "constructor() {} constructor() {}")

    def leaf(self):
        return self.one(self.random.choice(NAMES), self.random.choice(STRINGS), self.random.choice(NUMBERS), self.pattern(),
                        self.random.choice(STRINGS), "a", "1", "true", "null", "[]", "{}")

    def compound(self, depth):
        less = lambda: self.expression(depth - 1)
        return self.one(
            lambda: "[" + self.items(depth) + "]", lambda: "{" + self.members(depth) + "}",
            lambda: "[" + self.items(depth) + "]", lambda: "{" + self.members(depth) + "}",
            lambda: self.template(depth), lambda: less() + " " + self.random.choice(BINARY) + " " + less(),
            lambda: self.random.choice(UNARY) + " " + less(), lambda: less() + self.one("++", "--"),
            lambda: "(" + less() + ")", lambda: f"{less()}({self.items(depth)})", lambda: f"{less()}[{less()}]",
            lambda: less() + self.one(".", "?.", ".#") + self.random.choice(NAMES), lambda: f"{less()}?.[{less()}]",
            lambda: less() + self.template(depth), lambda: f"{less()} ? {less()} : {less()}", lambda: self.arrow(depth),
            lambda: self.one("function ", "async function ", "function* ") + self.one("", "f") + f"({self.parameters(depth)}) " + self.body(depth),
            lambda: "class " + self.one("", "C ", "extends D ", "C extends D ") + "{ " + self.member_of_class(depth) + " }",
            lambda: f"new {less()}" + self.one("", "()"), lambda: self.one("import(", "import.meta.a, (") + less() + ")",
            lambda: self.markup(depth), lambda: self.one("-", "+") + self.random.choice(NUMBERS))()

    def expression(self, depth):
        return self.leaf() if depth <= 0 or self.random.random() < 0.3 else self.compound(depth)

    def module(self, depth):
        return self.one(
            "import a from 'b'", "import * as a from 'b'", "import {a, b as c} from 'd'", "import a, {b} from 'c'", "import 'a'",
            "import a from 'b' with {type: 'json'}", "import {default as a} from 'b'", "import {default} from 'b'", "import {'x' as a} from 'b'",
            "import a, * as b from 'c'", "import {if} from 'b'", "export * from 'a'", "export * as b from 'a'", "export {a}", "export {a as b} from 'c'",
            "export {'x'} from 'y'", "export {if}", f"export default {self.expression(depth)}", f"export const a = {self.expression(depth)}",
            f"export const {{a, b: c}} = {self.expression(depth)}", "export let a", "export const a", f"export function f() {self.body(depth)}",
            "export class C {}", f"export default function () {self.body(depth)}", "export async function f() {}", "export var a = 1, b = 2",
            "import a from b", "export a", "import {a} 'b'", "export default class {}") + self.one("", ";", "\n", " // c", "\nimport 'z'", "\n\nexport {a}")

    def document(self):
        depth = self.random.choice((0, 1, 1, 2, 2, 3))
        value = self.expression(depth)
        if self.random.random() < 0.15 and value:
            at = self.random.randrange(len(value))
            value = value[:at] + self.one("", " ", "\n", "/* c */", "(", ")", "}", "{", ",", "//\n", "\\", '"') + value[at + self.random.randint(0, 1):]
        return self.one(f"{{{value}}}\n", f"a {{{value}}} b\n", f"<Command id={{{value}}} />\n", f"<Inputs {{...{value}}} />\n",
                        f"- {{{value}}}\n", f"> <b title={{{value}}}>x</b>\n", f"{{{value}}}\n", f"<Command id={{{value}}} />\n",
                        self.module(depth) + "\n", f"|a|\n|-|\n|{{{value}}}|\n", f"{{/{{c}}/}}\n", f"{{{self.pattern()}}}\n",
                        f"{{{self.pattern()}}}\n")
