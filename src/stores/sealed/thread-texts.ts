// Every text of a thread that tells what was asked, answered and worked out, and where it belongs. Ids, statuses,
// times, numbers, kinds, labels, names of records and of who answered are no such texts.

import type {
  Commit,
  InterruptRow,
  JsonText,
  NewInterrupt,
  NewThread,
  StoredAnswer,
  StoredEvent,
  StoredThread,
  ThreadHead,
} from '../../core/store.ts'
import type { Change, GivenAnswer, Put } from '../change.ts'
import type { ThreadState } from '../thread-state.ts'
import type { TextMap } from './sealed-text.ts'

/** The texts of one thread, each turned by the same map. */
export class ThreadTexts {
  readonly #id: string
  readonly #map: TextMap

  constructor(threadId: string, map: TextMap) {
    this.#id = threadId
    this.#map = map
  }

  meta(text: JsonText): JsonText {
    return this.#map(text, ['meta', this.#id])
  }

  puts(puts: readonly Put[]): readonly Put[] {
    return puts.map(([key, text]) => [key, this.record(key, text)])
  }

  record(key: string, text: JsonText): JsonText {
    return this.#map(text, ['record', this.#id, key])
  }

  events(version: number, bodies: readonly JsonText[]): readonly JsonText[] {
    return bodies.map((body) => this.#map(body, ['event', this.#id, version]))
  }

  event(event: StoredEvent): StoredEvent {
    return { ...event, body: this.#map(event.body, ['event', this.#id, event.version]) }
  }

  question<T extends NewInterrupt>(question: T): T {
    return { ...question, body: this.#map(question.body, ['question', this.#id, question.id]) }
  }

  value(interruptId: string, text: JsonText): JsonText {
    return this.#map(text, ['answer', this.#id, interruptId])
  }

  source(text: JsonText): JsonText {
    return this.#map(text, ['source', this.#id])
  }

  answer(interruptId: string, answer: StoredAnswer): StoredAnswer {
    const { value, source } = answer
    return { ...answer, value: this.value(interruptId, value), source: this.source(source) }
  }

  given(answers: readonly GivenAnswer[]): readonly GivenAnswer[] {
    return answers.map(({ id, answer }) => ({ id, answer: this.answer(id, answer) }))
  }

  row(row: InterruptRow): InterruptRow {
    const turned = this.question(row)
    const { answer } = row
    return answer === undefined ? turned : { ...turned, answer: this.answer(row.id, answer) }
  }

  head(head: ThreadHead): ThreadHead {
    return { ...head, meta: this.meta(head.meta) }
  }

  thread<T extends StoredThread>(thread: T): T {
    const { head, records, interrupts } = thread
    return {
      ...thread,
      head: this.head(head),
      records: new Map(this.puts([...records])),
      interrupts: interrupts.map((row) => this.row(row)),
    }
  }

  newThread(thread: NewThread): NewThread {
    const { meta, records, events } = thread
    return {
      ...thread,
      meta: this.meta(meta),
      records: this.puts(records),
      ...(events === undefined ? {} : { events: this.events(1, events) }),
    }
  }

  /** The parts of a batch, or of the change that carries it out, that leads to a version. */
  commit<T extends CommitTexts>(batch: T, version: number): T {
    const { meta, puts, open, answer, events } = batch
    return {
      ...batch,
      ...(meta === undefined ? {} : { meta: this.meta(meta) }),
      ...(puts === undefined ? {} : { puts: this.puts(puts) }),
      ...(open === undefined ? {} : { open: open.map((question) => this.question(question)) }),
      ...(answer === undefined ? {} : { answer: this.given(answer) }),
      ...(events === undefined ? {} : { events: this.events(version, events) }),
    }
  }

  change(change: Change): Change {
    switch (change.kind) {
      case 'create': {
        const { meta, records, events } = change
        const turned = { ...change, meta: this.meta(meta), records: this.puts(records) }
        return events === undefined ? turned : { ...turned, events: this.events(1, events) }
      }
      case 'commit':
        return this.commit(change, change.version)
      case 'answer':
        return { ...change, answers: this.given(change.answers) }
      case 'claim':
      case 'release':
        return change
    }
  }

  state(state: ThreadState): ThreadState {
    const rows = [...state.interrupts.values()].map((row) => this.row(row))
    return {
      ...state,
      meta: this.meta(state.meta),
      records: new Map(this.puts([...state.records])),
      interrupts: new Map(rows.map((row) => [row.id, row])),
    }
  }
}

type CommitTexts = {
  readonly [Key in 'meta' | 'puts' | 'open' | 'answer' | 'events']?: Commit[Key] | undefined
}
