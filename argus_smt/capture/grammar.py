"""The grammar of signatures, for lark."""

from __future__ import annotations

GRAMMAR = r"""
start: dotted "(" [args] ")" [grid] clause*
grid: "grid" "(" exprs ")"
args: arg ("," arg)* [","]
arg: NAME ":" type [OR_NONE] ["=" value] -> typed
   | NAME "=" value              -> untyped

?type: tensor | scalar | sequence | table
tensor: NAME "[" [dims] "]" [layout] qualifier*
dims: expr ("," expr)* [","]
layout: "{" [exprs] "}"          -> strides
      | "strided"                -> strided
scalar: NAME [in_range]
in_range: "in" range ("or" range)*
sequence: SEQUENCE               -> plain
        | SEQUENCE "of" "[" [values] "]" -> literals
        | SEQUENCE "of" "(" [values] ")" -> literals
        | SEQUENCE "of" type     -> unsized
        | SEQUENCE "[" INT "]" "of" type -> repeated
        | SEQUENCE "(" types ")" -> several
OR_NONE.4: /or\s+None(?!\w)/
SEQUENCE.3: /(list|tuple)(?!\w)/
table: "table" ["[" NAME ":" expr "]"] "of" tensor

?qualifier: in_range             -> q_range
          | "distinct" ["except" expr] -> q_distinct
          | "nondecreasing"      -> q_nondecreasing
          | "steps" in_range     -> q_steps
          | "covering" range     -> q_covering
          | ROLE                 -> q_role
ROLE: "out" | "inout" | "uninit"
range: "[" bound "," bound "]"   -> closed
     | "[" bound "," bound ")"     -> half_open
     | "{" values "}"              -> set
?bound: expr | FLOAT -> number | "-" FLOAT -> negated

?value: expr | FLOAT -> number | "-" FLOAT -> negated | STRING -> string | "[" [values] "]" -> listed
      | "(" value "," [values] ")" -> tupled
values: value ("," value)* [","]

?clause: "where" conds           -> where
       | "helper" dotted "(" [names] ")" "->" types -> helper
       | "defined" NAME "[" names "]" "if" conds  -> defined
dotted: NAME ("." NAME)*
names: NAME ("," NAME)*
types: type ("," type)*
conds: cond ("," cond)*
cond: expr (COMPARE expr)+       -> compare
    | "pow2" "(" expr ")"        -> pow2
COMPARE: "==" | "!=" | "<=" | ">=" | "<" | ">"

exprs: expr ("," expr)* [","]
?expr: product
     | expr "+" product          -> add
     | expr "-" product          -> sub
?product: factor
        | product "*" factor     -> mul
        | product "//" factor    -> floordiv
        | product "%" factor     -> mod
?factor: power | "-" factor      -> neg
?power: atom | atom "**" INT     -> power
?atom: INT                       -> integer
     | NAME                      -> name
     | NAME "(" exprs ")"        -> call
     | NAME "[" exprs "]"        -> element
     | "(" expr ")"

NAME: /[A-Za-z_]\w*/
INT.2: /\d(_?\d)*(?![\w.])/
FLOAT: /(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?(?!\w)/
STRING: /"[^"\n]*"|'[^'\n]*'/
%import common.WS
%ignore WS
"""
