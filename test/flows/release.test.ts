import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Runner, type Interrupt, type RunResult } from 'hexagon'
import { memoryStore } from 'hexagon/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import release from '../../flows/release.ts'
import { Repository } from './support/repository.ts'

const home = process.cwd()
let repository: Repository
let runner: Runner

beforeEach(() => {
  repository = new Repository()
  repository.commit('feat: first words')
  repository.git('tag', 'v1.2.3')
  process.chdir(repository.folder)
  runner = new Runner({ store: memoryStore(), flows: [release] })
})

afterEach(() => {
  process.chdir(home)
  repository.remove()
})

describe('the release flow', () => {
  test.each([
    ['fix: mend it', 'patch: 1.2.4'],
    ['chore: sweep', 'patch: 1.2.4'],
    ['feat(cli): a new word', 'minor: 1.3.0'],
    ['feat!: another way', 'major: 2.0.0'],
    ['fix: quietly\n\nBREAKING CHANGE: not at all', 'major: 2.0.0'],
    ['An ordinary sentence', 'patch: 1.2.4'],
  ])('proposes for %j first %s', async (message, first) => {
    repository.commit(message)

    const question = only(await runner.invoke(release))

    expect(question.choices?.[0]?.name).toBe(first)
    expect(question.default).toBe(first.split(':')[0])
    expect(question.choices).toHaveLength(3)
  })

  test('proposes a minor version for a breaking change below 1.0.0', async () => {
    repository.git('tag', '-d', 'v1.2.3')
    repository.git('tag', 'v0.4.1')
    repository.commit('feat!: another way')

    const question = only(await runner.invoke(release))

    expect(question.choices?.[0]?.name).toBe('minor: 0.5.0')
  })

  test('begins at 0.0.0 in a repository without version tags', async () => {
    repository.git('tag', '-d', 'v1.2.3')

    const question = only(await runner.invoke(release))

    expect(question.message).toBe('Next version after 0.0.0? (features: 1)')
    expect(question.choices?.[0]?.name).toBe('minor: 0.1.0')
  })

  test('sorts commits into groups, each once', async () => {
    const hashes = ['fix: a', 'feat(ui): b', 'docs: c', 'perf!: d', 'Words'].map((message) =>
      repository.commit(message).slice(0, 7),
    )

    const { threadId } = await runner.invoke(release)
    const notes = only(await runner.resume(threadId, { answer: 'major' }).result)

    expect(notes).toMatchObject({ kind: 'input', multiline: true })
    expect(notes.default).toBe(
      [
        `### Breaking changes\n\n- d (${hashes[3]})`,
        `### Features\n\n- ui: b (${hashes[1]})`,
        `### Fixes\n\n- a (${hashes[0]})`,
        `### Documentation\n\n- c (${hashes[2]})`,
        `### Other changes\n\n- Words (${hashes[4]})`,
      ].join('\n\n'),
    )
  })

  test('reads from where it is told', async () => {
    repository.commit('feat: b')
    const since = repository.commit('fix: c')
    repository.commit('fix: d')

    const question = only(await runner.invoke(release, { since }))

    expect(question.message).toBe('Next version after 1.2.3? (fixes: 1)')
  })

  test('does what was shown, to the letter', async () => {
    const head = repository.commit('fix: mend it')

    const { threadId, question } = await untilApproval('### Fixes\n\n- It works again')
    const shown = question.payload as Plan
    const result = await runner.resume(threadId, { answer: true }).result

    expect(result).toMatchObject({
      status: 'completed',
      output: { released: true, version: '1.2.4', tag: 'v1.2.4', commit: head },
    })
    expect(shown.section).toEqual([
      expect.stringMatching(/^## \[1\.2\.4\] - [\d-]{10}$/),
      '',
      '### Fixes',
      '',
      '- It works again',
    ])
    expect(repository.changelog).toBe(`# Changelog\n\n${shown.section.join('\n')}\n`)
    expect(repository.git('cat-file', '-t', 'v1.2.4')).toBe('tag')
    expect(repository.git('rev-parse', 'v1.2.4^{commit}')).toBe(head)
    expect(repository.git('tag', '-l', '--format=%(contents)', 'v1.2.4')).toBe(shown.message)
  })

  test('puts the section above earlier versions and below what is unreleased', async () => {
    repository.commit('fix: mend it')
    repository.changelog =
      '# Changelog\n\n## [Unreleased]\n\n- soon\n\n## [1.2.3] - 2026-01-01\n\n- old\n'

    const { threadId } = await untilApproval('- new')
    await runner.resume(threadId, { answer: true }).result

    expect(repository.changelog).toMatch(
      /^# Changelog\n\n## \[Unreleased\]\n\n- soon\n\n## \[1\.2\.4\] - [\d-]{10}\n\n- new\n\n## \[1\.2\.3\] - 2026-01-01\n\n- old\n$/,
    )
  })

  test('writes nothing after a no', async () => {
    repository.commit('fix: mend it')

    const { threadId } = await untilApproval('- new')
    const result = await runner.resume(threadId, { answer: false }).result

    expect(result).toMatchObject({ status: 'completed', output: { released: false } })
    expect(repository.tags).toEqual(['v1.2.3'])
    expect(repository.changelog).toBeUndefined()
  })

  test('refuses empty notes and keeps the question', async () => {
    repository.commit('fix: mend it')
    const { threadId } = await runner.invoke(release)
    await runner.resume(threadId, { answer: 'patch' }).result

    const refused = runner.resume(threadId, { answer: '  \n ' }).result

    await expect(refused).rejects.toMatchObject({ name: 'InvalidAnswerError' })
    expect((await runner.get(threadId)).interrupts).toMatchObject([{ kind: 'input' }])
  })

  test('refuses to release another commit than the approved one', async () => {
    const approved = repository.commit('fix: mend it')
    const { threadId } = await untilApproval('- new')
    const moved = repository.commit('feat: one more')

    const result = await runner.resume(threadId, { answer: true }).result

    expect(result.status).toBe('failed')
    expect(result.error?.message).toContain(
      `commit ${approved.slice(0, 7)} was approved, HEAD is ${moved.slice(0, 7)} now`,
    )
    expect(repository.tags).toEqual(['v1.2.3'])
    expect(repository.changelog).toBeUndefined()
  })

  test('goes on when the approved commit is checked out again', async () => {
    const approved = repository.commit('fix: mend it')
    const { threadId } = await untilApproval('- new')
    repository.commit('feat: one more')
    await runner.resume(threadId, { answer: true }).result

    repository.git('checkout', '--quiet', approved)
    const result = await runner.resume(threadId).result

    expect(result.status).toBe('completed')
    expect(repository.tags).toEqual(['v1.2.3', 'v1.2.4'])
  })

  test('takes a tag that is on the approved commit', async () => {
    repository.commit('fix: mend it')
    const { threadId } = await untilApproval('- new')
    repository.git('tag', 'v1.2.4')

    const result = await runner.resume(threadId, { answer: true }).result

    expect(result.status).toBe('completed')
  })

  test('refuses a tag that is on another commit', async () => {
    const other = repository.commit('fix: mend it')
    repository.commit('fix: and this')
    const { threadId } = await untilApproval('- new')
    repository.git('tag', 'v1.2.4', other)

    const result = await runner.resume(threadId, { answer: true }).result

    expect(result.error?.message).toContain(
      `Tag v1.2.4 exists on commit ${other.slice(0, 7)}, not on the approved one`,
    )
    expect(repository.changelog).toBeUndefined()
  })

  test('does not insert a section twice', async () => {
    repository.commit('fix: mend it')
    const { threadId, question } = await untilApproval('- new')
    const { section } = question.payload as Plan
    repository.changelog = `# Changelog\n\n${section.join('\n')}\n`

    const result = await runner.resume(threadId, { answer: true }).result

    expect(result.status).toBe('completed')
    expect(repository.changelog).toBe(`# Changelog\n\n${section.join('\n')}\n`)
  })

  test('refuses a section of the same version that says something else', async () => {
    repository.commit('fix: mend it')
    repository.changelog = '# Changelog\n\n## [1.2.4] - 2026-01-01\n\n- by hand\n'
    const { threadId } = await untilApproval('- new')

    const result = await runner.resume(threadId, { answer: true }).result

    expect(result.error?.message).toContain('already has a section "## [1.2.4]"')
    expect(repository.tags).toEqual(['v1.2.3'])
  })

  test('says so when there is nothing to release', async () => {
    const { status, error } = await runner.invoke(release)

    expect(status).toBe('failed')
    expect(error?.message).toContain('Nothing to release: no commits since v1.2.3')
  })

  test('says so when the place to begin does not exist', async () => {
    const { error } = await runner.invoke(release, { since: '--all' })

    expect(error?.message).toContain('There is no commit, branch or tag "--all"')
  })

  test('says so outside a repository', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hexagon-bare-'))
    process.chdir(folder)

    const { status, error } = await runner.invoke(release)

    expect(status).toBe('failed')
    expect(error?.message).toContain('is not a git repository to release')
    rmSync(folder, { recursive: true })
  })
})

interface Plan {
  readonly message: string
  readonly section: readonly string[]
}

/** Runs to the approval with these notes for a patch release. */
async function untilApproval(notes: string): Promise<{ threadId: string; question: Interrupt }> {
  const { threadId } = await runner.invoke(release)
  await runner.resume(threadId, { answer: 'patch' }).result
  const result = await runner.resume(threadId, { answer: notes }).result
  return { threadId, question: only(result) }
}

function only({ interrupts, error }: RunResult): Interrupt {
  if (error !== undefined) throw error
  const [question, ...others] = interrupts
  if (question === undefined || others.length > 0)
    throw new Error(`${interrupts.length} questions are open`)
  return question
}
