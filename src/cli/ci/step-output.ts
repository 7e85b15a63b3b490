import { randomText } from '../../system/services.ts'

/** Entries for the file that `$GITHUB_OUTPUT` names. Nothing in a value can end its entry early. */
export function stepOutput(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [entry(name, value)]))
    .join('')
}

function entry(name: string, value: string): string {
  if (!/[\r\n]/u.test(value)) return `${name}=${value}\n`
  const end = `end_${randomText(20)}`
  return `${name}<<${end}\n${value}\n${end}\n`
}
