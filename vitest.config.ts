import { defineConfig } from 'vitest/config'

/** Two kinds of tests: "unit" beside the code on one real PostgreSQL, "e2e" against the platform as it is deployed. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/**/src/**/*.test.ts', 'apps/**/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          globalSetup: ['packages/testing/src/global-setup.ts'],
          pool: 'forks',
          maxWorkers: 2,
          // Ends what hangs; how long anything takes is what the benches measure.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
