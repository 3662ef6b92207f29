import { definitionSize } from '@platform/contracts'

/** Measured: what a value costs when it is compiled, a word of an expression, and a character of the text it was. */
const VALUE_BYTES = 280
const WORD_BYTES = 120
const CHARACTER_BYTES = 3

/** About the bytes of memory a definition of so many characters takes once it is compiled. */
export function compiledBytes(definition: unknown, length: number): number {
  const { values, words } = definitionSize(definition)
  return VALUE_BYTES * values + WORD_BYTES * words + CHARACTER_BYTES * length
}
