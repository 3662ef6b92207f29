/** Operators with one operand. */
export type UnaryOperator = '!' | '+' | '-' | 'exists'

/** Operators with two operands, under the name they are evaluated by. */
export type BinaryOperator =
  | 'or' | 'and'
  | '==' | '!=' | '===' | '!=='
  | '<' | '<=' | '>' | '>='
  | 'in' | 'matches'
  | '+' | '-' | '*' | '/' | '%' // biome-ignore format: one line per precedence

/** One part of a parsed expression or template. */
export type Node =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'word'; readonly keys: readonly string[] }
  | { readonly kind: 'member'; readonly target: Node; readonly key: Node }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly parameters: readonly Node[]
      readonly offset: number
    }
  | { readonly kind: 'regex'; readonly pattern: Node; readonly flags?: string }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [Node, Node])[] }
  | { readonly kind: 'text'; readonly parts: readonly Node[] }
  | { readonly kind: 'group'; readonly inner: Node }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'conditional'; readonly test: Node; readonly yes: Node; readonly no: Node }

/** A constant as a node. */
export const literal = (value: unknown): Node => ({ kind: 'literal', value })

/** Joins parts to one text; a single part stays itself only where the caller says so. */
export function textOf(parts: readonly Node[]): Node {
  if (parts.length === 0) return literal('')
  const [first] = parts
  if (parts.length === 1 && first?.kind === 'literal' && typeof first.value === 'string') return first
  return { kind: 'text', parts }
}
