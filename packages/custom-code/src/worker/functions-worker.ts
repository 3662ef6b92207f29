import { fstatSync } from 'node:fs'
import type { WorkerOrder } from '../pool/messages.ts'
import type { CallEngine } from './call-engine.ts'
import { ServicePipe } from './service-pipe.ts'

// A process that runs functions of authors. The service starts it with an empty environment and ends it; a signal for
// the whole group is none for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

/** Where the memory of a Python that has started is, for a process of Python. */
const IMAGE = 4

/** Where it could not be stored there is nothing to read. */
const hasImage = () => fstatSync(IMAGE).isFile()

const [, , role, memory] = process.argv
const pipe = new ServicePipe()

async function pythonCalls(): Promise<CallEngine> {
  const { PythonCalls, startPython } = await import('./python-calls.ts')
  return new PythonCalls(
    pipe,
    await startPython({ makesImage: false, image: hasImage() ? IMAGE : undefined }),
  )
}

async function javascriptCalls(): Promise<CallEngine> {
  const { JavascriptCalls } = await import('./javascript-calls.ts')
  return new JavascriptCalls(pipe, Number(memory))
}

async function obey(engine: CallEngine, order: WorkerOrder, body: Buffer): Promise<void> {
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
  engine.prepare()
}

// Each role loads its own: a process starts sooner.
if (role === 'image') {
  const { startPython } = await import('./python-calls.ts')
  const { image } = await startPython({ makesImage: true })
  pipe.send({ said: 'ready' }, new Uint8Array(image ?? new ArrayBuffer()))
} else {
  const engine = role === 'python' ? await pythonCalls() : await javascriptCalls()
  pipe.listen((order, body) => void obey(engine, order, body))
  pipe.send({ said: 'ready' })
}
