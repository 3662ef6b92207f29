import { expect, test } from 'vitest'
import { type Changeset, nextVersion, sectionOf, withSection } from './changelog.ts'
import { type Component, licenceProblems } from './what-ships.ts'

const changeset = (name: string, kind: string, summary: string): Changeset => ({
  name,
  text: `---\n'@platform/events': ${kind}\n---\n\n${summary}\n`,
})

test('a release has what must be done first, then what is new, then what is better', () => {
  const changesets = [
    changeset('a', 'patch', 'Faster.'),
    changeset('b', 'minor', 'Backups.'),
    changeset('c', 'major', 'Set X.\nThen restart.'),
  ]
  const section = sectionOf('1.0.0', '2026-11-23', changesets)
  expect(section).toBe(
    '## 1.0.0, 2026-11-23\n\n**What you have to do**\n\n- Set X.\n  Then restart.\n\n**New**\n\n- Backups.\n\n' +
      '**Better**\n\n- Faster.\n',
  )
  expect(withSection('# Changelog\n\nNewest first.\n\n## 0.1.0\n', section)).toBe(
    `# Changelog\n\nNewest first.\n\n${section}\n## 0.1.0\n`,
  )
})

test.each([
  ['0.1.0', 'patch', '0.1.1'],
  ['0.1.0', 'major', '0.2.0'],
  ['1.2.3', 'minor', '1.3.0'],
  ['1.2.3', 'major', '2.0.0'],
])('after %s a %s change makes %s', (current, kind, next) => {
  expect(nextVersion(current, [changeset('a', 'patch', 'A.'), changeset('b', kind, 'B.')])).toBe(next)
})

test('a changeset that says nothing is refused by its name', () => {
  expect(() => nextVersion('0.1.0', [changeset('empty', 'minor', '')])).toThrow(
    /^\.changeset\/empty\.md must name/,
  )
})

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND GPL-3.0-only', false],
  ['AGPL-3.0-only', false],
  ['', false],
])('a library under "%s" ships: %s', (expression, ships) => {
  const library: Component = { name: 'thing', version: '1.0.0', licenses: [{ expression }] }
  expect(licenceProblems([library]).length).toBe(ships ? 0 : 1)
})
