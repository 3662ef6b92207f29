import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { importProblem } from '../importable-modules.ts'
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

/** Throws InvalidCode with the remedy where a module is of none of the libraries. */
export function requireAllowed(
  name: string,
  libraries: readonly string[],
  place: { line?: number; column?: number } = {},
): void {
  const message = importProblem(name, libraries)
  if (message === undefined) return
  throw new InvalidCode({ message, ...place }, 'dependencyNotAllowed')
}
