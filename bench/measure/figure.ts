/** One measured figure. Ratios compare two things measured in one run, interleaved. */
export interface Figure {
  name: string
  value: number
  unit: string
  /** What it is compared with, where it is a ratio. */
  against?: string
  ratio?: number
  goal?: number
  /** Missing it makes the bench fail. */
  needed?: number
  /** Bigger is better, for example events per second. */
  bigger?: boolean
}

const compared = (figure: Figure): number => figure.ratio ?? figure.value

/** True unless a figure with `needed` misses it. */
export function isOk(figure: Figure): boolean {
  if (figure.needed === undefined) return true
  return figure.bigger === true ? compared(figure) >= figure.needed : compared(figure) <= figure.needed
}

const round = (value: number | undefined): string =>
  value === undefined
    ? ''
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(2)

const cells = (one: Figure): string[] => [
  one.name,
  `${round(one.value)} ${one.unit}`,
  one.against ?? '',
  one.ratio === undefined ? '' : `${round(one.ratio)} ×`,
  round(one.goal),
  round(one.needed),
  isOk(one) ? 'ok' : 'MISSED',
]

/** One figure as a person reads it; goal and what is needed are left to the table. */
export const line = (one: Figure): string => {
  const [name, value, against, ratio, , , verdict] = cells(one)
  return [`${name}:`, value, against && `against ${against}: ${ratio}`, verdict].filter(Boolean).join('  ')
}

/** The table a person reads. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(cells)
  const all = [['figure', 'value', 'against', 'ratio', 'goal', 'needed', ''], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
