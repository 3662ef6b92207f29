import type { RequestInfo } from '@platform/http'
import { languageOf } from '../pages/language.ts'
import type { RequestContext } from './accounts.ts'

/** Who asks through the API; a program that names no language has none. */
export const requestContextOf = (
  { clientIp, correlationId, headers }: Pick<RequestInfo, 'clientIp' | 'correlationId' | 'headers'>,
  language?: string,
): RequestContext => ({
  ip: clientIp,
  correlationId,
  language: language ?? preferred(headers['accept-language']),
})

const preferred = (acceptLanguage: string | undefined): string | undefined =>
  acceptLanguage === undefined ? undefined : languageOf(undefined, acceptLanguage)
