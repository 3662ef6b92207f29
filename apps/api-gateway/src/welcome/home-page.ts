import { entryList, html, type Language, type Page, page, welcomeTextsOf } from '@platform/identity/pages'

interface Parts {
  language: Language
  version: string
  /** Origin of the platform, as people reach it. */
  origin: string
}

/** What a browser is shown at `/`: what this is, the way in, and what there is to read. */
export function homePage({ language, version, origin }: Parts): Page {
  const texts = welcomeTextsOf(language)
  const entries = [
    { url: '/docs', name: texts.docs, text: texts.docsText },
    { url: '/v2/openapi.json', name: texts.document, text: texts.documentText },
    { url: '/v2/versions', name: texts.versions, text: texts.versionsText },
    { url: '/v2/readiness', name: texts.status, text: texts.statusText },
  ]
  const body = html`<h1>${texts.title}</h1>
<p>${texts.what}</p>
<span class="badge up">${texts.up(version)}</span>
<div class="actions"><a class="button" href="/signin">${texts.signIn}</a>
<a class="button quiet" href="/docs">${texts.readApi}</a></div>
${entryList(entries)}
<p>${texts.programs}</p>
<pre tabindex="0"><code>curl -sS ${origin}/</code></pre>`
  return page({ language, title: texts.title, body, wide: true })
}
