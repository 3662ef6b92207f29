/** What attackers write in front of a host so that a check and a browser read it differently. */
const schemes = [
  'http://',
  'https://',
  '//',
  '///',
  '////',
  '/\\',
  '\\/',
  '\\\\',
  '/\\/',
  '/\t/',
  '/\n/',
  'http:',
  'https:/',
  'http:///',
  'http:\\\\',
  'ht\ntp://',
  '\thttp://',
  'HTTP://',
  'hTTps://',
  '%68ttp://',
  'http%3A%2F%2F',
  '/%2f',
  '/%5c',
  '/.//',
  'ftp://',
  'ws://',
  'javascript://',
  'data:text/html,//',
  'vbscript:',
  'blob:http://',
]

/** Hosts that are, or may be taken for, another one than that of the console. */
const hosts = (trusted: string): string[] => [
  'evil.example',
  `${trusted}.evil.example`,
  `${trusted}@evil.example`,
  `${trusted}:80@evil.example`,
  `evil.example#${trusted}`,
  `evil.example?${trusted}`,
  `evil.example\\${trusted}`,
  `evil.example\\@${trusted}`,
  `evil.example%2f@${trusted}`,
  `evil.example%00.${trusted}`,
  `evil.example%23.${trusted}`,
  `evil.example;${trusted}`,
  'evil。example',
  'ⓔvil.example',
  '2130706433',
  '[::ffff:7f00:1]',
]

/** What follows the right address and makes it another one. */
const tails = [
  '/',
  '//',
  '/..',
  '/%2e%2e',
  '/..;/evil',
  '%2f..%2fevil',
  '\\..\\evil',
  '.evil.example',
  '@evil.example',
  '?next=//evil.example',
  '#//evil.example',
  '&redirect_uri=http://evil.example',
  '%0d%0aLocation:%20http://evil.example',
  '\r\nLocation: http://evil.example',
  '%00',
  '%20',
  '+',
  '*',
  '?',
  '#',
  ';',
  ',http://evil.example',
  ' http://evil.example',
  '\u2028',
]

/** Addresses that are nearly, but not exactly, `address`; several hundred. */
export function spellingsOf(address: string): string[] {
  const { host, pathname } = new URL(address)
  const elsewhere = schemes.flatMap((scheme) => hosts(host).map((name) => `${scheme}${name}${pathname}`))
  return [...new Set([...elsewhere, ...tails.map((tail) => address + tail)])]
}
