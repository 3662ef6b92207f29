import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts, freshDirectory, processTree, repositoryRoot } from '@platform/testing/platform'
import type { TestServer } from './servers.ts'

const script = join(repositoryRoot, 'scripts/servers/opensearch.sh')

/** An OpenSearch of a test's own. Starting it takes some 15 seconds. */
export async function startOpenSearch(): Promise<TestServer> {
  const home = freshDirectory('opensearch-')
  const folder = join(home, 'server')
  const [port = 0] = await freePorts(1)
  const run = (command: string, ...args: string[]) => promisify(execFile)(script, [command, folder, ...args])
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processTree(Number(readFileSync(join(folder, 'pid'), 'utf8')))) process.kill(pid, name)
  }
  const server: TestServer = {
    url: `opensearch+http://127.0.0.1:${port}`,
    start: async () => void (await run('start', String(port))),
    async kill() {
      signal('SIGKILL')
      await run('stop')
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    wipe: async () => rmSync(join(folder, 'data'), { recursive: true, force: true }),
    async stop() {
      await run('stop')
      rmSync(home, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}
