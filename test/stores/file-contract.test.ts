import { describeStore } from '../contracts/store.ts'
import { fileSubject } from './file-subject.ts'

describeStore('fileStore', fileSubject)
