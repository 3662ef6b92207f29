// Numbers are added up here as PostgreSQL does: as the decimals that they are written as, so 0.1 and 0.2 are 0.3.

/** digits / 10^scale. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

function decimalOf(value: number): Decimal {
  const [, whole = '0', part = '', exponent = '0'] = NUMBER.exec(String(value)) ?? []
  const scale = part.length - Number(exponent)
  const digits = BigInt(whole + part)
  return scale < 0 ? { digits: digits * tenTo(-scale), scale: 0 } : { digits, scale }
}

const tenTo = (exponent: number): bigint => 10n ** BigInt(exponent)

const atScale = ({ digits, scale }: Decimal, wanted: number): bigint => digits * tenTo(wanted - scale)

function textOf({ digits, scale }: Decimal): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const sign = digits < 0n ? '-' : ''
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** A number without any exponent. */
export const decimalText = (value: number): string => textOf(decimalOf(value))

function total(values: readonly number[]): Decimal {
  const decimals = values.map(decimalOf)
  const scale = decimals.reduce((most, one) => Math.max(most, one.scale), 0)
  return { digits: decimals.reduce((sum, one) => sum + atScale(one, scale), 0n), scale }
}

export const sumOf = (values: readonly number[]): number => Number(textOf(total(values)))

export function meanOf(values: readonly number[]): number {
  const sum = total(values)
  const count = { digits: BigInt(values.length), scale: 0 }
  const scale = Math.max(scaleOfQuotient(sum, count), sum.scale)
  const [dividend, divisor] = [atScale(sum, scale), count.digits]
  const half = dividend < 0n ? -divisor : divisor
  return Number(textOf({ digits: (2n * dividend + half) / (2n * divisor), scale }))
}

/** Decimals of a quotient in PostgreSQL: at least 16 significant digits, counted by four. */
function scaleOfQuotient(dividend: Decimal, divisor: Decimal): number {
  const [above, below] = [leading(dividend), leading(divisor)]
  const weight = above.weight - below.weight - (above.first <= below.first ? 1 : 0)
  return Math.max(0, 16 - weight * 4)
}

/** The first digit of a number to the base 10,000, and which power of that it counts. */
function leading({ digits, scale }: Decimal): { readonly first: number; readonly weight: number } {
  if (digits === 0n) return { first: 0, weight: 0 }
  const text = String(digits < 0n ? -digits : digits)
  const place = text.length - 1 - scale
  const weight = Math.floor(place / 4)
  return { first: Number(text.slice(0, place - weight * 4 + 1).padEnd(place - weight * 4 + 1, '0')), weight }
}
