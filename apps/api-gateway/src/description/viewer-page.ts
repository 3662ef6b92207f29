/** Scripts and requests of this origin alone, nothing inline; pictures within style sheets are data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** The names of the viewer's files, by what they are for. */
type Assets = Record<
  'viewerStyles' | 'viewerScript' | 'icon' | 'frameStyles' | 'startScript',
  { name: string }
>

/** The frame around the viewer. */
export function viewerPage(assets: Assets): { html: string; headers: Record<string, string> } {
  const at = ({ name }: { name: string }) => `/docs/${name}`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Platform API</title>
<link rel="icon" type="image/png" href="${at(assets.icon)}">
<link rel="stylesheet" href="${at(assets.viewerStyles)}">
<link rel="stylesheet" href="${at(assets.frameStyles)}">
</head>
<body>
<a class="skip" href="#operations">Skip to the operations</a>
<header class="frame">
<h1>API description</h1>
<nav aria-label="This description"><a href="/signin">Sign in</a> <a href="/v2/openapi.json">OpenAPI document</a></nav>
</header>
<div id="operations" tabindex="-1">
<p class="note" role="status">The description is being loaded.</p>
<noscript><p class="note">These pages need JavaScript.
The same is in the <a href="/v2/openapi.json">OpenAPI document</a>.</p></noscript>
<div id="viewer"></div>
</div>
<script src="${at(assets.viewerScript)}"></script>
<script src="${at(assets.startScript)}"></script>
</body>
</html>
`
  return {
    html,
    headers: {
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    },
  }
}
