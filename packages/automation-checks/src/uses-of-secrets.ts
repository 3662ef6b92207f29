import {
  type ComputedVariable,
  computedInExpression,
  computedInTemplate,
  ExpressionError,
} from '@platform/expressions'
import { isRecord } from '@platform/kernel'
import { type Path, type PlacedStep, walkSteps } from '@platform/source-texts'

/** A place where an automation takes a reference to a secret for the secret itself. */
export interface UseOfReference {
  readonly path: Path
  readonly message: string
}

const CONTEXT = 'secret'
/** Modules that compute, and the parameters in which they take the value of a secret. */
const computing: Readonly<Record<string, ReadonlySet<string>>> = {
  crypto: new Set(['key', 'expected']),
  text: new Set(),
}

/** Where expressions and modules of an automation compute with `{{secret.…}}`, which they see as a reference. */
export function* usesOfReferences(definition: {
  readonly do?: unknown
  readonly output?: unknown
}): Generator<UseOfReference> {
  for (const placed of walkSteps(definition.do, ['do'])) yield* usesInStep(placed)
  yield* usesInTexts(definition.output, ['output'])
}

/** Steps inside of it are steps of their own. */
function* usesInStep({ step, argumentsPath: path }: PlacedStep): Generator<UseOfReference> {
  if (step === undefined || ['comment', 'all', 'try'].includes(step.name)) return
  const given = step.arguments
  if (!isRecord(given)) yield* usesInTexts(given, path)
  else if (step.name === 'conditions') yield* usesInConditions(given, path)
  else if (step.name === 'repeat') yield* usesInRepeat(given, path)
  else yield* usesInTexts(given, path)
  if (step.name === 'run' && isRecord(given)) yield* usesInParameters(given, path)
}

function* usesInConditions(given: Readonly<Record<string, unknown>>, path: Path): Generator<UseOfReference> {
  for (const key of Object.keys(given)) if (key !== 'default') yield* usesInExpression(key, [...path, key])
}

function* usesInRepeat(given: Readonly<Record<string, unknown>>, path: Path): Generator<UseOfReference> {
  const { do: _steps, until, ...others } = given
  if (typeof until === 'string') yield* usesInExpression(until, [...path, 'until'])
  yield* usesInTexts(others, path)
}

/** What is handed to a module that computes, where it takes no reference. */
function* usesInParameters(given: Readonly<Record<string, unknown>>, path: Path): Generator<UseOfReference> {
  const { module, parameters } = given
  const taken = computing[String(module)]
  if (taken === undefined || !isRecord(parameters)) return
  for (const [name, value] of Object.entries(parameters)) {
    const text = typeof value === 'string' ? value : ''
    const [whole] = /\{\{\s*secret\s*[.[][^}]*\}\}/.exec(text) ?? []
    if (whole === undefined || taken.has(name)) continue
    const message = `${whole} is a reference here, and "${name}" is taken as it is written. ${REMEDY}`
    yield { path: [...path, 'parameters', name], message }
  }
}

function* usesInTexts(value: unknown, path: Path): Generator<UseOfReference> {
  if (typeof value === 'string') yield* usesOf(() => computedInTemplate(value), value, path)
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* usesInTexts(item, [...path, index])
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) {
      yield* usesInTexts(key, [...path, key])
      yield* usesInTexts(item, [...path, key])
    }
}

const usesInExpression = (source: string, path: Path) =>
  usesOf(() => computedInExpression(source), source, path)

const REMEDY =
  'Compare with a secret by crypto.equals, sign with one by crypto.hmac, and leave everything else to the fetch that ' +
  'sends it.'

function* usesOf(list: () => ComputedVariable[], text: string, path: Path): Generator<UseOfReference> {
  if (!text.includes(CONTEXT)) return
  for (const { name, key, by } of found(list)) {
    if (name !== CONTEXT) continue
    const written = key === undefined ? '{{secret}}' : `{{secret.${key}}}`
    const message = `${written} is a reference here, of which ${by} sees the text and not the value. ${REMEDY}`
    yield { path, message }
  }
}

/** What can't be read is refused elsewhere. */
function found(list: () => ComputedVariable[]): ComputedVariable[] {
  try {
    return list()
  } catch (error) {
    if (error instanceof ExpressionError) return []
    throw error
  }
}
