export type {
  AnswerRequest,
  CheckpointInfo,
  Claimant,
  Claimed,
  Commit,
  Committed,
  Damage,
  InterruptRow,
  JsonText,
  Lease,
  NewInterrupt,
  NewThread,
  Page,
  PendingQuery,
  PendingThread,
  Store,
  StoreCapabilities,
  StoredAnswer,
  StoredEvent,
  StoredStatus,
  StoredThread,
  ThreadHead,
  ThreadQuery,
  WakeRule,
} from '../core/store.ts'
export { fileStore, type FileStoreOptions } from './file.ts'
export { memoryStore, type MemoryStoreOptions } from './memory.ts'
export { sqliteStore, type SqliteStoreOptions } from './sqlite.ts'
