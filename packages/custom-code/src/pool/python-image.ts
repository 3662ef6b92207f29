import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@platform/logging'
import { WorkerProcess } from './worker-process.ts'

const MAX_IMAGE_BYTES = 200_000_000

/**
 * The memory of a Python that has started and has run nothing of anybody: others start from it in a fraction of the
 * time. It is made when it is first needed, by a process that does nothing else, and lies in a file without a name.
 */
export class PythonImage implements AsyncDisposable {
  readonly #needs: { readonly main: string; readonly log: Logger }
  #making: Promise<number | undefined> | undefined
  #maker: WorkerProcess | undefined

  constructor(needs: { readonly main: string; readonly log: Logger }) {
    this.#needs = needs
  }

  /**
   * Rejects when it can't be made; the next who asks has it tried again. Undefined where it can't be stored: then
   * Python starts without it.
   */
  descriptor(): Promise<number | undefined> {
    this.#making ??= this.#make().catch((error: unknown) => {
      this.#making = undefined
      throw error
    })
    return this.#making
  }

  #make(): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    let isMade = false
    const plan = {
      main: this.#needs.main,
      role: 'image' as const,
      memoryMegabytes: 0,
      residentMegabytes: 1024,
      maxFrameBytes: MAX_IMAGE_BYTES,
    }
    const maker = new WorkerProcess(plan, (isAlive) => {
      if (isAlive) return maker.end()
      const said = maker.errorText.slice(-1000)
      if (!isMade) this.#needs.log.error({ said }, 'python could not start')
      return reject(new Error('Python could not start.'))
    })
    this.#maker = maker
    const keep = (image: Buffer) => {
      isMade = true
      resolve(this.#stored(image))
    }
    maker.onImage = keep
    return promise
  }

  #stored(image: Buffer): number | undefined {
    try {
      return stored(image)
    } catch (err) {
      this.#needs.log.warn(
        { err },
        'the memory of python could not be stored, so that each process starts slowly',
      )
      return undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#maker?.end()
    const descriptor = await this.#making?.catch(() => undefined)
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Nobody can open it by a name, and it is gone with the last process that has it. */
function stored(bytes: Buffer): number {
  const folder = mkdtempSync(join(tmpdir(), 'python-image-'))
  try {
    const descriptor = openSync(join(folder, 'image'), 'wx+', 0o600)
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    return descriptor
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
