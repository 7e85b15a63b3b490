const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// Made when the first time is shown: it costs a quarter of a bare start of Node.
let relative: Intl.RelativeTimeFormat | undefined

const STEPS: readonly (readonly [
  limit: number,
  size: number,
  unit: Intl.RelativeTimeFormatUnit,
])[] = [
  [MINUTE, SECOND, 'second'],
  [HOUR, MINUTE, 'minute'],
  [DAY, HOUR, 'hour'],
  [7 * DAY, DAY, 'day'],
  [30 * DAY, 7 * DAY, 'week'],
]

/** How long something took: `40 ms`, `1.2 s`, `14 s`, `3 min`, `2 hr`, `4 days`. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.round(Math.max(0, ms))} ms`
  if (ms < 9950) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < MINUTE - 500) return `${Math.round(ms / SECOND)} s`
  if (ms < HOUR - MINUTE / 2) return `${Math.round(ms / MINUTE)} min`
  if (ms < DAY - HOUR / 2) return `${Math.round(ms / HOUR)} hr`
  const days = Math.round(ms / DAY)
  return `${days} ${days === 1 ? 'day' : 'days'}`
}

/** How long ago or from now: `2 min. ago`, `yesterday`, `in 1 hr.`; the date beyond 30 days. */
export function formatRelative(iso: string, now: number): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return iso
  const distance = time - now
  const step = STEPS.find(([limit]) => Math.abs(distance) < limit)
  if (step === undefined) return iso.slice(0, 10)
  const [, size, unit] = step
  const count = Math.trunc(distance / size)
  // "0 seconds" comes out as "now", which reads well; "-0" would read "now" for the future, too.
  relative ??= new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'auto' })
  return relative.format(count === 0 ? 0 : count, unit)
}
