import { expect, test } from 'vitest'
import { mergePages } from './metrics-page.ts'

const page = (worker: number, ...more: string[]) =>
  `${[
    `# HELP a_total What is counted.\n# TYPE a_total counter\na_total{b="x\\n\\n",worker="${worker}"} ${worker}`,
    '# HELP empty Nothing yet.\n# TYPE empty gauge',
    ...more,
  ].join('\n\n')}\n`

test('pages of several processes say each metric once, with the lines of all', () => {
  const only = '# HELP only One has it.\n# TYPE only gauge\nonly{worker="2"} 7'
  expect(mergePages([page(1), page(2, only)])).toBe(
    [
      '# HELP a_total What is counted.\n# TYPE a_total counter',
      'a_total{b="x\\n\\n",worker="1"} 1',
      'a_total{b="x\\n\\n",worker="2"} 2\n',
      '# HELP empty Nothing yet.\n# TYPE empty gauge\n',
      `${only}\n`,
    ].join('\n'),
  )
})

test('one page stays as it is', () => {
  expect(mergePages([page(1)])).toBe(page(1))
})
