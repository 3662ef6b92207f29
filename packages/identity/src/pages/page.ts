import type { ServerResponse } from 'node:http'
import { Html, html } from './html.ts'
import type { Language } from './language.ts'
import { PASSWORD_SCRIPT, PASSWORD_SCRIPT_HASH } from './password-script.ts'
import { STYLES, STYLES_HASH } from './styles.ts'
import { textsOf } from './texts.ts'

/** A finished page with what its headers must say. */
export interface Page {
  html: string
  headers: Record<string, string>
}

interface Parts {
  language: Language
  title: string
  body: Html
  footer?: string
  wide?: boolean
  /** Where its forms may lead beside this origin, redirects included; absent when the page has no form. */
  formTargets?: readonly string[]
  /** True where a password is chosen: it can be shown there, and its strength is told. */
  choosesPassword?: boolean
}

const mark = html`<svg viewBox="0 0 28 28" fill="none" aria-hidden="true"><rect width="28" height="28" rx="8"
  fill="currentColor" fill-opacity=".14"/><path d="M8 19.5v-11h7a4 4 0 0 1 0 8h-3.6" stroke="currentColor"
  stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>
  <circle cx="20" cy="19.5" r="1.7" fill="currentColor"/></svg>`
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect width="28" height="28" rx="8" fill="#2c4fd6"/>' +
    '<path d="M9 19.5v-11h6.5a4 4 0 0 1 0 8h-3" stroke="#fff" stroke-width="2.6" fill="none" ' +
    'stroke-linecap="round" stroke-linejoin="round"/></svg>',
)}`
const style = html`<style>${new Html(STYLES)}</style>`
const script = html`<script>${new Html(PASSWORD_SCRIPT)}</script>`

/**
 * The frame of every page: one style sheet, no script but that of a password that is chosen, and headers that allow
 * nothing else.
 */
export function page({ language, title, body, footer, wide, formTargets, choosesPassword }: Parts): Page {
  const { product } = textsOf(language)
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${product}</title>
<link rel="icon" href="${icon}">
${style}
</head>
<body>
<header class="brand">${mark}<span>${product}</span></header>
<main${wide === true && html` class="wide"`}>
${body}
</main>
${footer !== undefined && html`<footer>${footer}</footer>`}
${choosesPassword === true && script}
</body>
</html>
`
  return { html: document.markup, headers: headersOf(language, formTargets, choosesPassword) }
}

/**
 * Browsers also hold the redirects after a form to `form-action`, so the origin it leads to must be in it. The
 * referrer stays inside: with "no-referrer" browsers would send the form with `Origin: null`, which looks like
 * another site.
 */
function headersOf(
  language: Language,
  formTargets: readonly string[] | undefined,
  choosesPassword = false,
): Record<string, string> {
  const formAction = formTargets === undefined ? "'none'" : [...new Set(["'self'", ...formTargets])].join(' ')
  const policy = [
    "default-src 'none'",
    `style-src ${STYLES_HASH}`,
    ...(choosesPassword ? [`script-src ${PASSWORD_SCRIPT_HASH}`] : []),
    'img-src data:',
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    vary: 'Accept-Language',
  }
}

/** What `form-action` calls the place an address leads to: its origin, or the scheme of an app. */
export function formTarget(url: string): string | undefined {
  const parsed = URL.parse(url)
  if (parsed === null) return undefined
  return parsed.origin === 'null' ? parsed.protocol : parsed.origin
}

/** A place to go on to, and what is there. */
export interface Entry {
  url: string
  name: string
  text: string
}

/** Places to go on to, one below the other. */
export const entryList = (entries: readonly Entry[]): Html => html`<ul class="entries">
${entries.map(({ url, name, text }) => html`<li><a href="${url}">${name}</a><p>${text}</p></li>`)}
</ul>`

/** What went wrong, announced; fields that are to be corrected name it as `problem`. */
export const problemBox = (title: string, content: Html): Html =>
  html`<div class="error" role="alert" id="problem"><h2>${title}</h2>${content}</div>`

/** What the title of a page says first when something went wrong, for those who hear it. */
export const titleOf = (title: string, problemTitle: string, hasProblem: boolean): string =>
  hasProblem ? `${problemTitle} · ${title}` : title

/** Answers a request with a page. */
export function sendPage(response: ServerResponse, status: number, page: Page): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, value)
  response.setHeader('content-length', Buffer.byteLength(page.html))
  // A body that was not read to its end would be taken for the next request.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.end(page.html)
}

/** Sends a browser on; nothing keeps the answer. */
export function redirect(response: ServerResponse, location: string, status: 302 | 303 = 303): void {
  const headers = { location, 'cache-control': 'no-store', 'content-length': '0' }
  // A body that was not read to its end would be taken for the next request.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.writeHead(status, headers).end()
}
