import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Entry, entryList, type Page, page } from './page.ts'
import { textsOf } from './texts.ts'
import { welcomeTextsOf } from './welcome-texts.ts'

interface Parts {
  language: Language
  name: string
  email: string | undefined
  superAdmin: boolean
  apiUrl: string
  origin: string
  signOutUrl: string
  /** Where the sample workspace is, for who has it. */
  sampleUrl: string | undefined
}

/** Who somebody is and what to call next, in the browser and in a terminal. */
export function signedInPage(parts: Parts): Page {
  const { language, name, email, apiUrl } = parts
  const texts = textsOf(language)
  const body = html`<h1>${texts.signedIn}</h1>
<p class="email">${texts.signedInAs(email === undefined || email === name ? name : `${name} (${email})`)}</p>
${parts.superAdmin && html`<span class="badge">${texts.superAdmin}</span>`}
<h2>${welcomeTextsOf(language).next}</h2>
${entryList(nextSteps(parts))}
<h2>${texts.inBrowser}</h2>
<p>${texts.inBrowserText}</p>
<p><a href="${apiUrl}/me">GET ${apiUrl}/me</a></p>
<h2>${texts.inTerminal}</h2>
<p>${texts.inTerminalText}</p>
<pre tabindex="0"><code>${curlSteps(parts.origin, apiUrl, email)}</code></pre>
<div class="actions"><a class="button quiet" href="${parts.signOutUrl}">${texts.signOut}</a></div>`
  return page({ language, title: texts.signedIn, body, wide: true })
}

/** The API is where all of these are done; its pages write with the session of the cookie. */
function nextSteps({ language, sampleUrl }: Parts): Entry[] {
  const texts = welcomeTextsOf(language)
  const steps = [
    { url: '/docs', name: texts.docs, text: texts.docsText },
    { url: '/docs#/Access%20tokens/createAccessToken', name: texts.tokens, text: texts.tokensText },
    { url: '/docs#/Sessions/listSessions', name: texts.sessions, text: texts.sessionsText },
    { url: '/docs#/Second%20factors/setMfa', name: texts.secondFactor, text: texts.secondFactorText },
  ]
  return sampleUrl === undefined
    ? steps
    : [...steps, { url: sampleUrl, name: texts.sample, text: texts.sampleText }]
}

/** Signing in without a browser; the password comes from a variable, so that it is in no history. */
const curlSteps = (origin: string, apiUrl: string, email: string | undefined): string => `jar=$(mktemp)
form=$(curl -sSL -b "$jar" -c "$jar" -o /dev/null \\
  -w '%{url_effective}' ${origin}/signin)
curl -fsSL -b "$jar" -c "$jar" -o /dev/null "$form/login" \\
  --data-urlencode 'login=${(email ?? '').replaceAll("'", '')}' \\
  --data-urlencode "password=$PASSWORD"
TOKEN=$(awk '$6 == "access-token" { print $7 }' "$jar")

curl -sS ${apiUrl}/me -H "Authorization: Bearer $TOKEN"`
