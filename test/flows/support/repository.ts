// A git repository of its own for each test, with commits that say what they mean.

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const identity = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
}

export class Repository {
  readonly folder = mkdtempSync(join(tmpdir(), 'hexagon-repository-'))

  constructor() {
    Object.assign(process.env, identity)
    this.git('init', '--quiet', '--initial-branch=main')
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.folder, encoding: 'utf8' }).trim()
  }

  commit(message: string): string {
    appendFileSync(join(this.folder, 'work.txt'), `${message}\n`)
    this.git('add', 'work.txt')
    this.git('commit', '--quiet', '-m', message)
    return this.head
  }

  get head(): string {
    return this.git('rev-parse', 'HEAD')
  }

  get tags(): string[] {
    return this.git('tag', '--list').split('\n').filter(Boolean)
  }

  get changelog(): string | undefined {
    const file = join(this.folder, 'CHANGELOG.md')
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }

  set changelog(text: string) {
    writeFileSync(join(this.folder, 'CHANGELOG.md'), text)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
