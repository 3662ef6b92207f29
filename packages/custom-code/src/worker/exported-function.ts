import type { AnyNode, Pattern, Program } from 'acorn'

/** Where the exported function names only parameters that are declared, it takes them one by one. */
export function namedParameters(program: Program, declared: readonly string[]): string[] | undefined {
  const exported = exportedFunction(program)
  if (exported === undefined || exported.length === 0) return undefined
  const names = exported.map((parameter) => {
    const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter
    return target.type === 'Identifier' ? target.name : ''
  })
  return names.every((name) => declared.includes(name)) ? names : undefined
}

type Functions = Map<string, readonly Pattern[]>

/** What the function takes that is exported as the only or the default one. */
function exportedFunction({ body }: Program): readonly Pattern[] | undefined {
  const functions: Functions = new Map()
  for (const node of body) declare(node, functions)
  const exported = body.map(exportedBy).find((node) => node !== undefined)
  if (exported !== undefined) return takenBy(exported, functions)
  const named = body.filter((node) => node.type === 'ExportNamedDeclaration')
  const declaration = named.length === 1 ? named[0]?.declaration : undefined
  return declaration?.type === 'FunctionDeclaration' ? declaration.params : undefined
}

/** What a statement makes the export of the module. */
function exportedBy(node: AnyNode): AnyNode | undefined {
  if (node.type === 'ExportDefaultDeclaration') return node.declaration
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'AssignmentExpression') return undefined
  const { left, right } = node.expression
  return left.type === 'MemberExpression' && isModuleExports(left) ? right : undefined
}

function declare(node: AnyNode, functions: Functions): void {
  if (node.type === 'FunctionDeclaration' && node.id !== null) functions.set(node.id.name, node.params)
  if (node.type !== 'VariableDeclaration') return
  for (const { id, init } of node.declarations)
    if (
      id.type === 'Identifier' &&
      (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression')
    )
      functions.set(id.name, init.params)
}

const isModuleExports = (node: { object: AnyNode; property: AnyNode }): boolean => {
  const { object, property } = node
  if (object.type !== 'Identifier' || property.type !== 'Identifier') return false
  return object.name === 'module'
    ? property.name === 'exports'
    : object.name === 'exports' && property.name === 'default'
}

function takenBy(node: AnyNode, functions: Functions): readonly Pattern[] | undefined {
  if (node.type === 'Identifier') return functions.get(node.name)
  const isFunction =
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  return isFunction ? node.params : undefined
}
