import type { RequestInfo } from '@platform/http'
import type { Ending } from './sessions.ts'

/**
 * Ends sessions together with whatever could give them another JWT: grants, codes and refresh tokens of the OIDC
 * server.
 */
export interface SignOut {
  session(sessionId: string, ending: Ending): Promise<void>
  everywhere(userId: string, ending: Ending): Promise<void>
}

/** Where an ending was asked for. */
export const endingOf = ({ clientIp, correlationId }: RequestInfo): Ending => ({
  ip: clientIp,
  correlationId,
})
