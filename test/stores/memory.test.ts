import { describeStore } from '../contracts/store.ts'
import { memorySubject } from './memory-subject.ts'

describeStore('memoryStore', memorySubject)
