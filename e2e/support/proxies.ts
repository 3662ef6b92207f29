import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from '@platform/testing/platform'

/** A proxy of Debian in front of gateways. */
export interface Proxy extends AsyncDisposable {
  port: number
}

export type ProxyName = 'haproxy' | 'nginx'

const scriptOf = (name: ProxyName) => join(repositoryRoot, 'scripts/servers', `${name}.sh`)

/** Whether the program is there. Says so loudly when it is not; throws where all servers are required. */
export function isInstalled(name: ProxyName): boolean {
  try {
    execFileSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${name}`])
    return true
  } catch {
    const sentence = `${name} is not installed: nothing is tested behind it. Run scripts/servers/${name}.sh install.`
    if (process.env.REQUIRE_SERVERS === '1') throw new Error(sentence)
    console.warn(`\n*** SKIPPED: ${sentence} ***\n`)
    return false
  }
}

/** Starts a proxy in front of gateways, each as host:port. */
export async function startProxy(name: ProxyName, gateways: readonly string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  const PATH = `${process.env.PATH}:/usr/sbin`
  const printed = execFileSync(scriptOf(name), ['start', folder, ...gateways], {
    encoding: 'utf8',
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(printed)?.[1])
  return {
    port,
    async [Symbol.asyncDispose]() {
      execFileSync(scriptOf(name), ['stop', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
