/** Runs jobs one after the other, in the order they came; a failed one does not stop the next. */
export type Turn = <T>(job: () => Promise<T>) => Promise<T>

/** A queue of its own: whatever asks at the terminal goes through one of these. */
export function createTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const next = last.then(job, job)
    last = next.catch(() => undefined)
    return next
  }
}
