import { defineConfig } from 'vitest/config'

/** Flows and tests import `hexagon` as a user would; this condition leads that name to `src`. */
const conditions = ['hexagon:source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
  },
})
