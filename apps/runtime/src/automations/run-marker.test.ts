import { expect, test, vi } from 'vitest'
import { type RunMark, RunMarker, readMark } from './run-marker.ts'

const markOf = (runId: string): RunMark => ({
  runId,
  workspaceId: 'w0123456789abcde',
  automationSlug: 'main',
  checksum: undefined,
})

test('a run that goes on is written down and counts as news only where another one had the event loop', () => {
  const written: (string | undefined)[] = []
  const goOn = vi.fn()
  const marker = new RunMarker((text) => written.push(readMark(text)?.runId), goOn)
  const [one, other] = [markOf('one'), markOf('other')]
  for (const mark of [one, one, one, other, other, one]) marker.enter(mark)
  expect(written).toEqual(['one', 'other', 'one'])
  expect(goOn).toHaveBeenCalledTimes(3)
})

test('a run that is done apart says where it is with each step, and that is no news however many there are', () => {
  const mark = markOf('apart')
  const goOn = vi.fn()
  const write = vi.fn()
  const marker = new RunMarker(write, goOn)
  marker.enter(mark)
  const places = marker.placesOf(mark)
  for (let step = 0; step < 5; step += 1) {
    places.begin('set', { automation: { slug: 'main' } } as Parameters<typeof places.begin>[1])
    marker.enter(mark)
  }
  expect(write).toHaveBeenCalledTimes(6)
  expect(goOn).toHaveBeenCalledOnce()
})
