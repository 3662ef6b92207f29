import type { TestResult } from '@platform/contracts'
import type { TestedFile } from './test-runner.ts'

/** The results in the XML that CI servers read: a suite for each file, a case for each test. */
export function junitOf(tested: readonly TestedFile[]): string {
  const suites = tested.map(suiteOf)
  const all = tested.flatMap(({ results }) => results)
  const attributes = countsOf(all, tested.filter(({ problem }) => problem !== undefined).length)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    element('testsuites', { name: 'automations', ...attributes }, suites.join('')),
    '',
  ].join('\n')
}

function suiteOf({ name, results, problem }: TestedFile): string {
  const cases = results.map((result) => caseOf(name, result))
  if (problem !== undefined) {
    const error = element('error', { message: problem }, '')
    cases.push(element('testcase', { name: 'can be read', classname: name, time: '0' }, error))
  }
  return element('testsuite', { name, ...countsOf(results, problem === undefined ? 0 : 1) }, cases.join(''))
}

function countsOf(results: readonly TestResult[], errors: number): Record<string, string | number> {
  const count = (status: TestResult['status']) => results.filter((one) => one.status === status).length
  const ms = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return {
    tests: results.length + errors,
    failures: count('failed'),
    errors,
    skipped: count('notRun'),
    time: (ms / 1000).toFixed(3),
  }
}

function caseOf(file: string, { name, status, durationMs, differences }: TestResult): string {
  const attributes = { name, classname: file, time: (durationMs / 1000).toFixed(3) }
  if (status === 'passed') return element('testcase', attributes, '')
  if (status === 'notRun')
    return element(
      'testcase',
      attributes,
      element('skipped', { message: 'There was no time left for it.' }, ''),
    )
  const [first] = differences
  const text = differences.map((one) => detailOf(one)).join('\n')
  const failure = element('failure', { message: first?.message ?? 'It failed.' }, escaped(text))
  return element('testcase', attributes, failure)
}

function detailOf({ message, expected, got }: TestResult['differences'][number]): string {
  const values = Object.entries({ expected, got }).filter(([, value]) => value !== undefined)
  return [message, ...values.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)].join('\n')
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: string,
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
  return content === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
  '\r': '&#13;',
}

/** What XML 1.0 has no way to write is left out. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not allow.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"\n\t\r]/g, (character) => ENTITIES[character] ?? character)
