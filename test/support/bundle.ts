import { build } from 'esbuild'

/**
 * Makes one file of a script and all it imports, which starts in a moment and may lie anywhere. What is native
 * is found where this project has it.
 */
export async function bundle(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['hexagon:source'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins: [
      {
        name: 'native',
        setup: (made) =>
          // oxlint-disable-next-line require-unicode-regexp -- esbuild's filters are Go's and know no flags
          made.onResolve({ filter: /^libsql$/ }, () => ({
            path: import.meta.resolve('libsql'),
            external: true,
          })),
      },
    ],
    logLevel: 'error',
  })
}
