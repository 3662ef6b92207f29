import { expect, inject, it } from 'vitest'
import { openDatabase, sql } from './index.ts'
import { textArray, vectorArray } from './text-array.ts'

const vectorOf = (...lexemes: string[]) => {
  const count = Buffer.alloc(4)
  count.writeInt32BE(lexemes.length)
  return Buffer.concat([count, ...lexemes.map((lexeme) => Buffer.from(`${lexeme}\0\0\0`))])
}

it('lists arrive as they were sent, those without anything and with nothing in places as well', async () => {
  await using database = await openDatabase(inject('databaseUrl'), { allowWeakDurability: true, poolSize: 1 })
  const texts = ['a', '', '"quoted", {braces} and \\', 'ä€🚀', 'NULL']
  const vectors = [vectorOf('b', 'a'), undefined, vectorOf()]
  const [row] = await database.many(sql`
    select ${textArray(texts)}::text[] as texts, ${textArray([])}::text[] as none,
      ${vectorArray(vectors)}::tsvector[]::text[] as vectors, ${vectorArray([])}::tsvector[]::text[] as empty`)
  expect(row).toEqual({ texts, none: [], vectors: ["'a' 'b'", null, ''], empty: [] })
})
