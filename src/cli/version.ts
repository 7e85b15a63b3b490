import { readFileSync } from 'node:fs'

/** The version of this package. */
export function hexagonVersion(): string {
  // The same way up from src/cli and from dist/cli.
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  const version: unknown =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined
  return typeof version === 'string' ? version : '0.0.0'
}
