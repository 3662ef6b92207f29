import { Failure } from '@platform/kernel'
import { Exchange } from '../exchange.ts'
import type { Step } from '../pipeline.ts'

/**
 * Whether the credential a socket was opened with is still good: it is looked at again as if it came now. Only a
 * clear no ends a socket; while nobody can say (a store is down) it stays, and a new one would be refused.
 */
export async function isStillAllowed(opened: Exchange, identify: Step): Promise<boolean> {
  const again = new Exchange(opened.request, opened.response, opened.log)
  const { path, search, clientIp, correlationId, forwarding } = opened
  Object.assign(again, { path, search, clientIp, correlationId, forwarding })
  try {
    await identify(again)
    return (again.principal === undefined) === (opened.principal === undefined)
  } catch (error) {
    return !(error instanceof Failure && error.name === 'AuthenticationError')
  }
}
