import type { LookupFunction } from 'node:net'
import type { AddressCheck } from './address.ts'
import { bareHost, parsed } from './address.ts'
import { OutboundRefused } from './callable.ts'
import { guardedLookup, type Refusal } from './guarded-lookup.ts'

/** A question is answered soon; a name that is slow to resolve is not known to be refused. */
const ANSWER_MS = 1000
/** Names that are resolved for questions at once: the resolver of the system serves few, and calls need it too. */
const LOOKUPS = 2

/**
 * Says before a call why it would be refused; undefined where nothing is known against the address.
 */
export function expectedRefusal(needs: {
  isAllowed: AddressCheck
  refusal: Refusal
  lookup: LookupFunction
}): (url: URL) => Promise<string | undefined> {
  const lookup = guardedLookup(needs.lookup, needs.isAllowed, needs.refusal)
  let underWay = 0
  return ({ hostname }) => {
    if (parsed(hostname) !== undefined)
      return Promise.resolve(
        needs.isAllowed(hostname, bareHost(hostname)) ? undefined : needs.refusal(hostname).message,
      )
    if (underWay >= LOOKUPS) return Promise.resolve(undefined)
    underWay += 1
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ANSWER_MS, undefined)
      lookup(hostname, { all: true }, (error) => {
        underWay -= 1
        clearTimeout(timer)
        resolve(error instanceof OutboundRefused ? error.message : undefined)
      })
    })
  }
}
