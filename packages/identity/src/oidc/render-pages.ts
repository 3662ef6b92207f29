import { StoreError } from '@platform/kernel'
import type { Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { errorPage } from '../pages/error-page.ts'
import { languageOf } from '../pages/language.ts'
import { formTarget, type Page } from '../pages/page.ts'
import { signedOutPage, signOutPage } from '../pages/sign-out-pages.ts'
import { textsOf } from '../pages/texts.ts'
import type { OidcSettings } from './oidc-settings.ts'

type Logout = NonNullable<NonNullable<Configuration['features']>['rpInitiatedLogout']>

const RETRY_AFTER_SECONDS = '1'

/** Says what went wrong in the browser; programs that ask for JSON get what OAuth prescribes. */
export const renderError =
  (settings: OidcSettings) =>
  (ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void => {
    answerUnavailable(ctx, error)
    if (ctx.accepts('html', 'json') === 'json') {
      ctx.body = out
      return
    }
    const language = languageIn(ctx)
    const texts = textsOf(language)
    const startUrl = `${settings.origin}/signin`
    if (error.name === 'SessionNotFound') {
      send(ctx, errorPage({ language, message: texts.expired, code: undefined, startUrl }))
      return
    }
    const message =
      ctx.status === 503 ? texts.unavailable : ctx.status >= 500 ? texts.internal : texts.refused
    const code = [out.error, out.error_description].filter((part) => part !== undefined).join(': ')
    send(ctx, errorPage({ language, message, code, startUrl }))
  }

/** True for a store that can't answer now. */
export const isUnavailable = (error: unknown): boolean => error instanceof StoreError && error.unavailable

/** A store that can't answer is no fault of the request. */
export function answerUnavailable(ctx: Pick<KoaContextWithOIDC, 'status' | 'set'>, error: unknown): void {
  if (!isUnavailable(error)) return
  ctx.status = 503
  ctx.set('retry-after', RETRY_AFTER_SECONDS)
}

export const renderSignOut =
  (settings: OidcSettings): NonNullable<Logout['logoutSource']> =>
  (ctx) => {
    const { state } = ctx.oidc.session ?? {}
    const target = formTarget(String(state?.postLogoutRedirectUri ?? ''))
    const question = {
      language: languageIn(ctx),
      host: new URL(settings.origin).host,
      action: `${settings.issuer}/session/end/confirm`,
      xsrf: String(state?.secret ?? ''),
      formTargets: target === undefined ? [] : [target],
    }
    send(ctx, signOutPage(question))
  }

export const renderSignedOut =
  (settings: OidcSettings): NonNullable<Logout['postLogoutSuccessSource']> =>
  (ctx) => {
    send(ctx, signedOutPage({ language: languageIn(ctx), startUrl: `${settings.origin}/signin` }))
  }

const languageIn = (ctx: KoaContextWithOIDC) => languageOf(ctx.query.ui_locales, ctx.get('accept-language'))

function send(ctx: KoaContextWithOIDC, { html, headers }: Page): void {
  ctx.set(headers)
  ctx.body = html
}
