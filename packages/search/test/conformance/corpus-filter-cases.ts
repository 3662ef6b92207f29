import type { Filter } from '../../src/filter.ts'

/** Filters on the corpus, with the numbers of the documents they find, oldest first. */
export const corpusFilterCases: readonly (readonly [name: string, filter: Filter, numbers: number[]])[] = [
  ['a rare value', { path: 'source.automationSlug', in: ['slug-16'] }, [16]],
  ['values of a number', { path: 'payload.number', in: [3, '5', 999] }, [3, 5]],
  [
    'a number written as a text',
    { path: 'payload.code', in: [1] },
    [0, 1, 6, 7, 12, 13, 18, 19, 24, 25, 30, 31, 36, 37],
  ],
  [
    'a value within lists',
    { path: 'payload.tags', in: ['green'] },
    [0, 1, 6, 7, 12, 13, 18, 19, 24, 25, 30, 31, 36, 37],
  ],
  [
    'a number or its text within lists',
    { path: 'payload.tags', in: [7] },
    [3, 4, 9, 10, 15, 16, 21, 22, 27, 28, 33, 34, 39],
  ],
  ['null within lists', { path: 'payload.tags', in: [null] }, [3, 9, 15, 21, 27, 33, 39]],
  [
    'a field of elements',
    { path: 'payload.items.sku', in: ['sku-1'] },
    [2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38],
  ],
  [
    'a number of elements above',
    { path: 'payload.items.price', above: 10 },
    [2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38],
  ],
  ['an empty list is missing', { path: 'payload.tags', missing: true }, [2, 8, 14, 20, 26, 32, 38]],
  ['a field that some lack', { path: 'payload.score', missing: true }, [0, 5, 10, 15, 20, 25, 30, 35]],
  ['a negative number', { path: 'payload.balance', in: [-7] }, [13]],
  ['negative numbers below', { path: 'payload.balance', below: -15 }, [0, 1, 2, 3, 4]],
  ['around zero', { path: 'payload.balance', above: -2, below: 2 }, [19, 20, 21]],
  ['fractions', { path: 'payload.score', atLeast: 9.25, atMost: 9.5 }, [37, 38]],
  ['numbers are not ordered as texts', { path: 'payload.amount', above: 9, below: 11 }, [4]],
  ['a stretch of time', { path: 'createdAt', atLeast: '2026-03-29', below: '2026-03-30' }, [4, 5, 6, 7]],
  ['texts between', { path: 'payload.country', above: 'FR', atMost: 'US' }, [2, 7, 12, 17, 22, 27, 32, 37]],
  ['texts beyond ASCII', { path: 'payload.country', above: 'Z' }, [4, 9, 14, 19, 24, 29, 34, 39]],
  ['a prefix', { path: 'source.automationSlug', like: 'slug-3*' }, [32]],
  [
    'an ending',
    { path: 'payload.customer.name', like: '*Hopper' },
    [1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37],
  ],
  ['a prefix of a type', { path: 'type', like: 'app.*' }, [3, 7, 11, 15, 19, 23, 27, 31, 35, 39]],
  ['a prefix of numbers', { path: 'payload.amount', like: '7*' }, [3, 28, 29, 30, 31]],
  ['case counts in patterns', { path: 'payload.code', like: 'a*' }, [5, 11, 17, 23, 29, 35]],
  ['a key with a dot', { path: 'payload.dotted\\.key', like: 'dot-*' }, [0, 9, 18, 27, 36]],
  [
    'any of two types',
    { path: 'type', in: ['app.log', 'order.paid'] },
    [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39],
  ],
  [
    'a type and a value',
    {
      all: [
        { path: 'type', in: ['order.created'] },
        { path: 'payload.country', in: ['DE'] },
      ],
    },
    [0, 8, 20, 28],
  ],
  [
    'must, should and must not',
    {
      all: [
        { path: 'payload.country', in: ['DE'] },
        {
          any: [
            { path: 'type', in: ['order.paid'] },
            { path: 'payload.customer.vip', in: [true] },
          ],
        },
        { not: { path: 'payload.number', below: 10 } },
      ],
    },
    [10, 13, 20, 25, 30, 33],
  ],
  [
    'not a value, also where there is none',
    { all: [{ not: { path: 'payload.score', above: 1 } }, { path: 'payload.number', below: 12 }] },
    [0, 1, 2, 3, 4, 5, 10],
  ],
  ['a word', { text: 'turing' }, [2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38]],
  ['the beginnings of two words', { text: 'hop shipp' }, [10, 22, 34]],
  ['a word and a value', { all: [{ text: 'lovelace' }, { path: 'source.userId', in: ['user-0'] }] }, [0, 21]],
  ['a word that is a number', { text: 'slug 24' }, [24]],
  ['a UUID', { text: '01990000-0000-7000-8000-000000000024' }, [24]],
  [
    'the beginning of a UUID, in capitals',
    { text: '01990000-0000-7000-8000-00000000003' },
    [30, 31, 32, 33, 34, 35, 36, 37, 38, 39],
  ],
  ['no other part of a UUID', { text: '000000000024' }, []],
  ['a value that is a UUID', { path: 'id', in: ['01990000-0000-7000-8000-000000000024'] }, [24]],
  ['a value that is a time', { path: 'payload.paidAt', in: ['2026-04-01T00:30:00+02:00'] }, [1, 17, 33]],
  [
    'a word beyond ASCII in capitals',
    { all: [{ text: 'ÖSTERR' }, { path: 'type', in: ['app.log'] }] },
    [19, 39],
  ],
  ['not a word', { all: [{ not: { text: 'order' } }, { not: { text: 'ada' } }] }, [7, 11, 19, 23, 31, 35]],
  ['a boolean', { path: 'payload.customer.vip', in: [true] }, [0, 10, 20, 30]],
  [
    'a depth or none',
    {
      any: [
        { path: 'source.automationDepth', missing: true },
        { path: 'source.automationDepth', atMost: 0 },
      ],
    },
    [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39],
  ],
]
