import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FrameKind, FrameReader, FrameWriter, frameKinds, requestText } from './frames.ts'

const latin1 = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) })
const frames = fc.array(
  fc.record({
    kind: fc.constantFrom<FrameKind>(...Object.values(frameKinds)),
    call: fc.integer({ min: 0, max: 0xffff_ffff }),
    text: latin1,
    bytes: fc.uint8Array({ maxLength: 200 }),
  }),
  { minLength: 1, maxLength: 20 },
)

describe('frames', () => {
  test('come as they were sent, wherever the connection cuts them', async () => {
    await fc.assert(
      fc.asyncProperty(
        frames,
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        async (sent, cuts) => {
          const socket = new PassThrough()
          const writer = new FrameWriter(socket)
          for (const { kind, call, text, bytes } of sent) writer.send(kind, call, text, bytes)
          writer.end()
          const written = Buffer.concat((await socket.toArray()) as Buffer[])
          const reader = new FrameReader()
          const read: unknown[] = []
          for (let at = 0, cut = 0; at < written.length; cut += 1) {
            const end = at + (cuts[cut % cuts.length] ?? 1)
            reader.read(written.subarray(at, end), (kind, call, text, bytes) =>
              read.push({ kind, call, text, bytes: new Uint8Array(bytes) }),
            )
            at = end
          }
          expect(read).toEqual(sent)
        },
      ),
    )
  })

  test('of one turn of the event loop leave in one write', async () => {
    const socket = new PassThrough()
    let writes = 0
    socket.on('data', () => {
      writes += 1
    })
    const writer = new FrameWriter(socket)
    for (let call = 1; call <= 50; call += 1) writer.send(frameKinds.end, call)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(writes).toBe(1)
  })

  test('that are longer than any are refused before they are there', () => {
    const longer = Buffer.alloc(13)
    longer.writeUInt32BE(10_000_000)
    expect(() => new FrameReader().read(longer, () => undefined)).toThrow('no frame of a link')
  })
})

test.each(['a\nb', 'a\rb', 'a\0b', 'aĊb'])('a request with the header %j has no text', (value) => {
  expect(requestText('GET', '/', ['x', value])).toBeUndefined()
  expect(requestText('GET', '/', ['x', 'aéb'])).toBe('GET\n/\nx\naéb')
})
