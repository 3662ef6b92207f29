import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/**
 * Where other work shares the machine, a server may once not answer within its deadline. A test that fails twice has
 * failed; one that passes only at the second attempt is named at the end of the run, to be looked at.
 */
const retry = 1

/**
 * What is slow by nature (faults under load, restarts, whole matrices) runs before a release: scripts/nightly/all.sh.
 */
const isNightly = process.env.NIGHTLY === '1'

/** `npm test` alone: what needs minutes of the machine, or the machine for itself, is left to CI. */
const isShort = process.env.TESTS_LEAVE_TO_CI === '1'

/** What drives a browser, starts process after process, breaks a store, or asks a whole matrix. */
const long = [
  '**/*-in-chromium.test.ts',
  '**/{attacks,bombs,outage,recovery}.test.ts',
  'apps/api-gateway/src/readiness/get-readiness.test.ts',
  'apps/ops/src/backup/backup.test.ts',
  'apps/events/src/subscriptions/killed-holder.test.ts',
  'apps/runtime/src/runs/killed-worker.test.ts',
  'apps/api-gateway/src/authentication/wrong-master-key.test.ts',
  'apps/runtime/src/automations/{fetch-neighbours,yielding}.test.ts',
  'apps/runtime/src/waits/{many-waiting-runs,no-lost-wake-up}.test.ts',
  'apps/workspaces/src/api-keys/key-matrix.test.ts',
  'packages/backup/src/backup.test.ts',
  'packages/custom-code/src/worker-pool.test.ts',
  'packages/database/src/embedded.test.ts',
  'packages/identity/src/authentication/bad-credential-flood.test.ts',
  'packages/outbox/src/{relay,repair}.test.ts',
  'packages/service/src/{run,run-migrations}.test.ts',
  'packages/service/src/processes/process-group.test.ts',
]

/** What measures how long something takes, or how much of the machine: nothing else runs beside it. */
const alone = ['faults', 'killed-runs', 'leaks', 'revocation'].map((name) => `e2e/${name}.test.ts`)

/** Python is started again and again here: beside others that takes longer than a function may. */
const unitAlone = ['packages/custom-code/src/python.test.ts']

/** What starts and kills platform after platform, or starts the same in several shapes. */
const startingMany = [
  ...['backup', 'bundles', 'migrate', 'processes-that-die', 'start-and-stop'],
  ...['strict-http', 'upgrade-data', 'versions', 'workers'],
].map((name) => `e2e/${name}.test.ts`)

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

const unit = {
  retry,
  ...patient,
  globalSetup: ['packages/testing/src/temporary-directory.ts', 'packages/testing/src/global-setup.ts'],
  pool: 'forks' as const,
  // Files of one process share what they import: a file that imports the world anew costs two seconds of a core.
  isolate: false,
  // Ends what hangs; how long anything takes is what the benches measure.
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

/** Two kinds of tests: "unit" beside the code on one real PostgreSQL, "e2e" against the platform as it is deployed. */
export default defineConfig({
  test: {
    // Node runs the sources as it does in development: what rewrites each import costs a third of a run.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        test: {
          ...unit,
          name: 'unit',
          include: ['packages/**/src/**/*.test.ts', 'apps/**/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...unitAlone, ...(isShort ? long : [])],
          // Tests wait more than they compute: two files a core keep the cores busy.
          maxWorkers: 2 * availableParallelism(),
        },
      },
      {
        test: {
          ...unit,
          name: 'unit-alone',
          // It needs no database.
          globalSetup: ['packages/testing/src/temporary-directory.ts'],
          include: isShort ? [] : unitAlone,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
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
