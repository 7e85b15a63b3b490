import { defineConfig } from 'vitest/config'

/** Tests import `hexagon` as a user would; the first condition leads that name to `src`. */
const conditions = ['hexagon:source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/environment.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
