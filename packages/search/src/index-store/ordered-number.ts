/** A number as 16 hexadecimal digits whose order as texts is that of the numbers. Minus zero is zero. */
export function orderedText(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  const ordered = bits >> 63n === 1n ? ~bits & ALL : bits | SIGN
  return ordered.toString(16).padStart(16, '0')
}

/** The number of such a text. */
export function orderedNumber(text: string): number {
  const ordered = BigInt(`0x${text}`)
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, ordered >> 63n === 1n ? ordered & ~SIGN : ~ordered & ALL)
  return view.getFloat64(0)
}

const SIGN = 1n << 63n
const ALL = (1n << 64n) - 1n
