// Runs before each test file: what the machine or the CI service sets must not change a result,
// neither here nor in the processes that a test starts. What makes tests run longer stays.

const fixed = { LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'xterm-256color' }

const ambient =
  /^(HEXAGON_(?!LAW_|HOSTILE_).*|CI|GITHUB_.*|NO_COLOR|FORCE_COLOR|CLICOLOR.*|NODE_DISABLE_COLORS|LC_.*|COLUMNS|LINES|PAGER|EDITOR|VISUAL|NODE_OPTIONS)$/

for (const name of Object.keys(process.env)) {
  if (ambient.test(name)) Reflect.deleteProperty(process.env, name)
}
Object.assign(process.env, fixed)
