import { readFileSync } from 'node:fs'
import { notYetAvailableParts } from '@platform/contracts'
import { expect, test } from 'vitest'

test('the README names everything that is not there yet', () => {
  const readme = readFileSync('README.md', 'utf8')
  const list = readme.slice(readme.indexOf('## Not there yet'), readme.indexOf('## How it is built'))
  for (const part of notYetAvailableParts) expect(list).toContain(`- ${part}\n`)
})
