import { headers as names } from '@platform/contracts'
import { connectionTokens, isDroppedFromResponse } from './header-names.ts'

/** The headers of a service as undici reads them: names in lower case, a list where one stands there several times. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>

/** What a client is sent: the service's headers without those of the connection behind, and the correlation id. */
export function responseHeaders(headers: UpstreamHeaders, correlationId: string): string[] {
  const tokens = connectionTokens(headers.connection?.toString())
  const list: string[] = []
  for (const name in headers) {
    if (!isDroppedFromResponse(name) && tokens?.has(name) !== true) addHeader(list, name, headers[name])
  }
  list.push(names.correlationId, correlationId)
  return list
}

function addHeader(list: string[], name: string, value: string | string[] | undefined): void {
  if (typeof value === 'string') list.push(name, value)
  else for (const one of value ?? []) list.push(name, one)
}
