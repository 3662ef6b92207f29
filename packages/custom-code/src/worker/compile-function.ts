import {
  type AnyNode,
  type Declaration,
  type ExportDefaultDeclaration,
  type ExportNamedDeclaration,
  type Expression,
  type Identifier,
  type ImportDeclaration,
  type Literal,
  type Options,
  type Program,
  parse,
} from 'acorn'
import type { FunctionCode } from '../custom-code.ts'
import { InvalidCode, placeIn } from './call-engine.ts'
import { namedParameters } from './exported-function.ts'
import { requireAllowed } from './libraries.ts'
import { Edits, eachNode } from './source-text.ts'
import { asWritten, type Place, stripTypes } from './strip-types.ts'

/** A function, ready to be compiled by an isolate. */
export interface CompiledFunction {
  /** The value of this script is a function; its first line is ours, the text of the author begins on the second. */
  readonly script: string
  /** What it imports, by the names that it gives. */
  readonly imports: readonly string[]
  /** The parameters that the exported function takes one by one; undefined where it takes all in one object. */
  readonly named: readonly string[] | undefined
  /** The place in what the author has written that stands behind one of the script. */
  readonly originOf: (place: Place) => Place
}

/** One more would be nobody's own writing, and parsing it takes long. */
const MOST_CHARACTERS = 1_000_000

/** Throws InvalidCode. `libraries` are those that may be imported at all. */
export function compileFunction(code: FunctionCode, libraries: readonly string[]): CompiledFunction {
  if (code.code.length > MOST_CHARACTERS)
    throw new InvalidCode({
      message: `The code has more than ${MOST_CHARACTERS} characters: make it shorter.`,
    })
  for (const name of code.dependencies) requireAllowed(name, libraries)
  const { text, originOf } = code.language === 'typescript' ? stripTypes(code.code) : asWritten(code.code)
  try {
    return { ...compileText(text, code, libraries), originOf }
  } catch (error) {
    throw error instanceof InvalidCode ? error.at(originOf) : error
  }
}

function compileText(
  text: string,
  code: FunctionCode,
  libraries: readonly string[],
): Omit<CompiledFunction, 'originOf'> {
  const { program, isModule } = parsed(text)
  const imports = new Set(code.dependencies)
  const edits = new Edits(text)
  const head: string[] = []
  const tail: string[] = []
  eachNode(program, (node) => {
    const name = importedBy(node)
    if (name !== undefined) {
      requireAllowed(name, libraries, placeIn(text, node.start))
      imports.add(name)
    }
    if (node.type === 'ImportExpression') edits.replace(node.start, node.start + 'import'.length, '$$late')
    if (node.type === 'MetaProperty' && node.meta.name === 'import')
      throw new InvalidCode({ message: 'import.meta says nothing here.', ...placeIn(text, node.start) })
  })
  for (const node of program.body) moveModuleSyntax(node, text, edits, head, tail)
  return {
    script: scriptOf(edits.result(), parametersIn(code.parameterNames), isModule, head, tail),
    imports: [...imports],
    named: namedParameters(program, code.parameterNames),
  }
}

const OPTIONS: Omit<Options, 'sourceType'> = {
  ecmaVersion: 'latest',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowHashBang: true,
}

/** A body may be written for either mode; what imports or exports is strict. */
function parsed(text: string): { program: Program; isModule: boolean } {
  try {
    const program = parse(text, { ...OPTIONS, sourceType: 'module' })
    return { program, isModule: program.body.some(({ type }) => /^(?:Im|Ex)port/.test(type)) }
  } catch (error) {
    try {
      return { program: parse(text, { ...OPTIONS, sourceType: 'script' }), isModule: false }
    } catch {
      throw invalid(error)
    }
  }
}

function invalid(error: unknown): InvalidCode {
  const { message, loc } = error as { message: string; loc?: { line: number; column: number } }
  if (loc === undefined) return new InvalidCode({ message })
  const sentence = message.replace(/ \(\d+:\d+\)$/, '')
  return new InvalidCode({ message: sentence, line: loc.line, column: loc.column + 1 })
}

/** The name that a node imports by, where it is written down. */
function importedBy(node: AnyNode): string | undefined {
  if (node.type === 'ImportDeclaration') return String(node.source.value)
  if (node.type === 'ImportExpression') return literal(node.source)
  const isRequire =
    node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require'
  const [argument] = isRequire ? node.arguments : []
  return argument === undefined || argument.type === 'SpreadElement' ? undefined : literal(argument)
}

const literal = (node: Expression): string | undefined =>
  node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined

/** Takes imports and exports out of the text, and says what they mean before and behind it. */
function moveModuleSyntax(node: AnyNode, text: string, edits: Edits, head: string[], tail: string[]): void {
  if (node.type === 'ImportDeclaration') {
    head.push(importing(node))
    edits.blank(node.start, node.end)
  }
  if (node.type === 'ExportDefaultDeclaration') moveDefault(node, text, edits, tail)
  if (node.type === 'ExportNamedDeclaration') moveNamed(node, text, edits, tail)
  if (node.type === 'ExportAllDeclaration') throw exportsOthers(text, node.start)
}

const exportsOthers = (text: string, at: number) =>
  new InvalidCode({ message: 'A function exports what it declares itself.', ...placeIn(text, at) })

function importing({ specifiers, source }: ImportDeclaration): string {
  const loaded = `$$load(${JSON.stringify(source.value)})`
  const [parts, whole]: [string[], string[]] = [[], []]
  for (const specifier of specifiers) {
    const { name } = specifier.local
    if (specifier.type === 'ImportNamespaceSpecifier') whole.push(`const ${name}=${loaded};`)
    else if (specifier.type === 'ImportDefaultSpecifier') parts.push(`default:${name}`)
    else parts.push(`${exportName(specifier.imported)}:${name}`)
  }
  if (specifiers.length === 0) return `${loaded};`
  return `${parts.length > 0 ? `const {${parts.join(',')}}=${loaded};` : ''}${whole.join('')}`
}

const exportName = (node: Identifier | Literal): string =>
  JSON.stringify(node.type === 'Identifier' ? node.name : node.value)

/** As long as `export default`, so that what follows stays at its column. */
const ASSIGNED = '$$.default   ='

function moveDefault(
  { declaration, start, end }: ExportDefaultDeclaration,
  text: string,
  edits: Edits,
  tail: string[],
) {
  const isDeclared = declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration'
  if (isDeclared && declaration.id !== null) {
    edits.blank(start, declaration.start)
    tail.push(`$$.default=${declaration.id.name};`)
    return
  }
  const word = /^export\s+default/.exec(text.slice(start, end))?.[0] ?? ''
  edits.replace(
    start,
    start + word.length,
    word.length === ASSIGNED.length ? ASSIGNED : `$$$$.default=${breaks(word)}`,
  )
  if (isDeclared) edits.insert(end, ';')
}

const breaks = (text: string): string => text.replace(/[^\n]/g, '')

function moveNamed(node: ExportNamedDeclaration, text: string, edits: Edits, tail: string[]): void {
  if (node.source !== null && node.source !== undefined) throw exportsOthers(text, node.start)
  const { declaration } = node
  if (declaration === null || declaration === undefined) {
    edits.blank(node.start, node.end)
    for (const { local, exported } of node.specifiers)
      if (local.type === 'Identifier') tail.push(`$$[${exportName(exported)}]=${local.name};`)
    return
  }
  edits.blank(node.start, declaration.start)
  for (const name of namesIn(declaration)) tail.push(`$$.${name}=${name};`)
}

const namesIn = (declaration: Declaration): string[] =>
  declaration.type === 'VariableDeclaration'
    ? declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? id.name : []))
    : [declaration.id.name]

const RESERVED = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return ' +
    'static super switch this throw true try typeof var void while with yield await eval arguments'
  ).split(' '),
)

/** Those that can be names of variables; the others are in `parameters` only. */
const parametersIn = (names: readonly string[]): string[] => [...new Set(names)].filter(isVariableName)

const VARIABLE = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

const isVariableName = (name: string): boolean => VARIABLE.test(name) && !RESERVED.has(name)

/** The names of modules of either kind; `import()` comes later than `import`. */
const EXPORTS = 'const exports=module.exports,$$late=async(name)=>$$load(name);'

/**
 * The body is a function in a function, so that it may declare again what is a parameter. What stands before it is one
 * line.
 */
function scriptOf(
  body: string,
  names: readonly string[],
  isModule: boolean,
  head: string[],
  tail: string[],
): string {
  const mode = isModule ? '"use strict";' : ''
  const before = `(function(parameters,require,$$load,module,$$){${mode}${EXPORTS}${head.join('')}`
  return `${before}return(async({${names.join(',')}})=>(async()=>{\n${body}\n;${tail.join('')}})())(parameters)})`
}
