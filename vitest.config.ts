import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/**
 * Where other work shares the machine, a server may once not answer within its deadline. A test that fails twice has
 * failed; one that passes only at the second attempt is named at the end of the run, to be looked at.
 */
const retry = process.env.CI === undefined ? 0 : 1

/**
 * What is slow by nature (faults under load, restarts, whole matrices) runs before a release: scripts/nightly/all.sh.
 */
const isNightly = process.env.NIGHTLY === '1'

/** `npm test` alone: what needs minutes of the machine, or the machine for itself, is left to CI. */
const isShort = process.env.TESTS_LEAVE_TO_CI === '1'

/** What measures how long something takes, or how much of the machine: nothing else runs beside it. */
const alone = ['faults', 'killed-runs', 'leaks', 'revocation'].map((name) => `e2e/${name}.test.ts`)

/** What starts and kills platform after platform. */
const startingMany = ['backup', 'processes-that-die', 'start-and-stop', 'workers'].map(
  (name) => `e2e/${name}.test.ts`,
)

/** What is waited for may come late on a machine that does much else; what promises to be quick is measured. */
const patient = {
  setupFiles: ['packages/testing/src/each-file.ts'],
  expect: { poll: { timeout: 20_000 } },
}

const endToEnd = {
  retry,
  ...patient,
  globalSetup: [
    'packages/testing/src/temporary-directory.ts',
    'e2e/support/build-bundles.ts',
    'e2e/support/shared-platforms.ts',
  ],
  pool: 'forks' as const,
  testTimeout: 180_000,
  hookTimeout: 180_000,
}

/** Two kinds of tests: "unit" beside the code on one real PostgreSQL, "e2e" against the platform as it is deployed. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          retry,
          ...patient,
          include: ['packages/**/src/**/*.test.ts', 'apps/**/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...(isShort ? ['**/*-in-chromium.test.ts'] : [])],
          globalSetup: [
            'packages/testing/src/temporary-directory.ts',
            'packages/testing/src/global-setup.ts',
          ],
          pool: 'forks',
          // Files of one process share what they import: a file that imports the world anew costs two seconds of a
          // core.
          isolate: false,
          // Tests wait more than they compute: two files a core keep the cores busy.
          maxWorkers: 2 * availableParallelism(),
          // Ends what hangs; how long anything takes is what the benches measure.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['e2e/*.test.ts'],
          exclude: [...alone, ...(isShort ? startingMany : [])],
          isolate: false,
          // A platform is six processes that all start at once: one a core, so that deadlines are kept.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e-alone',
          include: isShort ? [] : [...alone, ...(isNightly ? ['e2e/nightly/*.test.ts'] : [])],
          // Needs an engine and images: scripts/nightly/compose.sh has both.
          exclude: process.env.COMPOSE_PLATFORM === '1' ? [] : ['e2e/nightly/compose.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
