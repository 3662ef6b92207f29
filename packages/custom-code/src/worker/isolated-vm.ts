import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import type IsolatedVm from 'isolated-vm'
import { libraryText } from './libraries.ts'

/** The library as one file for each system; asked for one by one, so that bundles hold those of images. */
function binary(): string {
  switch (`${process.platform}-${process.arch}`) {
    case 'linux-x64':
      return createRequire(import.meta.url).resolve(
        'isolated-vm/prebuilds/linux-x64/isolated-vm.abi137.glibc.node',
      )
    case 'linux-arm64':
      return createRequire(import.meta.url).resolve(
        'isolated-vm/prebuilds/linux-arm64/isolated-vm.abi137.glibc.node',
      )
    case 'darwin-arm64':
      return createRequire(import.meta.url).resolve(
        'isolated-vm/prebuilds/darwin-arm64/isolated-vm.abi137.node',
      )
    default:
      throw new Error(
        `Functions can't run on ${process.platform}-${process.arch}: isolated-vm is not built for it.`,
      )
  }
}

function loaded(): typeof IsolatedVm {
  const module: { exports: { ivm?: typeof IsolatedVm } } = { exports: {} }
  process.dlopen(module, binary())
  if (module.exports.ivm === undefined) throw new Error('isolated-vm has another shape than expected.')
  return module.exports.ivm
}

export const ivm = loaded()

let snapshot: IsolatedVm.ExternalCopy<ArrayBuffer> | undefined

/** What each context begins with, made once in a process. */
export function preludeSnapshot(): IsolatedVm.ExternalCopy<ArrayBuffer> {
  snapshot ??= ivm.Isolate.createSnapshot([{ code: libraryText('prelude'), filename: 'platform.js' }])
  return snapshot
}

/** V8 can't go on in this process; its service reads the reason. */
export function endFull(): void {
  writeSync(2, 'out of memory\n')
  process.kill(process.pid, 'SIGKILL')
}
