import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { freshDirectory, processTree, repositoryRoot, startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { pssMegabytes } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const STARTS = 5
const RUNS = 1000

/** A warm `npm start` until it says that it is ready, and the memory of everything after 1,000 runs. */
export async function start(): Promise<Figure[]> {
  const directory = freshDirectory('bench-start-')
  try {
    const env: Record<string, string> = {}
    const megabytes = await memoryAfterRuns(directory, env)
    const seconds: number[] = []
    for (let round = 0; round < STARTS; round += 1) seconds.push(await warmStart(env))
    return [
      { name: 'start: warm npm start to ready', value: median(seconds), unit: 's', goal: 5 },
      { name: `start: memory of everything after ${RUNS} runs`, value: megabytes, unit: 'MB PSS', goal: 400 },
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function memoryAfterRuns(directory: string, env: Record<string, string>): Promise<number> {
  await using platform = await startAllInOne({}, directory)
  Object.assign(env, platform.env)
  const { workspaceId, authorization } = await workspaceToCall(platform)
  let sent = 0
  while (sent < RUNS) {
    const result = await sendLoad({
      url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/greet`,
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
      connections: 8,
      durationMs: 500,
    })
    sent += result.requests
  }
  return pssMegabytes(processTree(...platform.processes.map(({ pid }) => pid)))
}

async function warmStart(env: Record<string, string>): Promise<number> {
  const begun = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: repositoryRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  for await (const chunk of child.stdout) if (/is ready at/.test(String(chunk))) break
  const seconds = (performance.now() - begun) / 1000
  child.kill('SIGINT')
  await ended
  return seconds
}
