import type { Step } from './step.ts'

/** The app that is part of the platform: what stands behind the dot is `run`, or the name of a function. */
const BUILT_IN = 'Custom Code.'

/** The function behind a key of a step such as `Custom Code.total`; undefined for `Custom Code.run` and other keys. */
export function functionOfKey(key: string): string | undefined {
  const name = key.startsWith(BUILT_IN) ? key.slice(BUILT_IN.length) : 'run'
  return name === 'run' ? undefined : name
}

/** The function that a step calls as it is written, and where that stands in its arguments. */
export function calledFunction({
  name,
  arguments: args,
}: Pick<Step, 'name' | 'arguments'>):
  | { readonly name: string; readonly path: readonly string[] }
  | undefined {
  const direct = functionOfKey(name)
  if (direct !== undefined) return { name: direct, path: [] }
  if (name !== `${BUILT_IN}run`) return undefined
  const written: unknown = Object(args).function
  return { name: typeof written === 'string' ? written : '', path: ['function'] }
}
