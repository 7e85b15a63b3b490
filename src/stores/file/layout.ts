import { join } from 'node:path'

import { fileNameOf } from './file-name.ts'

/** The files of one thread. */
export interface ThreadFiles {
  readonly name: string
  /** The whole thread as readable JSON, up to some change. */
  readonly document: string
  /** Every change since, and some before. */
  readonly log: string
  /** Who runs it. */
  readonly lock: string
  /** Held for a moment by whoever answers. */
  readonly mutex: string
  /** Answers from outside that no holder has taken in yet. */
  readonly inbox: string
  /** What lists need of it while it waits; may be stale or missing. */
  readonly waiting: string
  /** The document once it has ended. */
  readonly done: string
  /** Folder of older logs, and of documents between them. */
  readonly history: string
}

/** Where everything lies in a store's folder. */
export class Layout {
  readonly root: string
  readonly threads: string
  readonly done: string
  readonly waiting: string
  readonly history: string
  readonly blobs: string
  readonly temp: string
  readonly manifest: string
  /** Who answered what, for good. */
  readonly audit: string
  /** Copies of what a repair has changed; never read by the store. */
  readonly damaged: string

  constructor(root: string) {
    this.root = root
    this.threads = join(root, 'threads')
    this.done = join(root, 'done')
    this.waiting = join(root, 'waiting')
    this.history = join(root, 'history')
    this.blobs = join(root, 'blobs')
    this.temp = join(root, 'tmp')
    this.manifest = join(root, 'store.json')
    this.damaged = join(root, 'damaged')
    this.audit = join(root, 'audit.jsonl')
  }

  /** Every folder inside the root. */
  get folders(): readonly string[] {
    return [this.threads, this.done, this.waiting, this.history, this.blobs, this.temp]
  }

  /** The files of a thread by its id. */
  filesOf(threadId: string): ThreadFiles {
    return this.filesNamed(fileNameOf(threadId))
  }

  /** The files of a thread by their name. */
  filesNamed(name: string): ThreadFiles {
    const base = join(this.threads, name)
    return {
      name,
      document: `${base}.json`,
      log: `${base}.log`,
      lock: `${base}.lock`,
      mutex: `${base}.mutex`,
      inbox: `${base}.inbox`,
      waiting: join(this.waiting, `${name}.json`),
      done: join(this.done, `${name}.json`),
      history: join(this.history, name),
    }
  }
}

/** The thread's name in `<name>.<extension>`; undefined when the extension is another. */
export function nameBefore(file: string, extension: string): string | undefined {
  return file.endsWith(extension) ? file.slice(0, -extension.length) : undefined
}
