import type { z } from 'zod'
import { isTemplate } from '../instructions/templated.ts'
import { collectionsModule } from './collections.ts'
import { cryptoModule } from './crypto.ts'
import type { ModuleDescription, ModuleFunction } from './module.ts'
import { secretsModule } from './secrets.ts'
import { textModule } from './text.ts'

/** Every module that `run` knows, by its name. */
export const modules = {
  text: textModule,
  crypto: cryptoModule,
  secrets: secretsModule,
  collections: collectionsModule,
} as const satisfies Readonly<Record<string, ModuleDescription>>

export type ModuleName = keyof typeof modules

/** A function of a module, or a sentence that says what there is instead. */
export type FoundFunction = { readonly found: ModuleFunction } | { readonly missing: string }

export function findModuleFunction(module: string, name: string): FoundFunction {
  const described: Readonly<Record<string, ModuleDescription>> = modules
  if (!Object.hasOwn(described, module))
    return {
      missing: `There is no module "${module.slice(0, 100)}": use ${Object.keys(described).join(', ')}.`,
    }
  const { functions = {} } = described[module] ?? {}
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (found !== undefined) return { found }
  const known = Object.keys(functions).join(', ')
  return { missing: `The module "${module}" has no function "${name.slice(0, 100)}": it has ${known}.` }
}

/** What is the matter with a call of a module as it is written, and where in its arguments. */
export interface ModuleCallProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** It means nothing, and a run passes over it; else a run fails there. */
  readonly isIgnored: boolean
}

/** The problems of the arguments of a `run` that do not depend on what a template gives. */
export function checkModuleCall(args: unknown): ModuleCallProblem[] {
  const { module, function: name, parameters } = Object(args) as Record<string, unknown>
  if (!isLiteral(module) || !isLiteral(name)) return []
  const known = findModuleFunction(module, name)
  if ('missing' in known) return [{ path: [], message: known.missing, isIgnored: false }]
  if (isTemplated(parameters)) return []
  const given = parameters ?? {}
  const result = known.found.parameters.safeParse(given)
  const issues = result.success ? [] : result.error.issues
  return issues
    .filter((issue) => !dependsOnTemplate(given, issue.path))
    .map(({ path, message, code }) => ({
      path: ['parameters', ...path.map((key) => (typeof key === 'number' ? key : String(key)))],
      message,
      isIgnored: code === 'unrecognized_keys',
    }))
}

/** The parameters as a function takes them: without the words that mean nothing. */
export function parseParameters({ parameters }: ModuleFunction, given: unknown) {
  const parsed = parameters.safeParse(given)
  const unknown = parsed.success ? [] : parsed.error.issues.filter(isUnknownWord)
  return unknown.length === 0 ? parsed : parameters.safeParse(withoutWords(given, unknown))
}

type Issue = z.core.$ZodIssue
type UnknownWord = Extract<Issue, { code: 'unrecognized_keys' }>

const isUnknownWord = (issue: Issue): issue is UnknownWord => issue.code === 'unrecognized_keys'

function withoutWords(given: unknown, unknown: readonly UnknownWord[]): unknown {
  const copy: unknown = structuredClone(given)
  for (const { path, keys } of unknown) {
    let place = copy
    for (const key of path) place = Object(place)[key]
    if (typeof place === 'object' && place !== null)
      for (const key of keys) Reflect.deleteProperty(place, key)
  }
  return copy
}

const isLiteral = (value: unknown): value is string => typeof value === 'string' && !isTemplate(value)

const isTemplated = (value: unknown): boolean => typeof value === 'string' && isTemplate(value)

/** True where the problem is with a value that is not there yet, or with one of its parts. */
function dependsOnTemplate(given: unknown, path: readonly PropertyKey[]): boolean {
  let value = given
  for (const key of path) {
    if (isTemplated(value)) return true
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  }
  return isTemplated(value) || holdsTemplateKey(value)
}

/** Names of fields may come from templates as well. */
const holdsTemplateKey = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).some(isTemplate)
