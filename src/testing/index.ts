export { memoryStore } from '../stores/memory.ts'
export { answering, type Answers } from './answers.ts'
export { manualClock, type ManualClock } from './manual-clock.ts'
