import { type Html, html } from './html.ts'

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
