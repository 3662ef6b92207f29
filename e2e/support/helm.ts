import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { parseAllDocuments } from 'yaml'
import type { ClusterObject } from './cluster.ts'

export const CHART = 'deploy/helm/platform'
/** The oldest Kubernetes the chart is for: Helm asks, where no cluster says it. */
export const OLDEST = '1.33.0'

/** The value sets that are tested, by name. */
export const valueSets = readdirSync(`${CHART}/ci`).map((file) => file.replace(/-values\.yaml$/, ''))
export const valuesOf = (name: string): string[] => ['--values', `${CHART}/ci/${name}-values.yaml`]

export interface Outcome {
  code: number
  output: string
  complaint: string
}

/** What a script of scripts/servers says to a command. */
export const askScript = (script: string, command: string): string =>
  execFileSync(`scripts/servers/${script}.sh`, [command], { encoding: 'utf8', stdio: 'pipe' }).trim()

/** The program a script of scripts/servers installs; undefined where it has not. */
function programOf(script: string): string | undefined {
  try {
    const path = askScript(script, 'program')
    return existsSync(path) ? path : undefined
  } catch {
    if (process.env.REQUIRE_SERVERS === '1') throw new Error(`Run scripts/servers/${script}.sh install.`)
    console.warn(`\n*** SKIPPED: scripts/servers/${script}.sh is not installed. ***\n`)
    return undefined
  }
}

export const helmProgram = programOf('helm')
export const kubeconformProgram = programOf('kubeconform')

export function runProgram(
  program: string | undefined,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
) {
  if (program === undefined) throw new Error('The program is not installed.')
  return new Promise<Outcome>((resolve) => {
    const options = { env: { HOME: homedir(), PATH: process.env.PATH, ...env }, maxBuffer: 100_000_000 }
    execFile(program, args, options, (error, output, complaint) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, output, complaint })
    })
  })
}

export const helm = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runProgram(helmProgram, args, env)

/** What the chart makes of values, as text. Throws what Helm complains of. */
export async function render(args: readonly string[], chart = CHART): Promise<string> {
  const { code, output, complaint } = await helm([
    'template',
    'demo',
    chart,
    '--namespace',
    'demo',
    '--kube-version',
    OLDEST,
    ...args,
  ])
  if (code !== 0) throw new Error(complaint)
  return output
}

export const objectsOf = (text: string): ClusterObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as ClusterObject | null)
    .filter((object) => object !== null)
