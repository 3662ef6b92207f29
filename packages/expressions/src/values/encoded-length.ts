const plain = /^[\x20-\x7e]*$/
const plainInJson = /^[\x20\x21\x23-\x5b\x5d-\x7e\xa0-\ud7ff\ue000-\uffff]*$/

/** Characters a text has when it is written as part of an address: at most three bytes a unit, each as %XX. */
export function percentEncodedLength(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; at += 1) length += encodedLengthOf(text.charCodeAt(at))
  return length
}

function encodedLengthOf(unit: number): number {
  if (unit < 0x80) return 3
  return unit < 0x800 ? 6 : 9
}

/** Bytes a text has as UTF-8, never too few. */
export const utf8Length = (text: string): number =>
  plain.test(text) ? text.length : percentEncodedLength(text) / 3

/** Characters a text has as JSON, never too few. */
export function jsonLength(text: string): number {
  if (plainInJson.test(text)) return text.length + 2
  let length = 2
  for (let at = 0; at < text.length; at += 1) length += escapedLengthOf(text.charCodeAt(at))
  return length
}

function escapedLengthOf(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2
  return unit < 0x20 || (unit >= 0xd800 && unit <= 0xdfff) ? 6 : 1
}
