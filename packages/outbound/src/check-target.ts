import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type AddressCheck, bareHost, parsed } from './address.ts'
import { guardedLookup, type Refusal } from './guarded-lookup.ts'

/**
 * Answers what is asked of a proxy for a host: its address once that has passed, or its name where the proxy resolves
 * names. Rejects with OutboundRefused, or as the look-up does.
 */
export type CheckTarget = (host: string) => Promise<string>

interface Needs {
  readonly isAllowed: AddressCheck
  readonly isForbiddenName: (host: string) => boolean
  readonly refusal: Refusal
  readonly lookup: LookupFunction
  readonly proxyResolvesNames: boolean
}

export const targetCheck =
  ({ isAllowed, isForbiddenName, refusal, lookup, proxyResolvesNames }: Needs): CheckTarget =>
  async (hostname) => {
    const host = bareHost(hostname)
    if (isForbiddenName(host)) throw refusal(hostname)
    if (parsed(host) !== undefined || host.includes(':')) {
      if (isAllowed(hostname, host)) return host
      throw refusal(hostname)
    }
    return proxyResolvesNames ? host : await resolved(guardedLookup(lookup, isAllowed, refusal), host)
  }

const resolved = (lookup: LookupFunction, host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      const [first] = found as unknown as LookupAddress[]
      if (error === null && first !== undefined) resolve(first.address)
      else reject(error ?? new Error(`${host} has no address.`))
    })
  })
