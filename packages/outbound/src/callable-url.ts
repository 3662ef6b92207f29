import { OutboundRefused } from './outbound.ts'

/** Throws OutboundRefused for an address that is never called, wherever its name leads. */
export function requireCallable(url: URL): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundRefused(`Addresses that begin with ${url.protocol} are not called: use https:.`)
  if (url.username !== '' || url.password !== '')
    throw new OutboundRefused(
      `The address at ${url.host} holds a user name or password: send credentials in a header instead.`,
    )
}
