import { startTracing, tracer } from '@platform/tracing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { BrokerFixture } from './broker-fixture.ts'
import { testEvent, uniqueName } from './events.ts'

const SOON = { timeout: 15_000, interval: 10 }

/** The tracer that is there now. */
function current() {
  if (tracer === undefined) throw new Error('Nothing is traced.')
  return tracer
}

/** What every queue promises of traces (port broker.ts). */
export function tracesConformance({ broker }: BrokerFixture): void {
  describe('traces', () => {
    let tracing: AsyncDisposable
    beforeAll(async () => {
      // The spans go nowhere: the test looks at the span that a handler is a part of.
      tracing = await startTracing({
        endpoint: 'http://127.0.0.1:9',
        serviceName: 'test',
        version: '0',
        sampler: 'parentbased_always_on',
        samplerArg: 1,
        warn: () => undefined,
      })
    })
    afterAll(() => tracing[Symbol.asyncDispose]())

    /** Traces and parents of what handled the events of a workspace. */
    async function handledOf(workspaceId: string) {
      const handled: [string | undefined, unknown][] = []
      const consumer = await broker().queue.consume(uniqueName('group'), async (events) => {
        const span = current().active()
        const parent: unknown = span && Reflect.get(span.otel, 'parentSpanContext')
        const parentId =
          typeof parent === 'object' && parent !== null ? Reflect.get(parent, 'spanId') : undefined
        for (const { source } of events)
          if (source.workspaceId === workspaceId) handled.push([span?.traceId, parentId])
      })
      // What other tests have left behind would come in one batch with what is looked at.
      await broker().queue.publish([testEvent(workspaceId)])
      await vi.waitFor(() => expect(handled).toHaveLength(1), SOON)
      handled.length = 0
      return { handled, [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose]() }
    }

    it('handles an event as a part of the work that emitted it', async () => {
      const workspaceId = uniqueName('workspace')
      await using seen = await handledOf(workspaceId)
      for (let turn = 0; turn < 2; turn++) {
        const request = current().begin({ name: 'POST', kind: 'server' }, {})
        const event = testEvent(workspaceId)
        // As it is where a client names a correlation id of its own: the trace has another one.
        event.source.correlationId = 'no-trace-at-all'
        await current().finish(request, () => broker().queue.publish([event]))
        const { traceId, spanId } = request.otel.spanContext()
        await vi.waitFor(() => expect(seen.handled.at(-1)).toEqual([traceId, spanId]), SOON)
      }
      expect(seen.handled).toHaveLength(2)
    })

    it('goes on with the correlation id of what nothing traced has emitted', async () => {
      const workspaceId = uniqueName('workspace')
      await using seen = await handledOf(workspaceId)
      const event = testEvent(workspaceId)
      event.source.correlationId = '0af7651916cd43dd8448eb211c80319c'
      await broker().queue.publish([event])
      await vi.waitFor(
        () => expect(seen.handled.map(([traceId]) => traceId)).toEqual([event.source.correlationId]),
        SOON,
      )
    })
  })
}
