import { describeCrashes } from '../contracts/store-crash.ts'
import { describeStore } from '../contracts/store.ts'
import { fileSubject } from './file-subject.ts'
import { KEY, OTHER_KEY } from './keys.ts'

const setup = (options = {}) => fileSubject({ ...options, keys: [KEY, OTHER_KEY] })

describeStore('fileStore with keys', setup)
describeCrashes('fileStore with keys', setup)
