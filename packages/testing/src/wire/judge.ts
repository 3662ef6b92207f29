import { sendRow, type WireOutcome } from './send-row.ts'
import { get, post, type Status, type WireRow, type WireTarget } from './wire-row.ts'

/** What an ordinary GET and an ordinary POST are answered at a target. */
export type OrdinaryStatuses = Readonly<Record<'get' | 'post', number>>

/**
 * Asks a target what it answers to ordinary requests. Rejects when it refuses them: nothing could be told from its
 * rows then.
 */
export async function ordinaryStatuses(to: WireTarget): Promise<OrdinaryStatuses> {
  const statusOf = async (bytes: WireRow['bytes']) => {
    const { answers, closed } = await sendRow({ bytes, answers: [[]] }, to)
    const status = answers[0]?.status ?? 0
    if (closed || answers.length !== 1 || status === 400 || status >= 500 || status === 0)
      throw new Error(`An ordinary request is answered ${status}: ${answers[0]?.body}`)
    return status
  }
  return { get: await statusOf(get()), post: await statusOf(post(['Content-Length: 1'], 'a')) }
}

/** What is wrong with an outcome; empty when the row is kept. */
export function outcomeProblems(row: WireRow, outcome: WireOutcome, ordinary: OrdinaryStatuses): string[] {
  const { answers, closed, rest, silent } = outcome
  const problems: string[] = []
  const isCount =
    row.mayBeFewer === true ? answers.length <= row.answers.length : answers.length === row.answers.length
  if (!isCount) problems.push(`${answers.length} answers to ${row.answers.length} requests`)
  if (silent) problems.push('neither answered nor closed')
  if (rest !== '') problems.push(`bytes that are no answer: ${JSON.stringify(rest.slice(0, 100))}`)
  answers.forEach(({ status }, index) => {
    if (!mayBe(status, row.answers[index], ordinary)) problems.push(`answer ${index + 1} is ${status}`)
  })
  if (row.end === 'closed' && !closed) problems.push('the connection is still open')
  if (row.end === 'kept' && closed) problems.push('the connection was closed')
  return problems
}

const mayBe = (status: number, allowed: readonly Status[] = [], ordinary: OrdinaryStatuses): boolean =>
  allowed.some((one) => status === (typeof one === 'number' ? one : ordinary[one]))
