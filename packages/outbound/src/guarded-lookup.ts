import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type AddressCheck, bareHost } from './address.ts'
import { OutboundRefused } from './callable.ts'

/** Why a host is not called. */
export type Refusal = (host: string) => OutboundRefused

/** The sentence is the same whatever is behind a name, so that it tells nothing about the inside. */
export const refusalOf =
  ({ allowedBy, forbids }: { allowedBy: string; forbids: boolean }): Refusal =>
  (host) =>
    new OutboundRefused(
      `${bareHost(host)} is not a public address${forbids ? ', or forbidden here' : ''}: ` +
        `an operator can allow it with ${allowedBy}.`,
    )

/** Leaves out what must not be dialled; an error when nothing is left. */
export const guardedLookup =
  (lookup: LookupFunction, isAllowed: AddressCheck, refusal: Refusal): LookupFunction =>
  (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const dialled = listOf(found).filter(({ address }) => isAllowed(host, address))
      const [first] = dialled
      if (first === undefined) return callback(refusal(host), [])
      if (options.all === true) return callback(null, dialled)
      callback(null, first.address, first.family)
    })
  }

const listOf = (found: string | LookupAddress[]): LookupAddress[] =>
  typeof found === 'string' ? [{ address: found, family: found.includes(':') ? 6 : 4 }] : found
