import { runTests, type TestReport, type TestResult } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { z } from 'zod'
import { type GivenProblem, openOffline } from '../../../runtime/src/automation-tests/offline.ts'
import { ask, askAs } from '../platform/call.ts'
import { OpsProblem, type Terminal } from '../terminal.ts'
import type { AutomationFile, TestFile } from './workspace-folders.ts'

type Report = z.output<typeof TestReport>

/** What came of one file. */
export interface TestedFile {
  readonly name: string
  readonly results: readonly TestResult[]
  /** Why its tests could not be run. */
  readonly problem?: string
}

/** Runs the tests of one file; a sentence where they can't be run. */
export type RunFile = (file: TestFile) => Promise<Report | { readonly problem: string }>

interface Where {
  readonly workspace?: string
  readonly url?: string
}

/** In this process, or on a platform where a workspace is named. */
export async function openRunner(
  terminal: Terminal,
  automations: readonly AutomationFile[],
  where: Where,
): Promise<RunFile> {
  const run =
    where.workspace === undefined ? await here(automations, terminal) : there(terminal, automations, where)
  return async (file) => {
    try {
      return await run(file)
    } catch (error) {
      const isOfFile = error instanceof Failure || (error instanceof OpsProblem && error.status === 400)
      if (isOfFile) return { problem: error.message }
      throw error
    }
  }
}

async function here(
  automations: readonly AutomationFile[],
  { env }: Terminal,
): Promise<(file: TestFile) => Promise<Report>> {
  try {
    return await openOffline(automations, env)
  } catch (error) {
    throw error instanceof Failure ? new OpsProblem(refusalOf(error, automations)) : error
  }
}

/** Each problem as compilers write it: file, line and column. */
function refusalOf({ message, details }: Failure, automations: readonly AutomationFile[]): string {
  if (!Array.isArray(details)) return message
  const files = new Map(automations.map(({ slug, file }) => [slug, file]))
  return (details as GivenProblem[])
    .map((one) => `${files.get(one.automation)}:${one.line}:${one.column}: ${one.message}`)
    .join('\n')
}

/** With the token of PLATFORM_TOKEN, or else as an operator with the internal key. */
function there(
  terminal: Terminal,
  automations: readonly AutomationFile[],
  { workspace = '', url }: Where,
): (file: TestFile) => Promise<Report> {
  const path = runTests.path.replace(':workspaceId', encodeURIComponent(workspace))
  const env = url === undefined ? terminal.env : { ...terminal.env, INTERNAL_API_URL: url }
  const token = env.PLATFORM_TOKEN
  const given = automations.map(({ slug, text }) => ({ slug, text }))
  return async ({ name, text }) => {
    const body = { files: [{ name, text }], automations: given }
    return token === undefined || token === ''
      ? await ask({ ...terminal, env }, runTests, { path, body })
      : await askAs({ ...terminal, env }, token, runTests, { path, body })
  }
}
