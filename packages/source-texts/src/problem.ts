/** The way to a place in a definition: keys and positions from the top. */
export type Path = readonly (string | number)[]

/** A mistake in a definition, as a sentence without its subject: "is missing". */
export interface Problem {
  path: Path
  message: string
  /** Where to look for it, when that is another place than what it is about. */
  at?: Path
  /** The mistake is the key itself, not what stands behind it. */
  onKey?: boolean
  /** Where in the text at `path` the mistake begins. */
  textOffset?: number
}

/** As callers read it. */
export interface ProblemDetail {
  line: number
  column: number
  path: string
  message: string
}

const plainKey = /^[A-Za-z_$][\w$-]*$/

/** `['do', 2, 'set', 'name']` → `do[2].set.name`; keys that are no plain words are quoted. */
export function formatPath(path: Path): string {
  let text = ''
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`
    else if (plainKey.test(segment)) text += text === '' ? segment : `.${segment}`
    else text += `[${JSON.stringify(segment)}]`
  }
  return text
}
