import { expect, test } from 'vitest'
import { piecesOf } from './body.ts'

test('gives all bytes in their order', async () => {
  const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 251))
  const pieces = []
  for await (const piece of piecesOf(bytes)) pieces.push(piece)
  expect(pieces.length).toBeGreaterThan(1)
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
})

test('of nothing there is no piece', async () => {
  for await (const piece of piecesOf(Buffer.alloc(0))) expect.unreachable(`a piece of ${piece.length} bytes`)
})

test('others have a turn between two pieces', async () => {
  let turns = 0
  let going = true
  const others = () => {
    turns += 1
    if (going) setImmediate(others)
  }
  setImmediate(others)
  let pieces = 0
  for await (const _ of piecesOf(Buffer.alloc(200_000))) {
    expect(turns).toBeGreaterThanOrEqual(pieces)
    pieces += 1
  }
  going = false
})
