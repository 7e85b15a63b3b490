import { watch, type FSWatcher } from 'node:fs'

/** Resolves when a file in the folder changes, at the latest after `ms`. */
export function waitForChange(folder: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    let watcher: FSWatcher | undefined
    const done = (): void => {
      clearTimeout(timer)
      watcher?.close()
      resolve()
    }
    const timer = setTimeout(done, ms)
    try {
      watcher = watch(folder, { persistent: true }, done)
      watcher.on('error', () => watcher?.close())
    } catch {
      // No store yet, or nothing left to watch with: then only the time counts.
    }
  })
}
