export { fileStore, type FileStoreOptions } from './file.ts'
export { memoryStore, type MemoryStoreOptions } from './memory.ts'
