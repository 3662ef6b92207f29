interface Source {
  file: string
  text: string
}

const MAX_LINES = 400
const forbiddenNames = /\/(utils?|helpers?|common|shared|lib|types|core|misc)(\/|\.ts$)/

/** What must not be in a file, and why. */
const forbiddenText: [pattern: RegExp, sentence: string][] = [
  [/@ts-(ignore|nocheck|expect-error)/, 'switches the type checker off.'],
  [/synchronous_commit\s*(=|to)\s*'?off/i, 'gives up durability.'],
  // `.eval(` of another object is something else, for example a script of a cache server.
  [/((?<![.\w])|globalThis\.)eval\s*\(|\bnew Function\s*\(/, 'makes code from text.'],
]

/** Budgets of files: length, names, and what must not be in them. */
export function sizeProblems(sources: readonly Source[]): string[] {
  const production = sources.filter(({ file }) => !file.endsWith('.test.ts'))
  return [...production.flatMap(productionProblems), ...sources.flatMap(everyFileProblems)]
}

function productionProblems({ file, text }: Source): string[] {
  const lines = text.split('\n').length
  const long = lines > MAX_LINES ? [`${file} has ${lines} lines: split it, ${MAX_LINES} is the limit.`] : []
  return [
    ...long,
    ...forbiddenText.filter(([pattern]) => pattern.test(text)).map(([, sentence]) => `${file} ${sentence}`),
  ]
}

function everyFileProblems({ file, text }: Source): string[] {
  const named = forbiddenNames.test(`/${file}`)
    ? [`${file}: the name answers no question, name the thing.`]
    : []
  return /\b(it|test|describe)\.(only|todo)\b/.test(text)
    ? [...named, `${file} has an only- or todo-test.`]
    : named
}
