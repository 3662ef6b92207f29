import Bowser from 'bowser'

/** Browser and system in words, of a User-Agent header: "Firefox on Linux". What can't be told is left out. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return UNKNOWN
  const { browser, os } = Bowser.parse(userAgent)
  const parts = [browser.name, os.name].filter((name) => name !== undefined && name !== '')
  return parts.join(' on ') || programOf(userAgent)
}

const UNKNOWN = 'Unknown device'

/** Programs name themselves as `curl/8.5.0`. */
const programOf = (userAgent: string): string => /^[\w.-]{1,40}(?=\/|$)/.exec(userAgent)?.[0] ?? UNKNOWN
