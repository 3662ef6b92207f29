import { headers as names } from '@platform/contracts'
import { connectionTokens, isDroppedFromResponse } from './header-names.ts'

/** What a client is sent: the service's headers without those of the connection behind, and the correlation id. */
export function responseHeaders(
  raw: readonly Buffer[],
  connection: string | undefined,
  correlationId: string,
): string[] {
  const tokens = connectionTokens(connection)
  const list: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = text(raw[index])
    if (isDroppedFromResponse(name) || tokens?.has(name.toLowerCase()) === true) continue
    list.push(name, text(raw[index + 1]))
  }
  list.push(names.correlationId, correlationId)
  return list
}

const text = (bytes: Buffer | undefined): string => bytes?.toString('latin1') ?? ''
