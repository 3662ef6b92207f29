import {
  citations,
  leakingDeadlines,
  oldFunctions,
  ownChance,
  type Source,
  smallFiles,
  testSupportInSource,
  twoWayFolders,
  wideLines,
} from './house.ts'

interface Ratchet {
  what: string
  /** May only fall; at 0 every single one is an error. */
  most: number
  find: (sources: readonly Source[]) => string[]
}

const ratchets: readonly Ratchet[] = [
  { what: 'lines wider than 120 columns', most: 0, find: wideLines },
  { what: 'citations of what is not in the repository', most: 0, find: citations },
  { what: 'files of test support in src', most: 0, find: testSupportInSource },
  { what: 'files of 20 lines or less', most: 56, find: smallFiles },
  { what: 'instructions with a clock or chance of their own', most: 0, find: ownChance },
  { what: 'signals joined with a timeout, which leak', most: 0, find: leakingDeadlines },
  { what: 'functions set as properties, which get old', most: 0, find: oldFunctions },
  { what: 'pairs of folders that import each other', most: 0, find: twoWayFolders },
]

/** What is more than it was, as sentences that name the first of them. */
export function ratchetProblems(sources: readonly Source[], limits = ratchets): string[] {
  return limits.flatMap(({ what, most, find }) => {
    const found = find(sources)
    if (found.length <= most) return []
    const named = found.slice(0, 20).join(', ')
    return [`${found.length} ${what}, ${most} are allowed: ${named}${found.length > 20 ? ', …' : ''}.`]
  })
}
