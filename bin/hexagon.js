#!/usr/bin/env node
// Nothing is imported before the version check: an old Node then prints one sentence, not a stack.
const [major, minor] = process.versions.node.split('.').map(Number)
const isOld = major < 20 || (major === 20 && minor < 19)
const [first, ...rest] = process.argv.slice(2)

if (isOld) {
  console.error(`hexagon needs Node 20.19 or newer, this is ${major}.${minor}`)
  process.exitCode = 1
} else if (rest.length === 0 && (first === '--version' || first === '-V')) {
  const { readFileSync } = await import('node:fs')
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  console.log(JSON.parse(manifest).version)
} else {
  const { main } = await import('#cli')
  process.exitCode = await main(process.argv.slice(2))
}
