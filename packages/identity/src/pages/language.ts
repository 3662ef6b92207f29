/** Languages the pages speak. */
export type Language = 'en' | 'fr'

const known: readonly string[] = ['en', 'fr']

/**
 * The first language that a client asked for (`ui_locales`), else the browser's favourite that we speak, else
 * English.
 */
export function languageOf(uiLocales: unknown, acceptLanguage: string | undefined): Language {
  const asked = typeof uiLocales === 'string' ? uiLocales.split(' ') : []
  return firstKnown(asked) ?? firstKnown(byPreference(acceptLanguage ?? '')) ?? 'en'
}

/** `fr;q=0.7, en` → en, fr. */
function byPreference(header: string): string[] {
  const ranges = header.slice(0, 500).split(',')
  const weighed = ranges.map((range) => {
    const [tag = '', quality] = range.split(';q=')
    return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) || 0 }
  })
  return weighed
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}

function firstKnown(tags: string[]): Language | undefined {
  const languages = tags.map((tag) => tag.toLowerCase().split('-', 1)[0] ?? '')
  return languages.find((language) => known.includes(language)) as Language | undefined
}
