import { expect, test } from 'vitest'
import { LOOK_BACK_MS, Strand } from './strand.ts'
import type { LogPlace } from './wait-inbox.ts'

const places = new Map<string, LogPlace | null>([
  ['early', { xid: '9', position: '40' }],
  ['late', { xid: '10', position: '3' }],
  ['last', { xid: '10', position: '20' }],
  ['of another run', null],
])
const begin = () => new Strand({ id: 'trigger' }, () => places)

test('what branches took is behind the strand that began them, in the order of the log', () => {
  const strand = begin()
  const branches = [strand.branch(), strand.branch(), strand.branch()]
  expect(branches.map(({ last }) => last?.id)).toEqual(['trigger', 'trigger', 'trigger'])
  branches[0]?.hear({ id: 'late' }, 0)
  branches[1]?.hear({ id: 'early' }, 0)
  for (const branch of branches) strand.join(branch)
  expect(strand.last?.id).toBe('late')
  const later = strand.branch()
  later.hear({ id: 'last' }, 0)
  strand.join(later)
  expect(strand.last?.id).toBe('last')
})

test('what another run has taken counts for nothing', () => {
  const strand = begin()
  strand.hear({ id: 'of another run' }, 0)
  expect(strand.last).toBeUndefined()
})

test('who waits in vain for long looks no further back, until an event comes', () => {
  const strand = begin()
  strand.hear(undefined, LOOK_BACK_MS - 1)
  expect(strand.looksFarBack).toBe(true)
  const branch = strand.branch()
  branch.hear(undefined, 1)
  strand.join(branch)
  expect(strand.looksFarBack).toBe(false)
  strand.hear({ id: 'early' }, 0)
  expect(strand.looksFarBack).toBe(true)
})
