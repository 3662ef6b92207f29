/** Every function of the language, as its users write it. */
export const functionNames = [
  'abs', 'base64', 'ceil', 'date', 'deepmerge', 'elapsed', 'floor', 'isArray', 'isNumber', 'isObject', 'isString',
  'join', 'json', 'jsonmatch', 'length', 'lower', 'max', 'min', 'number', 'rand', 'regex', 'replace', 'round',
  'sanitize', 'slice', 'split', 'truncate', 'unsafejson', 'upper', 'URL', 'URLSearchParams', 'uuid',
] as const // biome-ignore format: a word list

/** The name of a function of the language. */
export type FunctionName = (typeof functionNames)[number]

const known: ReadonlySet<string> = new Set(functionNames.map((name) => name.toLowerCase()))

/** Function names are found whatever their case, because existing automations write REGEX and isArray alike. */
export function isFunctionName(name: string): boolean {
  return known.has(name.toLowerCase())
}

/** Where `split` is given none, none is guessed. */
export const NO_SEPARATOR =
  'split() needs a separator as its second parameter, for example split({{text}}, ",").'
