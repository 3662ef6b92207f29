import type { WorkerOrder } from '../pool/messages.ts'
import type { CallEngine } from './call-engine.ts'
import { JavascriptCalls } from './javascript-calls.ts'
import { ServicePipe } from './service-pipe.ts'

// A process that runs functions of authors. The service starts it with an empty environment and ends it; a signal for
// the whole group is none for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const [, , , memory] = process.argv
const pipe = new ServicePipe()
const engine: CallEngine = new JavascriptCalls(pipe, Number(memory))

async function obey(order: WorkerOrder, body: Buffer): Promise<void> {
  if (order.order === 'check') {
    const problems = await engine.check(order, order.libraries)
    pipe.send({ said: 'done' }, JSON.stringify(problems))
  } else {
    const outcome = await engine.call(order, body.toString())
    if (typeof outcome === 'string') pipe.send({ said: 'done' }, outcome)
    else pipe.send({ said: 'failed', ...outcome })
  }
  await engine.rest()
  pipe.send({ said: 'ready' })
}

pipe.listen((order, body) => void obey(order, body))
pipe.send({ said: 'ready' })
