/**
 * Starts the viewer. "Try it out" asks this origin, whatever name the platform is reached by: no page may ask another
 * one.
 */
export const START_SCRIPT = `'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const colour = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', colour)
colour()
// A visitor who is signed in by the cookie writes with a CSRF token, which only a page of this origin can read. A
// pasted credential needs none.
const withCsrfToken = async (request) => {
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(String(request.method).toUpperCase())
  if (isSafe || request.headers.Authorization !== undefined) return request
  if (new URL(request.url).origin !== location.origin) return request
  const me = await fetch('/v2/me').catch(() => undefined)
  const token = me && me.ok && me.headers.get('x-platform-csrf-token')
  if (token) request.headers['x-platform-csrf-token'] = token
  return request
}
const note = document.querySelector('.note')
fetch('/v2/openapi.json')
  .then((response) => {
    if (!response.ok) throw new Error('it was answered with ' + response.status)
    return response.json()
  })
  .then((spec) => {
    spec.servers = [{ url: location.origin, description: 'This platform.' }]
    SwaggerUIBundle({
      spec,
      dom_id: '#viewer',
      deepLinking: true,
      displayRequestDuration: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: -1,
      filter: true,
      validatorUrl: null,
      queryConfigEnabled: false,
      persistAuthorization: false,
      requestInterceptor: withCsrfToken,
      onComplete: () => note.remove(),
    })
  })
  .catch((error) => {
    note.textContent = 'The description could not be loaded: ' + error.message + '. Load this page again.'
  })
`

/** The frame around the viewer, and what of the viewer is hard to read. */
export const FRAME_STYLES = `:root {
  color-scheme: light dark;
  --ink: #1b2333; --paper: #ffffff; --line: #d5dae3; --link: #2440b0;
}
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf4; --paper: #1c2022; --line: #3a4250; --link: #a9bcff; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 12px; top: 12px; padding: 8px 12px; background: var(--paper); color: var(--link); z-index: 9; }
.frame {
  display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; justify-content: space-between;
  max-width: 1460px; margin: 0 auto; padding: 16px 20px; border-bottom: 1px solid var(--line); box-sizing: border-box;
}
.frame h1 { margin: 0; font-size: 20px; }
.frame nav { display: flex; flex-wrap: wrap; gap: 4px 20px; }
.frame a, .note a { color: var(--link); }
#operations:focus { outline: none; }
.swagger-ui .servers-title, .swagger-ui .servers { display: none; }
.note { max-width: 1460px; margin: 24px auto; padding: 0 20px; box-sizing: border-box; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .info .title { font-size: 24px; }
@media (max-width: 640px) {
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; word-break: break-word; }
  .swagger-ui .opblock .opblock-summary-description { display: none; }
  .swagger-ui .wrapper { padding: 0 8px; }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap; }
}
`
