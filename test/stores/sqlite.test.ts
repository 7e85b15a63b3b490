import { describeCrashes } from '../contracts/store-crash.ts'
import { describeStore } from '../contracts/store.ts'
import { sqliteSubject } from './sqlite-subject.ts'

describeStore('sqliteStore', sqliteSubject)
describeCrashes('sqliteStore', sqliteSubject)
