import { join } from 'node:path'
import type { AutomationCoverage } from '@platform/contracts'
import type { AutomationFile } from './workspace-folders.ts'

/** The coverage of several files of tests together. */
export function mergedCoverage(reports: readonly (readonly AutomationCoverage[])[]): AutomationCoverage[] {
  const merged = new Map<string, AutomationCoverage>()
  for (const one of reports.flat()) {
    const before = merged.get(one.automationSlug)
    merged.set(one.automationSlug, before === undefined ? one : added(before, one))
  }
  return [...merged.values()].sort((a, b) => (a.automationSlug < b.automationSlug ? -1 : 1))
}

function added(before: AutomationCoverage, after: AutomationCoverage): AutomationCoverage {
  const hits = new Map(after.instructions.map((one) => [one.path, one.hits]))
  const instructions = before.instructions.map((one) => ({
    ...one,
    hits: one.hits + (hits.get(one.path) ?? 0),
  }))
  return { ...before, instructions, covered: instructions.filter((one) => one.hits > 0).length }
}

/** In the format of lcov, which editors and CI servers show beside the lines of the automations. */
export function lcovOf(
  coverage: readonly AutomationCoverage[],
  automations: readonly AutomationFile[],
  directory: string,
): string {
  const files = new Map(automations.map(({ slug, file }) => [slug, file]))
  return coverage
    .flatMap(({ automationSlug, instructions }) => {
      const file = files.get(automationSlug)
      return file === undefined ? [] : recordOf(join(directory, file), instructions)
    })
    .join('')
}

function recordOf(file: string, instructions: AutomationCoverage['instructions']): string {
  const lines = new Map<number, number>()
  for (const { line, hits } of instructions)
    if (line !== undefined) lines.set(line, Math.max(lines.get(line) ?? 0, hits))
  const sorted = [...lines].sort(([a], [b]) => a - b)
  const hit = sorted.filter(([, hits]) => hits > 0).length
  return [
    'TN:',
    `SF:${file}`,
    ...sorted.map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${sorted.length}`,
    `LH:${hit}`,
    'end_of_record',
    '',
  ].join('\n')
}
