import { describeCrashes } from '../contracts/store-crash.ts'
import { describeStore } from '../contracts/store.ts'
import { fileSubject } from './file-subject.ts'

describeStore('fileStore', fileSubject)
describeCrashes('fileStore', fileSubject)
