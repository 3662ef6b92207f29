import { StoreError } from '@platform/kernel'
import { expect, test } from 'vitest'
import { compiled, runMain } from '../../test/testing.ts'
import { SourcePlaces } from './source-places.ts'

const failing = compiled({ main: { do: [{ missing: {} }] } })
const place = { line: 3, column: 5 }

test('a failure has its place in the text, in the record of the run and in its event', async () => {
  const asked: string[][] = []
  const placeOf = async (...question: string[]) => {
    asked.push(question)
    return place
  }
  const { error, events } = await runMain({ ...failing, placeOf })
  expect(error).toMatchObject({ automationSlug: 'main', instruction: 'do[0].missing', ...place })
  const event = events.find(({ type }) => type === 'error')
  expect(event).toMatchObject({ payload: { details: { instruction: 'do[0].missing', ...place } } })
  expect(asked).toEqual([['main', 'do[0].missing']])
})

test('a store that is away costs the place, and not the failure', async () => {
  const placeOf = async () => {
    throw new StoreError('away', { unavailable: true })
  }
  const { error } = await runMain({ ...failing, placeOf })
  expect(error).toMatchObject({ error: 'ObjectNotFoundError', instruction: 'do[0].missing' })
  expect(error).not.toHaveProperty('line')
})

test('a run that succeeds asks for none', async () => {
  const placeOf = () => expect.unreachable()
  expect(await runMain({ ...compiled({ main: { output: 1 } }), placeOf })).toMatchObject({ output: 1 })
})

test('a place is asked for once, also where there is none', async () => {
  const asked: string[] = []
  const places = new SourcePlaces({
    async findPlace(_, { slug }, __, instruction) {
      asked.push(instruction)
      return slug === 'yaml' ? place : undefined
    },
  })
  const find = (slug: string) => places.find('w', 1, { slug, checksum: 'c' }, 'do[0].set')
  expect([await find('yaml'), await find('yaml'), await find('json'), await find('json')]).toEqual([
    place,
    place,
    undefined,
    undefined,
  ])
  expect(asked).toHaveLength(2)
})
