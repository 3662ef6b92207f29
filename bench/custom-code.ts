import { readFileSync } from 'node:fs'
import { readConfig } from '@platform/config'
import {
  type CustomCode,
  customCodeSettings,
  customCodeVariables,
  type FunctionCall,
  openCustomCode,
} from '@platform/custom-code'
import { createLogger } from '@platform/logging'
import { processTree } from '@platform/testing/platform'
import { z } from 'zod'
import { type Figure, median } from './measure/figure.ts'

const ROUNDS = 3000
const COLD_ROUNDS = 9
/** About 1 KB in and out. */
const parameters = { text: 'x'.repeat(1000) }
const code = 'return { text: text.toUpperCase() }'

const settings = customCodeSettings(readConfig(z.object(customCodeVariables), {}))
const opened = () => openCustomCode({ settings, log: createLogger({ level: 'error' }) })

const call = (customCode: CustomCode, changes: Partial<FunctionCall> = {}) =>
  customCode.call({
    workspaceId: 'w1',
    name: 'upper',
    language: 'javascript',
    code,
    dependencies: [],
    parameterNames: ['text'],
    parameters,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...changes,
  })

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function times(rounds: number, work: (round: number) => unknown): Promise<number[]> {
  const all: number[] = []
  for (let round = 0; round < rounds; round += 1) all.push(await timed(() => work(round)))
  return all.sort((a, b) => a - b)
}

const p99 = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN

/** Resident memory that belongs to the processes alone. */
function megabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

/** What a call of a function costs, warm and cold, beside one of a plain function in the same process. */
export async function customCode(): Promise<Figure[]> {
  return [...(await javascript()), ...(await python())]
}

async function javascript(): Promise<Figure[]> {
  const plain = ({ text }: { text: string }) => ({ text: text.toUpperCase() })
  const inProcess = await times(ROUNDS, async () =>
    JSON.stringify(await plain(JSON.parse(JSON.stringify(parameters)))),
  )
  const started = await times(COLD_ROUNDS, async () => {
    const cold = opened()
    await call(cold)
    await cold[Symbol.asyncDispose]()
  })
  await using customCode = opened()
  await times(500, () => call(customCode))
  const warm = await times(ROUNDS, () => call(customCode))
  const fresh = await times(50, (round) => call(customCode, { workspaceId: `other-${round}` }))
  const pids = processTree(process.pid).filter((pid) => pid !== process.pid)
  const memory = megabytes(pids) / pids.length
  return [
    {
      name: 'custom code: warm call, 1 KB in and out',
      value: median(warm),
      unit: 'ms',
      goal: 0.5,
      needed: 1,
    },
    { name: 'custom code: warm call, p99', value: p99(warm), unit: 'ms' },
    { name: 'custom code: the same in the process, without a wall', value: median(inProcess), unit: 'ms' },
    { name: 'custom code: first call of a workspace', value: median(fresh), unit: 'ms' },
    {
      name: 'custom code: cold, with the start of a process',
      value: median(started),
      unit: 'ms',
      goal: 80,
      needed: 150,
    },
    { name: 'custom code: memory of a process, 8 workspaces', value: memory, unit: 'MB' },
  ]
}

async function python(): Promise<Figure[]> {
  await using customCode = opened()
  const greet = { language: 'python', code: "return {'text': text.upper()}" } as const
  const first = await timed(() => call(customCode, greet))
  const other = await timed(() => call(customCode, { ...greet, workspaceId: 'w2' }))
  await times(100, () => call(customCode, greet))
  const warm = await times(ROUNDS / 10, () => call(customCode, greet))
  const pids = processTree(process.pid).filter((pid) => pid !== process.pid)
  return [
    { name: 'custom code: python, the first call of all', value: first, unit: 'ms' },
    { name: 'custom code: python, cold', value: other, unit: 'ms' },
    { name: 'custom code: python, warm', value: median(warm), unit: 'ms' },
    { name: 'custom code: python, warm, p99', value: p99(warm), unit: 'ms' },
    {
      name: 'custom code: python, memory of a process',
      value: megabytes(pids) / Math.max(1, pids.length),
      unit: 'MB',
    },
  ]
}
