import type { ServerResponse } from 'node:http'
import { startOutside } from './outside.ts'

export type Gate = Awaited<ReturnType<typeof startGate>>

/** A server outside that answers when the test says so. */
export async function startGate() {
  const waiting = new Set<ServerResponse>()
  let isOpen = false
  let most = 0
  const letIn = (count: number) => {
    for (const response of [...waiting].slice(0, count)) response.end('{}')
  }
  const server = await startOutside((_, response) => {
    waiting.add(response)
    response.once('close', () => waiting.delete(response))
    most = Math.max(most, waiting.size)
    if (isOpen) setTimeout(() => response.end('{}'), 20)
  })
  return Object.assign(server, {
    /** How many requests wait for an answer. */
    waiting: () => waiting.size,
    /** How many waited at once at most. */
    most: () => most,
    /** Answers so many of those that wait. */
    letIn,
    /** Answers all that wait, and all that will come. */
    open() {
      isOpen = true
      letIn(waiting.size)
    },
  })
}
