import { createHash } from 'node:crypto'

/** One style sheet for all pages. Contrast is at least 4.5:1 for text and 3:1 for borders and focus in both schemes. */
export const STYLES = `
:root{color-scheme:light dark;--page:#f3f4f8;--card:#fff;--line:#e3e6ee;--field:#868ea1;--text:#151821;--muted:#545c6e;
--accent:#2c4fd6;--accent-strong:#2340b4;--on-accent:#fff;--error:#a3201a;--error-bg:#fdf1f0;--error-line:#eab4b0;
--code:#f5f6fa;--ok:#1a7f4b;--danger:#b3261e;--danger-strong:#8f1d17;--on-danger:#fff;
--shadow:0 1px 2px #1518210f,0 12px 32px -8px #15182124}
@media (prefers-color-scheme:dark){:root{--page:#0d0f15;--card:#161922;--line:#2a2f3d;--field:#737c92;--text:#eceef5;
--muted:#a7aebf;
--accent:#8ba4ff;--accent-strong:#a9bcff;--on-accent:#0d1330;--error:#ffb9b3;--error-bg:#351615;--error-line:#7a3a36;
--code:#0f121a;--ok:#4ccb8a;--danger:#ffb9b3;--danger-strong:#ffd0cc;--on-danger:#3a0a07;
--shadow:0 1px 2px #0006,0 16px 40px -8px #0009}}
*{box-sizing:border-box}
html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;align-items:center;
justify-content:center;
gap:1.5rem;padding:2rem 1rem;background:var(--page);color:var(--text)}
main{width:100%;max-width:25.5rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;
padding:2.25rem;
box-shadow:var(--shadow)}
main.wide{max-width:46rem}
.brand{display:flex;align-items:center;gap:.625rem;font-weight:650;font-size:1.0625rem;letter-spacing:-.01em}
.brand svg{width:1.75rem;height:1.75rem;color:var(--accent)}
h1{margin:0;font-size:1.625rem;line-height:1.25;font-weight:650;letter-spacing:-.02em;text-wrap:balance}
h2{margin:2rem 0 .25rem;font-size:1rem;font-weight:650}
p{margin:.375rem 0 0;color:var(--muted)}
form{margin:1.75rem 0 0}
label{display:block;margin:0 0 .375rem;font-weight:550;font-size:.9375rem}
.field{margin:0 0 1.125rem}
.field input{width:100%;min-height:2.875rem;padding:.5rem .75rem;font:inherit;color:inherit;background:var(--card);
border:1px solid var(--field);border-radius:.625rem}
.field input[aria-invalid=true]{border-color:var(--error)}
.field p{margin:.375rem 0 0;font-size:.875rem}
.field .problem{color:var(--error)}
.field .strength:empty{display:none}
.field .strength[data-level="1"],.field .strength[data-level="0"]{color:var(--error)}
.reveal{margin:.5rem 0 0;padding:.25rem .625rem;font:inherit;font-size:.875rem;color:inherit;background:transparent;
border:1px solid var(--field);border-radius:.5rem;cursor:pointer}
.reveal[aria-pressed=true]{background:var(--code);border-color:var(--text)}
.choice{display:flex;align-items:center;gap:.625rem;margin:0 0 1.5rem;min-height:1.5rem}
.choice input{width:1.125rem;height:1.125rem;margin:0;accent-color:var(--accent);flex:none}
.choice label{margin:0;font-weight:400}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:2.875rem;padding:.5rem 1.25rem;
font:inherit;
font-weight:600;border:1px solid transparent;border-radius:.625rem;cursor:pointer;text-decoration:none;
background:var(--accent);
color:var(--on-accent)}
.button:hover{background:var(--accent-strong)}
.button.quiet{background:transparent;color:var(--text);border-color:var(--field)}
.button.quiet:hover{border-color:var(--text)}
.button.danger{background:var(--danger);color:var(--on-danger)}
.button.danger:hover{background:var(--danger-strong)}
.full{width:100%}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.75rem}
a{color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.field input:focus-visible{outline-offset:0;border-color:var(--accent)}
.error{margin:1.5rem 0 0;padding:.875rem 1rem;border:1px solid var(--error-line);border-radius:.625rem;
background:var(--error-bg);
color:var(--error)}
.error h2{margin:0;font-size:.9375rem}
.error p{margin:.125rem 0 0;color:inherit;font-size:.9375rem;text-wrap:pretty}
.error+p{margin-top:.75rem;font-size:.875rem;overflow-wrap:anywhere}
.error ul{margin:.25rem 0 0;padding:0;list-style:none;font-size:.9375rem}
.error li+li{margin-top:.25rem}
.error a{color:inherit}
.aside a{white-space:nowrap}
.aside{margin-top:1.5rem;text-align:center;font-size:.9375rem}
.again{padding-top:1.25rem;border-top:1px solid var(--line)}
.again p{margin:0;font-size:.9375rem}
.again .actions{margin-top:1rem}
.links{display:flex;flex-direction:column;gap:.5rem;margin-top:1.5rem;text-align:center;font-size:.9375rem}
.or{display:flex;align-items:center;gap:.75rem;margin:1.25rem 0;font-size:.875rem}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
.providers{display:grid;gap:.75rem}
form+.providers,p+.providers,h1+.providers,.error+.providers{margin-top:1.75rem}
.or+.providers{margin-top:0}
.field input.code{font:1.25rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;
letter-spacing:.12em;
text-align:center}
.steps{margin:1.5rem 0 0;padding:0;list-style:none;counter-reset:step}
.steps>li{position:relative;padding-left:2.25rem;counter-increment:step}
.steps>li::before{content:counter(step);position:absolute;left:0;top:0;width:1.5rem;height:1.5rem;border-radius:50%;
background:var(--code);border:1px solid var(--line);font-size:.8125rem;font-weight:600;display:grid;place-items:center}
.steps p{margin-top:0}
.steps form{margin-top:1.5rem}
.steps label{line-height:1.5rem}
.qr{display:block;max-width:100%;margin:1rem 0;border-radius:.625rem;border:1px solid var(--line);background:#fff}
.key{font-size:.875rem}
.key code{display:block;max-width:19ch;margin-top:.375rem;color:var(--text);
font:.875rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.codes{display:grid;grid-template-columns:1fr 1fr;gap:.5rem 1rem;margin:1.5rem 0 0;padding:1rem;list-style:none;
text-align:center;
background:var(--code);border:1px solid var(--line);border-radius:.625rem}
.codes code{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:nowrap}
.badge{display:inline-block;margin:.75rem 0 0;padding:.125rem .625rem;border:1px solid var(--line);border-radius:1rem;
font-size:.8125rem;color:var(--muted)}
.up::before{content:"";display:inline-block;width:.5rem;height:.5rem;margin-right:.5rem;border-radius:50%;
background:var(--ok)}
.entries{margin:1.75rem 0 1.5rem;padding:0;list-style:none;border-top:1px solid var(--line)}
.entries li{padding:.875rem 0;border-bottom:1px solid var(--line)}
.entries a{font-weight:600}
.entries p{margin:.125rem 0 0;font-size:.9375rem;text-wrap:pretty}
h2+.entries{margin-top:.75rem}
pre{margin:.75rem 0 0;padding:.875rem 1rem;overflow-x:auto;background:var(--code);border:1px solid var(--line);
border-radius:.625rem;font:.8125rem/1.65 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.email{overflow-wrap:anywhere}
footer{max-width:25.5rem;text-align:center;font-size:.8125rem;color:var(--muted);overflow-wrap:anywhere;
text-wrap:balance}
@media (max-width:30rem){.codes{grid-template-columns:1fr}body{justify-content:flex-start;padding-top:1.5rem}
main{padding:1.5rem 1.25rem}}
`

/** The style sheet as a Content-Security-Policy names it: no other style runs on a page. */
export const STYLES_HASH = `'sha256-${createHash('sha256').update(STYLES).digest('base64')}'`
