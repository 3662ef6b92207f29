import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { repositoryRoot } from '@platform/testing/platform'

const run = promisify(execFile)

/** COMPOSE_SETTINGS is a file of further settings, for a machine that is too busy for those of production. */
const { COMPOSE_SETTINGS = '' } = process.env
const files = ['deploy/compose/platform.yaml', COMPOSE_SETTINGS]
  .filter(Boolean)
  .flatMap((file) => ['-f', file])

/** A platform in containers, as deploy/compose/platform.yaml makes it, in a project of its own. */
export class Containers {
  readonly project: string
  readonly port: number
  readonly origin: string
  readonly #env: NodeJS.ProcessEnv
  readonly #profiles = new Set<string>()

  constructor(project: string, port: number) {
    this.project = project
    this.port = port
    this.origin = `http://localhost:${port}`
    this.#env = { ...process.env, PUBLISHED_PORT: String(port) }
  }

  async compose(...args: string[]): Promise<string> {
    const profiles = [...this.#profiles].flatMap((profile) => ['--profile', profile])
    return this.#run('docker', ['compose', '-p', this.project, ...files, ...profiles, ...args])
  }

  /** From now on with a profile, and with what the shell then says. */
  withProfile(profile: string, env: Record<string, string>): void {
    this.#profiles.add(profile)
    Object.assign(this.#env, env)
  }

  roll = (service: string): Promise<string> =>
    this.#run('deploy/compose/roll.sh', [service, '-p', this.project, ...files.slice(2)])

  /** Ids of the running containers of a service. */
  ids = async (service: string): Promise<string[]> =>
    (await this.compose('ps', '-q', service)).split('\n').filter(Boolean)

  /** Kills the first process of a container as the kernel would. The engine must be on this machine. */
  async kill(id: string): Promise<void> {
    const pid = Number(await this.inspect(id, '{{.State.Pid}}'))
    // A container that does not run has the process 0, which would be this one and all beside it.
    if (!(pid > 0)) throw new Error(`The container ${id} does not run.`)
    process.kill(pid, 'SIGKILL')
  }

  inspect = async (id: string, format: string): Promise<string> =>
    (await this.#run('docker', ['inspect', '-f', format, id])).trim()

  /** The password the first start has printed. */
  async administrator(): Promise<{ email: string; password: string }> {
    const log = await this.compose('logs', '--no-log-prefix', 'api-gateway')
    const [, email = ''] = /e-mail {4}(\S+)/.exec(log) ?? []
    const [, password = ''] = /password {2}(\S+)/.exec(log) ?? []
    return { email, password }
  }

  async #run(command: string, args: string[]): Promise<string> {
    const options = { cwd: repositoryRoot, env: this.#env, maxBuffer: 50_000_000 }
    const { stdout } = await run(command, args, options)
    return stdout
  }
}
