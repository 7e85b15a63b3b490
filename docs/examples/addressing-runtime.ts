// An addressing runtime, as an essay on such systems draws it: an interrupt travels up as a tree, is stored
// as two maps, and what is given to it later finds its way back by address.

import {
  appendAddressSegment,
  batchResumeWithData,
  compositeInterrupt,
  findSignal,
  formatAddress,
  getCurrentAddress,
  getInterruptState,
  getNextResumptionPoints,
  getResumeContext,
  populateResumeInfo,
  signalToPersistenceMaps,
  statefulInterrupt,
  toInterruptContexts,
  UnboundedChannel,
  withResumeInfo,
  type InterruptSignal,
  type PersistenceMaps,
} from 'hexagon'

/** A tool deep inside: it asks, and counts how often it did. */
function search(): string {
  const { state } = getInterruptState<{ asked: number }>()
  const { isResumeTarget, data } = getResumeContext(String)
  if (!isResumeTarget)
    throw statefulInterrupt('Which index?', { asked: (state?.asked ?? 0) + 1 })
  return `${formatAddress(getCurrentAddress())} searched ${data ?? ''}`
}

/** An agent that runs two calls of the tool and gathers what they ask. */
function agent(): string[] {
  return appendAddressSegment('agent', 'librarian', undefined, () => {
    const results: string[] = []
    const errors: unknown[] = []
    for (const call of ['call_1', 'call_2']) {
      try {
        results.push(appendAddressSegment('tool', 'search', call, search))
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw compositeInterrupt('The librarian asks', undefined, errors)
    return results
  })
}

/** Runs the agent until it asks. */
export function firstRun(): InterruptSignal {
  try {
    agent()
  } catch (error) {
    const signal = findSignal(error)
    if (signal !== undefined) return signal
    throw error
  }
  throw new Error('nobody asked')
}

/** What people are shown: the points that really ask, without the nodes between agent and tool. */
export function questionsOf(signal: InterruptSignal): { id: string; at: string }[] {
  return toInterruptContexts(signal, 'agent', 'tool').map(({ id, address }) => ({
    id,
    at: formatAddress(address),
  }))
}

/** What is stored: plain data, in any process. */
export function store(signal: InterruptSignal): string {
  return JSON.stringify(signalToPersistenceMaps(signal))
}

/** Goes on later, with what was given by interrupt id. */
export function laterRun(stored: string, answers: Readonly<Record<string, string>>): string[] {
  const { id2Addr, id2State } = JSON.parse(stored) as PersistenceMaps
  return withResumeInfo(() => {
    populateResumeInfo(id2Addr, id2State)
    batchResumeWithData(answers)
    return agent()
  })
}

/** The next components on the way to what was interrupted. */
export function waysInto(stored: string): string[] {
  const { id2Addr } = JSON.parse(stored) as PersistenceMaps
  return withResumeInfo(() => {
    populateResumeInfo(id2Addr, {})
    return [...getNextResumptionPoints()]
  })
}

/** Hands values from whoever makes them to whoever wants them; neither waits for the other. */
export async function drained(values: readonly string[]): Promise<string[]> {
  const channel = new UnboundedChannel<string>()
  for (const value of values) channel.send(value)
  channel.close()
  const received: string[] = []
  for await (const value of channel) received.push(value)
  return received
}
