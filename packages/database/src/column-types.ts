import { types } from 'pg'

const INT8 = 20
const DATE = 1082

/** A count or sequence is a number wherever that is exact; the rare larger one stays the text it was. */
function parseInt8(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

/**
 * How column values become JavaScript values: pg's own way, but for int8 (a number) and date (its text, it has no
 * time zone).
 */
export const columnTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return parseInt8
    if (oid === DATE) return (text: string) => text
    return format === 'binary' ? types.getTypeParser(oid, 'binary') : types.getTypeParser(oid, 'text')
  }) as typeof types.getTypeParser,
}
