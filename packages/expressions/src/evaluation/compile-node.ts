import { ExpressionError } from '../expression-error.ts'
import { functions } from '../functions/registry.ts'
import { grow, type Run, readMember, readRoot, scan, spend } from '../run.ts'
import { literal, type Node } from '../syntax/nodes.ts'
import { Pattern, readPattern } from '../values/pattern.ts'
import { isDeniedName, readProperty } from '../values/properties.ts'
import { toText } from '../values/text.ts'
import { binaryOperators, logicOperators, unaryOperators } from './operators.ts'

/** A node turned into a function: the tree is walked once, not at every evaluation. */
export type Evaluate = (run: Run) => unknown

type Compilers = { [Kind in Node['kind']]: (node: Extract<Node, { kind: Kind }>) => Evaluate }

const compilers: Compilers = {
  literal:
    ({ value }) =>
    () =>
      value,
  variable:
    ({ name }) =>
    (run) =>
      readRoot(run, name),
  word: ({ keys }) => compileWord(keys),
  member: (node) => compileMember(node.target, node.key),
  call: (node) => compileCall(node.name, node.parameters, node.offset),
  regex: ({ pattern, flags }) => compileRegex(compileNode(pattern), flags),
  array: ({ items }) => compileArray(items.map(compileNode)),
  object: ({ entries }) =>
    compileObject(entries.map(([key, value]) => [compileNode(key), compileNode(value)])),
  text: ({ parts }) => compileText(parts.map(compileNode)),
  group: ({ inner }) => compileNode(inner),
  unary: (node) => compileUnary(unaryOperators[node.operator], compileNode(node.operand)),
  binary: (node) => compileBinary(node),
  conditional: (node) =>
    compileConditional(compileNode(node.test), compileNode(node.yes), compileNode(node.no)),
}

/** Turns a parsed node into a function of a run. */
export function compileNode(node: Node): Evaluate {
  const compile = compilers[node.kind] as (node: Node) => Evaluate
  return compile(node)
}

// A bare word is the variable of that name where there is one, else the text itself: `salut == salut`.
function compileWord(keys: readonly string[]): Evaluate {
  const [root = '', ...path] = keys
  const text = keys.join('.')
  return (run) => {
    const value = readRoot(run, root)
    return value === undefined ? text : path.reduce(readProperty, value)
  }
}

/** What is looked for is a text: `foo in {{list}}`, whatever a variable of that name may hold. */
const asText = (node: Node): Node => (node.kind === 'word' ? literal(node.keys.join('.')) : node)

function compileMember(target: Node, key: Node): Evaluate {
  if (key.kind !== 'literal') return compileDynamicMember(compileNode(target), compileNode(key))
  const name = String(key.value)
  if (target.kind !== 'variable') {
    const read = compileNode(target)
    return (run) => readProperty(read(run), name)
  }
  const root = target.name
  return (run) => readMember(run, root, name)
}

function compileDynamicMember(target: Evaluate, key: Evaluate): Evaluate {
  return (run) => {
    const found = key(run)
    if (typeof found !== 'string' && typeof found !== 'number') return undefined
    const name = String(found)
    scan(run, name.length)
    return readProperty(target(run), name)
  }
}

function compileCall(name: string, parameters: readonly Node[], offset: number): Evaluate {
  const call = functions.get(name)
  if (call === undefined) throw new ExpressionError(`There is no function named "${name}".`, offset)
  const read = parameters.map(compileNode)
  return (run) => {
    spend(run, 1)
    return call(
      read.map((parameter) => parameter(run)),
      run,
    )
  }
}

function compileRegex(read: Evaluate, flags: string | undefined): Evaluate {
  return (run) => {
    const source = read(run)
    if (source === undefined || source === null || source instanceof Pattern) return source
    const text = toText(source, run)
    return readPattern(flags === undefined || text === '' ? text : `/${text}/${flags}`, run)
  }
}

function compileArray(items: readonly Evaluate[]): Evaluate {
  return (run) => items.map((item) => item(run))
}

function compileObject(entries: readonly (readonly [Evaluate, Evaluate])[]): Evaluate {
  return (run) => {
    const result: Record<string, unknown> = {}
    for (const [readKey, readValue] of entries) {
      const key = toText(readKey(run), run)
      if (isDeniedName(key)) throw new ExpressionError(`"${key}" cannot be the key of an object.`)
      grow(run, key.length)
      result[key] = readValue(run)
    }
    return result
  }
}

function compileText(parts: readonly Evaluate[]): Evaluate {
  return (run) => {
    let text = ''
    for (const part of parts) {
      const next = toText(part(run), run)
      grow(run, next.length)
      text += next
    }
    return text
  }
}

function compileUnary(operate: (operand: unknown, run: Run) => unknown, operand: Evaluate): Evaluate {
  return (run) => operate(operand(run), run)
}

function compileBinary(node: Extract<Node, { kind: 'binary' }>): Evaluate {
  const left = compileNode(node.operator === 'in' ? asText(node.left) : node.left)
  const right = compileNode(node.right)
  if (node.operator === 'and' || node.operator === 'or') return logicOperators[node.operator](left, right)
  const operate = binaryOperators[node.operator]
  return (run) => {
    spend(run, 1)
    return operate(left(run), right(run), run)
  }
}

function compileConditional(test: Evaluate, yes: Evaluate, no: Evaluate): Evaluate {
  return (run) => (test(run) ? yes(run) : no(run))
}
