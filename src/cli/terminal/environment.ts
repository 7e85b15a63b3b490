/** Environment variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>

const OFF = new Set(['', '0', 'false', 'no', 'off'])

/** True for a switch that is set to anything but ``, `0`, `false`, `no` or `off`. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !OFF.has(value.trim().toLowerCase())
}

/** True where nobody sits at the terminal, as CI services announce it. */
export function isCi(env: Environment): boolean {
  return isOn(env['CI'])
}
