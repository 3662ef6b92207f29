import { type Html, html } from './html.ts'

/** What went wrong, announced; fields that are to be corrected name it as `problem`. */
export const problemBox = (title: string, content: Html): Html =>
  html`<div class="error" role="alert" id="problem"><h2>${title}</h2>${content}</div>`

/** What the title of a page says first when something went wrong, for those who hear it. */
export const titleOf = (title: string, problemTitle: string, hasProblem: boolean): string =>
  hasProblem ? `${problemTitle} · ${title}` : title
