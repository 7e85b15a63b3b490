// A Submission is a set of answers on their way: all are accepted, or none is.

/** What to do when the whole set is accepted and saved. */
type Release = () => void

export class Submission {
  readonly answers: ReadonlyMap<string, unknown>
  /** Resolves when every answer is accepted. */
  readonly verified: Promise<void>
  /** Resolves when they are saved; rejects with the reason of the refusal. */
  readonly done: Promise<void>
  /** True once every call that waits in this process was asked and every other task entered. */
  offered = false
  readonly #missing: Set<string>
  readonly #releases: Release[] = []
  #verify: () => void = () => undefined
  #finish: () => void = () => undefined
  #fail: (error: unknown) => void = () => undefined
  #refused = false

  constructor(answers: ReadonlyMap<string, unknown>) {
    this.answers = answers
    this.#missing = new Set(answers.keys())
    const rejects: ((error: unknown) => void)[] = []
    this.verified = new Promise((resolve, reject) => {
      this.#verify = resolve
      rejects.push(reject)
    })
    this.done = new Promise((resolve, reject) => {
      this.#finish = resolve
      rejects.push(reject)
    })
    this.#fail = (error) => {
      for (const reject of rejects) reject(error)
    }
    // Whoever cares awaits them; a refusal that nobody awaits must not end the process.
    this.verified.catch(() => undefined)
    this.done.catch(() => undefined)
    if (answers.size === 0) this.#verify()
  }

  get refused(): boolean {
    return this.#refused
  }

  /** Answers that no call has taken yet. */
  get missing(): ReadonlySet<string> {
    return this.#missing
  }

  /** True while `id` waits for its call to check it. */
  expects(id: string): boolean {
    return !this.#refused && this.#missing.has(id)
  }

  value(id: string): unknown {
    return this.answers.get(id)
  }

  /** The call of `id` takes the value; `release` runs when the whole set is saved. */
  accept(id: string, release: Release): void {
    this.#releases.push(release)
    this.#missing.delete(id)
    if (this.#missing.size === 0) this.#verify()
  }

  /** `act` runs when the whole set is saved, before any call goes on. */
  before(act: Release): void {
    this.#releases.unshift(act)
  }

  /** Refuses the whole set. */
  refuse(error: unknown): void {
    if (this.#refused) return
    this.#refused = true
    this.#fail(error)
  }

  /** They are saved: lets every call go on. */
  finish(): void {
    this.#finish()
    for (const release of this.#releases) release()
  }
}
