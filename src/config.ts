/** What a project may set for the command line; everything has a default. */
export interface Config {
  /** Where flows are looked for by name. */
  readonly flowsDir?: string
  /** Where threads are kept. */
  readonly storeDir?: string
  /** The file with the keys that threads are encrypted with; never a key itself. */
  readonly keyFile?: string
  readonly retention?: RetentionConfig
  /** The tsconfig flows are compiled with. */
  readonly tsconfig?: string
  readonly prompt?: PromptConfig
  /** Paths shown as `••••`, like `**.token`. */
  readonly redact?: readonly string[]
  /** The exit code of a suspended run: 75, or 0. */
  readonly suspendExitCode?: 0 | 75
  /** What a flow file that changed since the checkpoint does to `resume`, as long as its graph is the same. */
  readonly onFlowChange?: 'warn' | 'allow' | 'refuse'
  /** False writes no outputs, summary and annotations for a CI service. */
  readonly ci?: boolean
}

/** How long threads are kept, and how far back they can be looked at. */
export interface RetentionConfig {
  /** `hexagon prune` deletes threads that have ended longer ago: `30d`. */
  readonly done?: string
  /** How many checkpoints a thread keeps, once it has come to rest. */
  readonly keep?: number
}

/** How questions are shown. */
export interface PromptConfig {
  /** Where the cursor starts in an approval; never on yes. */
  readonly approvalDefault?: 'defer' | 'reject'
  /** Puts an answer off after that: `15m`. */
  readonly timeout?: string
  readonly onTimeout?: 'defer'
  readonly editor?: string
  /** More options than that are searched instead of listed. */
  readonly maxChoices?: number
}

/** Gives its argument back, typed: for `export default defineConfig({ … })` in `hexagon.config.ts`. */
export function defineConfig(config: Config): Config {
  return config
}
