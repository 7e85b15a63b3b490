import { readFileSync } from 'node:fs'

let version: string | undefined

/** The version of this package. */
export function hexagonVersion(): string {
  version ??= readVersion()
  return version
}

function readVersion(): string {
  // The same way up from src/cli and from dist/cli.
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  const stated: unknown =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined
  return typeof stated === 'string' ? stated : '0.0.0'
}
