import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { InvalidCode } from './call-engine.ts'

/** What scripts/bundle-libraries.ts made: the libraries of functions, and what stands around a function. */
const folder = fileURLToPath(new URL('../../libraries/', import.meta.url))

const texts = new Map<string, string>()

/** The text of a library, as a script whose value has a function for each of its modules. */
export function libraryText(name: string): string {
  let text = texts.get(name)
  if (text === undefined) {
    text = readFileSync(`${folder}${name}.library.js`, 'utf8')
    texts.set(name, text)
  }
  return text
}

/** The library that a module belongs to: `dayjs` of `dayjs/plugin/utc`. */
export const libraryOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name

/** Throws InvalidCode with the remedy where a module is of none of the libraries. */
export function requireAllowed(
  name: string,
  libraries: readonly string[],
  place: { line?: number; column?: number } = {},
): void {
  if (libraries.includes(libraryOf(name))) return
  const remedy =
    libraries.length === 0 ? 'none is allowed' : `choose from ${[...libraries].sort().join(', ')}`
  const message = `Functions can't import "${name}": ${remedy}.`
  throw new InvalidCode({ message, ...place }, 'dependencyNotAllowed')
}
