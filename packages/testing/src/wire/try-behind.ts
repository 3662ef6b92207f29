import { sendRow } from './send-row.ts'
import { get, type WireRow, type WireTarget } from './wire-row.ts'

/** Paths of the requests that reached the application whole, oldest first. */
type Arrived = readonly string[]

/** A proxy waits for the rest of what it takes for half a request. */
const PATIENCE_MS = 1000

/**
 * Sends rows to a proxy in front of a gateway, one after the other, and looks for a disagreement between the two: as many good answers
 * on the wire as requests that reached the application, and the next client gets its own answer. What is hidden may reach it only
 * where the proxy itself has read two requests, and then has two answers. Resolves with one line for each row where that is not so.
 */
export async function tryBehind(
  rows: readonly WireRow[],
  to: WireTarget,
  arrived: Arrived,
): Promise<string[]> {
  const problems: string[] = []
  for (const [index, row] of rows.entries()) {
    const path = `${to.path}/row-${index}`
    const found = await problemsOf(row, { ...to, path }, arrived).catch((error: Error) => [error.message])
    if (found.length > 0) problems.push(`${row.name} (${row.rule}): ${found.join('; ')}`)
  }
  return problems
}

async function problemsOf(row: WireRow, to: WireTarget, arrived: Arrived): Promise<string[]> {
  const before = arrived.length
  const { answers, rest } = await sendRow(row, to, PATIENCE_MS)
  const came = arrived.slice(before).filter((url) => !url.endsWith('?last')).length
  const good = answers.filter(({ status }) => status < 400).length
  const problems: string[] = []
  if (row.mayBeFewer === true ? good > came : good !== came)
    problems.push(`${good} good answers, ${came} requests at the application`)
  if (rest !== '') problems.push(`bytes that are no answer: ${JSON.stringify(rest.slice(0, 80))}`)
  return [...problems, ...(await problemsOfNext(to))]
}

/** Whoever comes next, over a connection that the proxy may have used for the row. */
async function problemsOfNext(to: WireTarget): Promise<string[]> {
  const path = `${to.path}/next`
  const { answers } = await sendRow({ bytes: get(), answers: [[]] }, { ...to, path })
  const isOwn = answers.length === 1 && answers[0]?.body.includes(`"${path}"`) === true
  return isOwn
    ? []
    : [`the next client got ${JSON.stringify(answers.map(({ status, body }) => [status, body]))}`]
}
