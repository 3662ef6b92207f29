import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { bareHost } from './address.ts'

/** Of the first question for a name; the second one waits for twice as long. */
const ANSWER_MS = 2000
const QUESTIONS = 2

/**
 * Looks names up by asking the name servers itself. The system's way occupies one of four threads of the process for
 * as long as the servers of a name are silent, and names are chosen by whoever wants to hold others up. Names that
 * only this machine or its network may know, without a dot or `isOwn`, are looked up in the system's way.
 */
export function ownLookup(isOwn: (host: string) => boolean, servers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: ANSWER_MS, tries: QUESTIONS })
  if (servers !== undefined) resolver.setServers(servers)
  return (given, options, callback) => {
    const host = bareHost(given)
    if (!host.includes('.') || host.endsWith('.localhost') || isOwn(host))
      return (systemLookup as LookupFunction)(given, options, callback)
    resolved(resolver, host).then(
      (found) => callback(null, found),
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    )
  }
}

/** The addresses of both families. Rejects as the question for IPv4 does when there are none. */
async function resolved(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [...listOf(four, 4), ...listOf(six, 6)]
  if (found.length === 0 && four.status === 'rejected') throw four.reason
  return found
}

const listOf = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
