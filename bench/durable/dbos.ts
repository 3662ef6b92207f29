import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbedded } from '@platform/database'
import { freePorts, freshDirectory, processTree } from '@platform/testing/platform'
import { type Contender, installed, untilDone } from './contender.ts'

export const DBOS_VERSION = '5.3.0'

/** A workflow whose only step asks `outside`, behind the HTTP server of Node. */
const service = `
import { createServer } from 'node:http'
import { DBOS } from '@dbos-inc/dbos-sdk'
const [port, outside] = process.argv.slice(2)
const ask = async (given) => {
  const answer = await fetch(outside, { method: 'POST', body: JSON.stringify(given) })
  return await answer.json()
}
const place = DBOS.registerWorkflow(async (given) => {
  const asked = await DBOS.runStep(() => ask(given), { name: 'ask' })
  return { id: asked.id }
}, { name: 'place' })
DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.DATABASE,
  logLevel: 'error',
  runAdminServer: false,
})
await DBOS.launch()
createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const answer = await place(JSON.parse(Buffer.concat(chunks).toString()))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}).listen(Number(port), '127.0.0.1')
`

/** DBOS on a PostgreSQL of its own, the same that all in one brings along, with fsync. */
export async function startDbos(outside: string): Promise<Contender & AsyncDisposable> {
  const folder = await installed(`dbos-${DBOS_VERSION}`, [`@dbos-inc/dbos-sdk@${DBOS_VERSION}`])
  const directory = freshDirectory('dbos-')
  const [port = 0] = await freePorts(1)
  const server = await startEmbedded(join(directory, 'postgres'))
  writeFileSync(join(folder, 'service.mjs'), service)
  const workflows = spawn(process.execPath, ['service.mjs', String(port), outside], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', DATABASE: server.url },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/`
  await untilDone(url, { name: 'Ada' })
  return {
    plan: { url, headers: {} },
    pids: () => processTree(server.pid(), workflows.pid ?? 0),
    async [Symbol.asyncDispose]() {
      workflows.kill('SIGKILL')
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
