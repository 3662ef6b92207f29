import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runOps, serve } from '../../test/testing.ts'

const root = mkdtempSync(join(tmpdir(), 'ops-automations-'))
afterAll(() => rmSync(root, { recursive: true }))

/** Writes a directory of files. */
function directory(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, name, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return join(root, name)
}

const greet = `do:
  - conditions:
      '{{name}} == "Bob"':
        - set: { name: name, value: Robert }
output: Hello {{name}}
`
const passing = `automation: tools/greet
arguments: { name: Ada }
expect: { output: Hello Ada }
`
const failing = `automation: tools/greet
tests:
  greets Bob: { arguments: { name: Bob }, expect: { output: Hello Bob } }
  wants <more> & "less": { expect: { output: { a: { b: [1, 2] }, c: a text that is long enough to be shown } } }
`

let shop: string
beforeAll(() => {
  shop = directory('shop', {
    'tools/greet.yml': greet,
    'tools/greet.test.yml': passing,
    'failing.test.yml': failing,
    'broken.test.yml': 'automation: tools/greet\nexpects: 1\n',
    'package.json': '{ "name": "none of ours" }',
    'node_modules/x/y.test.yml': 'broken: [',
  })
})

describe('ops automations test', () => {
  test('runs the tests of a directory without any server', async () => {
    const good = directory('good', { 'greet.yml': greet, 'greet.test.yml': passing.replace('tools/', '') })
    const { code, out } = await runOps(['automations', 'test', good])
    expect(code).toBe(0)
    expect(out).toMatch(/^✓ greet\.test\.yml {2}1 test {2}\d+ ms$/m)
    expect(out).toMatch(/^greet +1\/2 +50 %$/m)
    expect(out).toMatch(/^1 passed \(\d+\.\d s\)$/m)
  })

  test('answers for automations of other workspaces what the tests say', async () => {
    const call =
      'do: [{ runWorkflow: { workspace: "slug:audit2", workflow: callee, output: n } }]\noutput: "{{n}}"\n'
    const calling = directory('calling', {
      'main.yml': call,
      'main.test.yml':
        'automation: main\nautomations: { "slug:audit2/callee": { output: 3 } }\nexpect: { output: 3 }\n',
    })
    expect(await runOps(['automations', 'test', calling])).toMatchObject({ code: 0 })
  })

  test('shows what differs, goes on with the next file, and exits with 1', async () => {
    const { code, out } = await runOps(['automations', 'test', shop])
    expect(code).toBe(1)
    expect(out).toContain('✗ failing.test.yml')
    expect(out).toContain('greets Bob')
    expect(out).toContain('output should be "Hello Bob" and is "Hello Robert".')
    expect(out).toContain('✗ broken.test.yml\n    broken.test.yml:2:1: expects: is no field of a test here.')
    expect(out).toContain('✓ tools/greet.test.yml')
    expect(out).toMatch(/1 passed, 2 failed, 1 file not read/)
    expect(out).not.toContain('node_modules')
  })

  test('above the folders of several workspaces gives each test the automations of its own', async () => {
    const calling = 'do:\n  - tools/add: { output: sum }\noutput: "{{sum}}"\n'
    const named = (automation: string, output: unknown) =>
      `automation: ${automation}\nexpect: { output: ${JSON.stringify(output)} }\n`
    const several = directory('several', {
      'one/main.yml': 'when: { events: [placed] }\noutput: one\n',
      'one/main.test.yml': named('main', 'one'),
      'one/heard.test.yml': 'event: placed\nexpect: { output: one }\n',
      'group/two/main.yml': 'when: { events: [placed] }\noutput: two\n',
      'group/two/main.test.yml': named('main', 'two'),
      'declared/index.yml': 'name: Declared\nslug: declared\n',
      'declared/parts/deep/main.yml': calling,
      'declared/parts/deep/main.test.yml': named('parts/deep/main', 3),
      'declared/tools/add.yml': 'output: 3\n',
      'whole/tools/greet.yml': greet,
      'whole/tools/greet.test.yml': passing,
      'whole/others/calls.yml': 'do:\n  - tools/greet: { name: Bob, output: said }\noutput: "{{said}}"\n',
      'whole/others/calls.test.yml': named('others/calls', 'Hello Robert'),
    })
    const lcov = join(root, 'several.info')
    const { code, out, err } = await runOps(['automations', 'test', several, '--coverage', lcov])
    expect([code, err], out).toEqual([0, ''])
    expect(out).toMatch(/^6 passed/m)
    expect(out).toMatch(/^whole\/tools\/greet +2\/2 +100 %$/m)
    expect(readFileSync(lcov, 'utf8')).toContain(`SF:${join(several, 'declared/parts/deep/main.yml')}`)
    expect(await runOps(['automations', 'test', several, '--workspace', 'w1'])).toEqual({
      code: 1,
      out: '',
      err:
        `${several} has 4 workspaces (declared, group/two, one, whole): ` +
        'name the folder of the one that --workspace is.',
    })
  })

  test('is coloured on a terminal', async () => {
    const { out } = await runOps(['automations', 'test', shop], {}, true)
    expect(out).toContain('\u001b[31m✗ failing.test.yml')
    expect(out).toContain('\u001b[32m✓ tools/greet.test.yml')
  })

  test('writes JUnit and lcov for CI', async () => {
    const [junit, coverage] = [join(root, 'junit.xml'), join(root, 'lcov.info')]
    await runOps(['automations', 'test', shop, '--junit', junit, '--coverage', coverage])
    const xml = readFileSync(junit, 'utf8')
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="automations" tests="4" failures="2" errors="1"/,
    )
    expect(xml).toContain('name="wants &lt;more&gt; &amp; &quot;less&quot;"')
    expect(xml.match(/<testcase /g)).toHaveLength(4)
    expect(xml.match(/<testcase [^>]*[^/]>/g)).toHaveLength(xml.match(/<\/testcase>/g)?.length ?? 0)
    expect(readFileSync(coverage, 'utf8')).toBe(
      `TN:\nSF:${join(shop, 'tools/greet.yml')}\nDA:2,3\nDA:4,1\nLF:2\nLH:2\nend_of_record\n`,
    )
  })

  test('says where there is nothing to test, or nothing to read', async () => {
    const empty = directory('empty', { 'greet.yml': greet })
    const none = await runOps(['automations', 'test', empty])
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('There are no tests in') })
    const missing = await runOps(['automations', 'test', join(root, 'none')])
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("can't be read (ENOENT)") })
    const broken = directory('unreadable', { 'a.yml': 'do: [', 'a.test.yml': 'automation: a' })
    const unread = await runOps(['automations', 'test', broken])
    expect(unread).toMatchObject({ code: 1, err: expect.stringMatching(/^a\.yml:\d+:\d+: /) })
  })

  test('checks what it tests as on saving: each problem with file, line and column', async () => {
    const refused = directory('refused', {
      'tools/a.yml': 'do:\n  - sett: { name: b }\n  - set: { name: c }\n  - repeat: { on: "{{d" , do: [] }\n',
      'b.yml': 'when: { schedules: ["* * * * *"] }\noutput: 1\n',
      'c.yml': 'output: 1\n',
      'c.test.yml': 'automation: c\nexpect: { output: 1 }\n',
    })
    const { code, err, out } = await runOps(['automations', 'test', refused])
    expect([code, out]).toEqual([1, ''])
    expect(err.trim().split('\n')).toEqual([
      expect.stringMatching(/^b\.yml:1:21: when\.schedules\[0\] fires too often/),
      expect.stringMatching(/^tools\/a\.yml:3:5: do\[1\]\.set\.value is missing/),
      expect.stringMatching(/^tools\/a\.yml:4:\d+: do\[2\]\.repeat\.on has a mistake/),
    ])
    const strict = { AUTOMATION_MAX_STEPS: '2', SCHEDULES_MIN_INTERVAL: '60' }
    const limited = await runOps(['automations', 'test', refused], strict)
    expect(limited.err).toContain('tools/a.yml:1:1: The automation has 3 steps; at most 2 are allowed')
    expect(limited.err).not.toContain('b.yml')
  })

  test('asks a platform where a workspace is named, with the automations of the directory', async () => {
    const asked: { url: string | undefined; authorization: string | undefined; body: unknown }[] = []
    await using platform = await serve((request, response) => {
      let text = ''
      request.on('data', (piece) => {
        text += piece
      })
      request.on('end', () => {
        const { url, headers } = request
        const body = JSON.parse(text)
        asked.push({ url, authorization: headers.authorization, body })
        if (body.files[0].name !== 'tools/greet.test.yml') {
          response
            .writeHead(400)
            .end(JSON.stringify({ error: 'RequestValidationError', message: 'Not read.' }))
          return
        }
        const result = { file: 'a', name: 'b', status: 'passed', durationMs: 1, differences: [] }
        const report = { passed: 1, failed: 0, notRun: 0, durationMs: 1, results: [result], coverage: [] }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(report))
      })
    })
    const url = `http://127.0.0.1:${platform.port}/v2`
    const args = ['automations', 'test', shop, '--workspace', 'w1', '--url', url]
    const { code, out } = await runOps(args, { PLATFORM_TOKEN: 'at:secret' })
    expect(code).toBe(1)
    expect(out).toContain('✗ failing.test.yml\n    Not read.')
    expect(out).toContain('✓ tools/greet.test.yml')
    expect(asked).toHaveLength(3)
    expect(asked[2]).toEqual({
      url: '/v2/workspaces/w1/tests',
      authorization: 'Bearer at:secret',
      body: {
        files: [{ name: 'tools/greet.test.yml', text: passing }],
        automations: [{ slug: 'tools/greet', text: greet }],
      },
    })
  })
})
