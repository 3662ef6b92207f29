import type { Plugin } from 'rolldown'

/**
 * Writes every character beyond ASCII as an escape, which means the same in strings, templates, expressions and
 * names: one such character makes V8 keep the whole file at two bytes a character.
 */
export const plainCharacters = (): Plugin => ({
  name: 'plain-characters',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escaped(file.code)
    },
  },
})

/** A backslash before such a character says nothing there, and would say another thing before the escape. */
export const escaped = (code: string): string =>
  code.replace(/(\\*)([\u0080-\uffff])/g, (_, backslashes: string, unit: string) => {
    const before = backslashes.length % 2 === 0 ? backslashes : backslashes.slice(1)
    return `${before}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
