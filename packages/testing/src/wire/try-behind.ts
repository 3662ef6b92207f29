import type { WireAnswer } from './read-answers.ts'
import { sendRow } from './send-row.ts'
import { get, type WireRow, type WireTarget } from './wire-row.ts'

/** Paths of the requests that reached the application whole, oldest first. */
type Arrived = readonly string[]

/** A proxy waits for the rest of what it takes for half a request: few rows are to wait for long. */
const PATIENCE_MS = 1000
/** For rows that were not answered in time, which says nothing on a machine that does much else. */
const LONG_PATIENCE_MS = 6000

/**
 * Sends rows to a proxy in front of a gateway, one after the other, and looks for a disagreement between the two:
 * good answers on the wire are those to the requests that reached the application, in their order, and the next
 * client gets its own. What is hidden may reach it only where the proxy itself has read two requests, and then has
 * two answers. Resolves with one line for each row where that is not so.
 */
export async function tryBehind(
  rows: readonly WireRow[],
  to: WireTarget,
  arrived: Arrived,
): Promise<string[]> {
  const problems: string[] = []
  for (const [index, row] of rows.entries()) {
    const attempt = (path: string, patienceMs: number) =>
      problemsOf(row, { ...to, path: `${to.path}/${path}` }, arrived, patienceMs).catch(
        (error: Error): Problems => ({ isLate: false, problems: [error.message] }),
      )
    let { isLate, problems: found } = await attempt(`row-${index}`, PATIENCE_MS)
    if (isLate && found.length > 0) ({ problems: found } = await attempt(`late-${index}`, LONG_PATIENCE_MS))
    if (found.length > 0) problems.push(`${row.name} (${row.rule}): ${found.join('; ')}`)
  }
  return problems
}

interface Problems {
  /** Not everything was answered for as long as was waited. */
  readonly isLate: boolean
  readonly problems: readonly string[]
}

async function problemsOf(
  row: WireRow,
  to: WireTarget,
  arrived: Arrived,
  patienceMs: number,
): Promise<Problems> {
  const before = arrived.length
  const { answers, rest, silent: isLate } = await sendRow(row, to, patienceMs)
  const came = arrived.slice(before).filter((url) => !url.endsWith('?last'))
  const good = answers.filter(({ status }) => status < 400)
  const problems: string[] = []
  if (row.mayBeFewer === true ? good.length > came.length : good.length !== came.length)
    problems.push(`${good.length} good answers, ${came.length} requests at the application`)
  if (row.isHead !== true && good.some((answer, at) => pathOf(answer) !== came[at]))
    problems.push(`answered ${good.map(pathOf)}, but asked ${came}`)
  if (answers.length < 2 && came.some((url) => url.endsWith('/smuggled')))
    problems.push('the hidden request was passed on')
  if (rest !== '') problems.push(`bytes that are no answer: ${JSON.stringify(rest.slice(0, 80))}`)
  return { isLate, problems: [...problems, ...(await problemsOfNext(to))] }
}

/** The path the application says it was asked for. */
const pathOf = ({ body }: WireAnswer): string | undefined => /"path":"([^"]*)"/.exec(body)?.[1]

/** Whoever comes next, over a connection that the proxy may have used for the row. */
async function problemsOfNext(to: WireTarget): Promise<string[]> {
  const path = `${to.path}/next`
  const { answers } = await sendRow({ bytes: get(), answers: [[]] }, { ...to, path })
  const isOwn = answers.length === 1 && answers[0]?.body.includes(`"${path}"`) === true
  return isOwn
    ? []
    : [`the next client got ${JSON.stringify(answers.map(({ status, body }) => [status, body]))}`]
}
