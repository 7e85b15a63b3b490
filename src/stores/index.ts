export { memoryStore, type MemoryStoreOptions } from './memory.ts'
