import { expect, test } from 'vitest'
import { selectFields } from './select-fields.ts'

const document = {
  id: '1',
  type: 'a',
  payload: { order: { id: 5, items: [{ sku: 'x', n: 1 }, { n: 2 }, 'loose'] }, 'a.b': 1, note: null },
}

test.for([
  [undefined, document],
  [['*'], document],
  [['id'], { id: '1' }],
  [['payload.*', 'payload.note'], { payload: document.payload }],
  [['payload.order.items.sku'], { payload: { order: { items: [{ sku: 'x' }, {}, 'loose'] } } }],
  [['payload.a\\.b', 'type'], { type: 'a', payload: { 'a.b': 1 } }],
  [['payload.note', 'payload.note.more'], { payload: { note: null } }],
  [['type.more', 'gone', '__proto__.x', ''], {}],
  [[], {}],
] as const)('the fields %j of a document', ([fields, expected]) => {
  expect(selectFields(fields)(document)).toEqual(expected)
})
