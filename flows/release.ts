// Releases the git repository it is run in: reads the log since the last tag, proposes the next version,
// lets a person choose it and edit the notes, shows exactly what will be written, then inserts the section
// into CHANGELOG.md and makes an annotated tag on the commit that was approved. Nothing is pushed, and the
// changed CHANGELOG.md is left for you to commit.
//
//   hexagon run flows/release.ts
//   hexagon run flows/release.ts -d since=HEAD~20

import { execFile } from 'node:child_process'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cwd } from 'node:process'
import { promisify } from 'node:util'

import {
  END,
  graph,
  interruptForApproval,
  interruptForChoice,
  interruptForInput,
  START,
  step,
} from 'hexagon'

interface Commit {
  readonly hash: string
  readonly type: string
  readonly scope: string
  readonly subject: string
  readonly breaking: boolean
}

/** What lies between the last release and HEAD. */
interface Log {
  /** The commit that was HEAD when the log was read. */
  readonly head: string
  /** The last version, `0.0.0` when there is none, and what its tag puts before it. */
  readonly base: string
  readonly prefix: string
  readonly commits: readonly Commit[]
  readonly date: string
}

/** What is approved, and then done to the letter. */
interface Plan {
  readonly commit: string
  readonly tag: string
  readonly message: string
  readonly file: string
  /** Line by line, as a person can read it; the first is the heading. */
  readonly section: readonly string[]
}

type Bump = 'patch' | 'minor' | 'major'

const state = {
  /** Where to begin instead of at the last version tag: a tag, branch or commit. */
  since: '',
  log: undefined as Log | undefined,
  version: '',
  notes: '',
  plan: undefined as Plan | undefined,
  released: false,
}

const groups: readonly (readonly [title: string, holds: (commit: Commit) => boolean])[] = [
  ['Breaking changes', ({ breaking }) => breaking],
  ['Features', ({ type }) => type === 'feat'],
  ['Fixes', ({ type }) => type === 'fix'],
  ['Performance', ({ type }) => type === 'perf'],
  ['Documentation', ({ type }) => type === 'docs'],
  ['Other changes', () => true],
]

export default graph('release', {
  state,
  output: ({ released, version, plan }) => ({
    released,
    version,
    ...(plan === undefined ? {} : { tag: plan.tag, commit: plan.commit, file: plan.file }),
  }),
})
  .node('collect', async ({ since }) => ({ log: await step('git log', () => readLog(since)) }))
  .node('bump', async ({ log }) => {
    const { base, commits } = present(log)
    const proposed = proposalFor(base, commits)
    const bumps = [proposed, ...(['patch', 'minor', 'major'] as const)]
    const choices = [...new Set(bumps)].map((value) => ({
      value,
      name: `${value}: ${bumped(base, value)}`,
      description: value === proposed ? 'proposed' : '',
    }))
    const question = `Next version after ${base}? ${summaryOf(commits)}`
    const bump = await interruptForChoice<Bump>(question, choices, { default: proposed })
    return { version: bumped(base, bump) }
  })
  .node('edit', async ({ log, version }) => {
    const notes = await interruptForInput(`Release notes for ${version}`, {
      multiline: true,
      default: notesFor(present(log).commits),
      validate: (text) => text.trim() !== '' || 'The notes are empty',
    })
    return { notes: notes.trim() }
  })
  .node('approve', async ({ log, version, notes }) => {
    const plan = planFor(present(log), version, notes)
    const { file, tag, commit } = plan
    const question = `Write ${version} to ${file} and tag commit ${commit.slice(0, 7)} as ${tag}?`
    return (await interruptForApproval(question, { payload: plan })) ? { plan } : {}
  })
  .node('publish', async ({ plan }) => {
    const approved = present(plan)
    await step('write the changelog', () => writeSection(approved))
    await step('make the tag', () => makeTag(approved))
    return { released: true }
  })
  .edge(START, 'collect')
  .edge('collect', 'bump')
  .edge('bump', 'edit')
  .edge('edit', 'approve')
  .branch('approve', ({ plan }) => (plan === undefined ? END : 'publish'), ['publish', END])
  .edge('publish', END)

async function readLog(since: string): Promise<Log> {
  await repositoryFolder()
  const head = await commitOf('HEAD')
  if (head === undefined) throw new Error('Nothing to release: the repository has no commits')
  const { tag, prefix, base } = await lastVersion(head)
  const from = since === '' ? tag : since
  if (from !== '' && (await commitOf(from)) === undefined)
    throw new Error(`There is no commit, branch or tag "${from}"`)
  const commits = await commitsIn(from === '' ? head : `${from}..${head}`)
  if (commits.length === 0)
    throw new Error(`Nothing to release: no commits since ${from || 'the beginning'}`)
  return { head, base, prefix, commits, date: new Date().toISOString().slice(0, 10) }
}

/** The highest version tag below HEAD. Pre-releases are no base for the next release. */
async function lastVersion(head: string): Promise<{ tag: string; prefix: string; base: string }> {
  const tags = (await git('tag', '--merged', head, '--sort=-version:refname')).split('\n')
  const found = tags.map((tag) => /^(\D*)(\d+\.\d+\.\d+)$/.exec(tag)).find(Boolean)
  const [tag = '', prefix = 'v', base = '0.0.0'] = found ?? []
  return { tag, prefix, base }
}

async function commitsIn(range: string): Promise<Commit[]> {
  const text = await git('log', '--no-merges', '--format=%H%x1f%s%x1f%b%x1e', range)
  const records = text.split('\x1e').map((record) => record.trim())
  return records.filter((record) => record !== '').map(readCommit)
}

/** A record of the log: `type(scope)!: subject` when the author kept to conventional commits. */
function readCommit(record: string): Commit {
  const [hash = '', title = '', body = ''] = record.split('\x1f')
  const parts = /^(\w+)(?:\(([^)]*)\))?(!)?: +(.+)$/.exec(title)
  const [, type = 'other', scope = '', mark, subject = title] = parts ?? []
  const breaking = mark !== undefined || /^BREAKING[ -]CHANGE: /m.test(body)
  return { hash, type: type.toLowerCase(), scope, subject, breaking }
}

/** Below 1.0.0 a breaking change is a minor one, as semver has it. */
function proposalFor(base: string, commits: readonly Commit[]): Bump {
  const breaking = commits.some((commit) => commit.breaking)
  if (breaking && !base.startsWith('0.')) return 'major'
  return breaking || commits.some(({ type }) => type === 'feat') ? 'minor' : 'patch'
}

function bumped(base: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = base.split('.').map(Number)
  if (bump === 'major') return `${major + 1}.0.0`
  return bump === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

/** Each commit is in the first group that holds it. */
function grouped(commits: readonly Commit[]): [title: string, commits: readonly Commit[]][] {
  const titleOf = (commit: Commit): string | undefined =>
    groups.find(([, holds]) => holds(commit))?.[0]
  return groups
    .map(([title]): [string, Commit[]] => [title, commits.filter((c) => titleOf(c) === title)])
    .filter(([, members]) => members.length > 0)
}

function summaryOf(commits: readonly Commit[]): string {
  const parts = grouped(commits).map(([title, { length }]) => `${title.toLowerCase()}: ${length}`)
  return `(${parts.join(', ')})`
}

function notesFor(commits: readonly Commit[]): string {
  return grouped(commits)
    .map(([title, members]) => [`### ${title}`, '', ...members.map(lineOf)].join('\n'))
    .join('\n\n')
}

function lineOf({ scope, subject, hash }: Commit): string {
  return `- ${scope === '' ? '' : `${scope}: `}${subject} (${hash.slice(0, 7)})`
}

function planFor({ head, prefix, date }: Log, version: string, notes: string): Plan {
  return {
    commit: head,
    tag: `${prefix}${version}`,
    message: `Release ${version}`,
    file: 'CHANGELOG.md',
    section: [`## [${version}] - ${date}`, '', ...notes.split(/\r?\n/)],
  }
}

/** Adds the section above the earlier versions. Done twice it changes nothing the second time. */
async function writeSection(plan: Plan): Promise<void> {
  await expectApprovedState(plan)
  const file = join(await repositoryFolder(), plan.file)
  const old = await readIfThere(file)
  const section = `${plan.section.join('\n')}\n`
  if (old.includes(section)) return
  const [heading = ''] = section.split(' - ')
  if (old.split('\n').some((line) => line.startsWith(heading)))
    throw new Error(`${plan.file} already has a section "${heading}" with another text`)
  const at = /^## (?!\[?unreleased)/im.exec(old)?.index ?? old.length
  const before = old.slice(0, at).trimEnd() || '# Changelog'
  const after = at === old.length ? '' : `\n${old.slice(at)}`
  const text = `${before}\n\n${section}${after}`
  await replaceFile(file, text)
}

/** Makes the tag, or takes the one that a run which was cut off has made. */
async function makeTag(plan: Plan): Promise<void> {
  if ((await expectApprovedState(plan)) === 'tagged') return
  await git('tag', '--annotate', '--cleanup=verbatim', '-m', plan.message, plan.tag, plan.commit)
}

/** What was approved is what runs: refuses when HEAD or the tag is not what the person saw. */
async function expectApprovedState({ tag, commit }: Plan): Promise<'tagged' | 'untagged'> {
  const tagged = await commitOf(`refs/tags/${tag}`)
  if (tagged === commit) return 'tagged'
  if (tagged !== undefined)
    throw new Error(`Tag ${tag} exists on commit ${tagged.slice(0, 7)}, not on the approved one`)
  const head = (await commitOf('HEAD')) ?? 'nothing'
  if (head === commit) return 'untagged'
  throw new Error(
    `HEAD moved since the approval: commit ${commit.slice(0, 7)} was approved, ` +
      `HEAD is ${head.slice(0, 7)} now. Check it out again, or cancel this release and start anew`,
  )
}

async function repositoryFolder(): Promise<string> {
  try {
    return (await git('rev-parse', '--show-toplevel')).trim()
  } catch (cause) {
    throw new Error(`${cwd()} is not a git repository to release (${messageOf(cause)})`, { cause })
  }
}

async function commitOf(name: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
  return git(...args).then(
    (text) => text.trim(),
    () => undefined,
  )
}

async function git(...args: string[]): Promise<string> {
  try {
    const options = { cwd: cwd(), maxBuffer: 2 ** 28 }
    const { stdout } = await promisify(execFile)('git', args, options)
    return stdout
  } catch (cause) {
    const stderr = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
    throw new Error(stderr === '' ? `git ${args[0]}: ${messageOf(cause)}` : stderr, { cause })
  }
}

async function readIfThere(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
}

/** Readers see the old file or the new one, never half of one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const mode = await stat(file).then(
    (found) => found.mode,
    () => 0o644,
  )
  const temporary = `${file}.${crypto.randomUUID()}.tmp`
  await writeFile(temporary, text, { mode })
  await rename(temporary, file)
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('An earlier node of this flow has not run')
  return value
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
