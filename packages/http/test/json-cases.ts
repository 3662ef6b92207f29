import { chosen } from './json-choices.ts'

/**
 * A JSON text and what becomes of it: `y` every parser takes it, `n` none does, `i` ours is named here and stays what
 * it is.
 */
export interface JsonCase {
  name: string
  bytes: Buffer
  taken: boolean
}

const good = [
  ...['0', '-0', '1', '-1', '10', '0.5', '-0.0', '1e5', '1E5', '1e+5', '1e-5', '1.5e300', '123456789012'],
  ...[
    'true',
    'false',
    'null',
    '""',
    '" "',
    '"a"',
    '"\\u0041"',
    '"\\ud83d\\ude00"',
    '"😀"',
    '"é"',
    '"\u2028"',
  ],
  ...[
    '"\\" \\\\ \\/ \\b \\f \\n \\r \\t"',
    '"\u007f"',
    '"\\u007F"',
    '[]',
    '{}',
    '[[]]',
    '{"":0}',
    '[null,1,"a"]',
  ],
]
const bad = [
  ...[
    '',
    '+1',
    '01',
    '-01',
    '1.',
    '.5',
    '-.5',
    '-',
    '1e',
    '1e+',
    '1e1.5',
    '0x1',
    '1_000',
    '1 000',
    '--1',
    '1-',
  ],
  ...['NaN', 'Infinity', '-Infinity', 'True', 'TRUE', 'nul', 'nulll', 'undefined', 'tru', 'truefalse', "'a'"],
  ...[
    '"',
    '"a',
    'a"',
    '"\\"',
    '"\\x41"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\U0041"',
    '"\\ "',
    '"\\a"',
    '"\t"',
    '"\n"',
  ],
  ...[
    '"\u0001"',
    '"\u001f"',
    '“a”',
    '`a`',
    '[',
    ']',
    '{',
    '}',
    '[1,]',
    '[,1]',
    '[,]',
    '[1,,2]',
    '[1 2]',
    '[1;2]',
  ],
  ...['{,}', '{"a"}', '{"a":}', '{:1}', '{"a":1,}', '{"a":1,,"b":2}', '{"a" 1}', '{"a"::1}', '{"a":1 "b":2}'],
  ...[
    '{a:1}',
    "{'a':1}",
    '{1:1}',
    '{null:1}',
    '{"a":1]',
    '[1}',
    '[}',
    '{]',
    '[1',
    '{"a":1',
    '[[]',
    '{"a":{}',
  ],
  ...[
    '/* */1',
    '1//',
    '#1',
    '1;',
    '\u00a01',
    '\u20031',
    '\u000b1',
    '\\u0031',
    '(1)',
    '<1>',
    '$',
    '@',
    '&',
    '*',
  ],
]

/** Where a value may stand; a bad one spoils each place. */
const places: [name: string, within: (value: string) => string][] = [
  ['alone', (value) => value],
  ['in a list', (value) => `[0,${value}]`],
  ['under a key', (value) => `{"a":${value},"b":0}`],
  ['with spaces', (value) => ` \r\n\t[ ${value} ] \n`],
]
/** Nothing at all is no problem in an empty list. */
const harmless = new Set([' \r\n\t[  ] \n'])

const of = (kind: string, taken: boolean, values: readonly string[]): JsonCase[] =>
  places.flatMap(([place, within]) =>
    values
      .map((value) => within(value))
      .filter((text) => taken || !harmless.has(text))
      .map((text) => ({
        name: `${kind}_${place}: ${JSON.stringify(text)}`,
        bytes: Buffer.from(text),
        taken,
      })),
  )

/** Every beginning of a whole text is broken: what was cut off must never be taken for less. */
const whole = '{"list":[1,true,"x\\n"],"more":{"b":null,"c":-1.5e3}}'
const cut: JsonCase[] = Array.from({ length: whole.length - 1 }, (_, at) => ({
  name: `n_cut after ${at + 1}`,
  bytes: Buffer.from(whole.slice(0, at + 1)),
  taken: false,
}))
const doubled: JsonCase[] = ['1', '""', '[]', '{}', 'null'].map((text) => ({
  name: `n_twice: ${text}`,
  bytes: Buffer.from(`${text} ${text}`),
  taken: false,
}))

const invalidUtf8: [name: string, bytes: number[]][] = [
  ['a byte that begins nothing', [0xff]],
  ['a lone continuation', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['an overlong NUL', [0xc0, 0x80]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['beyond the last character', [0xf4, 0x90, 0x80, 0x80]],
  ['a sequence cut off', [0xe2, 0x82]],
  ['latin-1', [0xe9]],
  ['five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]],
]
const undecodable: JsonCase[] = [
  ...invalidUtf8.map(([name, bytes]) => ({
    name: `n_utf8: ${name}`,
    bytes: Buffer.from([0x22, ...bytes, 0x22]),
    taken: false,
  })),
  { name: 'n_utf16 with its mark', bytes: Buffer.from('\ufeff{"a":1}', 'utf16le'), taken: false },
  { name: 'n_utf16', bytes: Buffer.from('{"a":1}', 'utf16le'), taken: false },
]

/** All cases. */
export const jsonCases: readonly JsonCase[] = [
  ...of('y', true, good),
  ...of('n', false, bad),
  ...cut,
  ...doubled,
  ...undecodable,
  ...chosen.map(([name, text, taken]) => ({ name: `i_${name}`, bytes: Buffer.from(text), taken })),
]
