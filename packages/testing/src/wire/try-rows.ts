import { ordinaryStatuses, outcomeProblems } from './judge.ts'
import { sendRow, type WireOutcome } from './send-row.ts'
import type { WireRow, WireTarget } from './wire-row.ts'

/** What rows found at a listener. */
export interface WireReport {
  sent: number
  /** One line for each row that was not kept, by its kind. */
  problems: Record<WireRow['kind'], string[]>
}

type Arrivals = (path: string) => number

const AT_ONCE = 8

/**
 * Sends rows to a listener, each on a connection and a path of its own, some at a time. `arrivals` counts what
 * reached the application under a path, where that can be seen: as many requests as the row was given answers to
 * ordinary ones, and never a hidden one.
 */
export async function tryRows(
  rows: readonly WireRow[],
  to: WireTarget,
  arrivals?: Arrivals,
): Promise<WireReport> {
  const ordinary = await ordinaryStatuses(to)
  const report: WireReport = { sent: rows.length, problems: { security: [], strict: [], lenient: [] } }
  const waiting = rows.map((row, index) => ({ row, to: { ...to, path: `${to.path}/row-${index}` } }))
  const work = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const problems = await problemsOf(one.row, one.to)
      if (problems.length > 0)
        report.problems[one.row.kind].push(`${one.row.name} (${one.row.rule}): ${problems.join('; ')}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return report

  async function problemsOf(row: WireRow, target: WireTarget): Promise<string[]> {
    try {
      const outcome = await sendRow(row, target)
      const problems = outcomeProblems(whereBodiesStay(row, target), outcome, ordinary)
      return arrivals === undefined
        ? problems
        : [...problems, ...passedOn(row, outcome, target.path, arrivals)]
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  }
}

const whereBodiesStay = (row: WireRow, to: WireTarget): WireRow =>
  to.leavesBodies === true && row.end === 'kept' && /\nTransfer-Encoding:/i.test(row.bytes(to))
    ? { ...row, end: 'either', mayBeFewer: true }
    : row

function passedOn(row: WireRow, { answers }: WireOutcome, path: string, arrivals: Arrivals): string[] {
  if (arrivals(`${path}/smuggled`) > 0) return ['the hidden request was passed on']
  const isRefused = row.kind === 'security' && row.mayBeFewer !== true
  const wasServed = answers.some(({ status }) => status < 400)
  return isRefused && !wasServed && arrivals(path) > 0 ? ['the refused request was passed on'] : []
}
