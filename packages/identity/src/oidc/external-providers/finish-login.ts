import { finishLogin as endpoint, finishLoginByForm as finishLoginByFormContract } from '@platform/contracts'
import { decodeUtf8, respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { OidcSettings } from '../oidc-settings.ts'
import type { CompleteSignIn } from './complete-sign-in.ts'

/** GET /v2/login/callback — where a provider sends people back to. */
export const finishLogin = ({ completeSignIn }: { completeSignIn: CompleteSignIn }) =>
  route(endpoint, {
    handle: ({ request }) => completeSignIn(queryOf(request.url), request),
  })

/** As it came: a parameter that stands twice must be seen twice. */
const queryOf = (url: string): URLSearchParams => new URL(url, 'http://callback').searchParams

/** Of what a provider sends, this is looked at. */
const PARAMETERS = ['state', 'code', 'iss', 'error', 'error_description']
const MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

/**
 * POST /v2/login/callback — for providers that answer with a form. It comes from another site, so browsers send no
 * cookie along; the redirect to the same address is opened from here, and brings it.
 */
export const finishLoginByForm = ({ settings }: { settings: Pick<OidcSettings, 'apiUrl'> }) =>
  route(finishLoginByFormContract, {
    async handle({ body, request }) {
      if (!MEDIA_TYPE.test(request.headers['content-type'] ?? ''))
        throw new Failure('UnsupportedMediaType', 'Send the form as application/x-www-form-urlencoded.')

      const form = new URLSearchParams(decodeUtf8(body))
      const known = new URLSearchParams(
        [...form].filter(([name, value]) => PARAMETERS.includes(name) && value.length <= 4000),
      )

      return respond('', {
        status: 303,
        contentType: 'text/html; charset=utf-8',
        headers: { location: `${settings.apiUrl}/login/callback?${known}`, 'cache-control': 'no-store' },
      })
    },
  })
