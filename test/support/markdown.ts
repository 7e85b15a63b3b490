// What a test wants to know of a Markdown document.

/** A fenced block, with what its opening line says. */
export interface Block {
  readonly language: string
  /** The rest of the opening line. */
  readonly note: string
  readonly text: string
  /** Line of the opening fence, from 1. */
  readonly line: number
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```([\w-]*)[ \t]*(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    note: match[2] ?? '',
    text: match[3] ?? '',
    line: markdown.slice(0, match.index).split('\n').length,
  }))
}

/** The document without its fenced blocks. */
export function proseOf(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '')
}

/** Targets of links that are not addresses of the web. */
export function linksOf(markdown: string): string[] {
  const text = proseOf(markdown).replace(/`[^`\n]+`(?!\])/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
}

const TREES = 'src|test|flows|docs|bin|scripts|bench|etc|\\.ci'

/** Names in code spans that look like files or folders of the repository. */
export function filesNamedIn(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) =>
    code
      .split(/\s+/)
      .map((word) => word.replace(/[,.:;]+$/, ''))
      .filter((word) => new RegExp(`^(?:${TREES})/[\\w./-]+$`).test(word)),
  )
}

/** What a heading is called in a link. */
export function anchorsOf(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}
