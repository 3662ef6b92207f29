import type { Env } from '@platform/config'

/** Where an operator sits: what they set, and where lines go. */
export interface Terminal {
  env: Env
  print(text: string): void
  complain(text: string): void
  hasColours: boolean
  /** Asks the operator; absent where none is present, in a script for example. */
  confirm?: (question: string) => Promise<boolean>
  /** Ends what goes on for ever; without it a signal ends the process. */
  interrupted?: AbortSignal
}

/** Something the operator can mend; its message is all they are shown. */
export class OpsProblem extends Error {
  override readonly name = 'OpsProblem'
  /** What the platform answered, where it is about that. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

const codes = { red: 31, green: 32, yellow: 33, grey: 90, bold: 1 }

export type Paint = (colour: keyof typeof codes, text: string) => string

export const paintOf = ({ hasColours }: Pick<Terminal, 'hasColours'>): Paint =>
  hasColours ? (colour, text) => `\u001b[${codes[colour]}m${text}\u001b[0m` : (_, text) => text

/** Text from elsewhere on one line: it must not move the cursor or change colours. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')

/** Rows as columns of equal width, two spaces apart; the last column is as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A table below its bold title; `colourOf` a row by its position. Colours come last: they have no width. */
export function table(
  { paint, title, rows }: { paint: Paint; title: readonly string[]; rows: readonly (readonly string[])[] },
  colourOf: (at: number) => keyof typeof codes | undefined = () => undefined,
): string[] {
  const [head = '', ...lines] = columns([title, ...rows.map((row) => row.map(plain))])
  return [
    paint('bold', head),
    ...lines.map((line, at) => {
      const colour = colourOf(at)
      return colour === undefined ? line : paint(colour, line)
    }),
  ]
}

/** A time as people read it, in UTC and to the second; a dash where there is none. */
export const shownTime = (iso: string | null): string =>
  iso === null ? '-' : `${iso.slice(0, 19).replace('T', ' ')}Z`

/** 1 session, 2 sessions. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
