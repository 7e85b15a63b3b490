import { asRunnable } from './graph/flow.ts'
import type { RunnerOptions } from './runner/launcher.ts'
import { ThreadRunner } from './runner/runner.ts'

/** Starts threads of any flow (graph, agent, function), continues them, and tells about them. */
export class Runner extends ThreadRunner {
  constructor(options: RunnerOptions = {}) {
    super(options, asRunnable)
  }
}
