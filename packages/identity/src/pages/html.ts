/** Text that is markup already. Only `html` makes it, so whatever else meets a page is escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }

  toString(): string {
    return this.markup
  }
}

/** What may stand in a template: nothing, text (escaped), markup, or a list of those. */
export type Content = Html | string | number | false | undefined | readonly Content[]

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** A piece of a page; every value is escaped unless `html` made it. Attributes are to be written in double quotes. */
export const html = (strings: TemplateStringsArray, ...values: Content[]): Html =>
  new Html(strings.map((text, index) => text + render(values[index])).join(''))

function render(value: Content): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(render).join('')
  return escaped(String(value))
}
