import { contained } from '../src/processes/index.ts'

// A process that does what the test wants as soon as it is there: it has said its name and what it was doing.
const self = contained()
if (self === undefined) throw new Error('This is no program of its own.')
const { WANTED = '' } = process.env
const { box, news, role } = self
box.name(`${role} ${process.pid}`)
box.mark(`${WANTED} ${JSON.stringify(news)}`)
self.onDeath(({ marker }) => {
  process.stderr.write(`told: ${marker}\n`)
  if (marker.startsWith('hang')) self.foundSuspects()
})
process.on('message', (message) => message === 'stop' && process.exit(0))
self.ready()

const ways: Record<string, () => void> = {
  hang: () => {
    for (;;);
  },
  stop: () => process.kill(process.pid, 'SIGSTOP'),
  abort: () => process.abort(),
  heap: () => {
    const kept: string[][] = []
    for (;;) kept.push(Array.from({ length: 1000 }, (_, at) => `${at} ${kept.length}`))
  },
  throw: () => {
    throw new Error('a bug')
  },
}
if (news === null) setTimeout(() => ways[WANTED]?.(), 100)
setInterval(() => undefined, 1000)
