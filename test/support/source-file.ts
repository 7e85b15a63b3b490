import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import ts from 'typescript'

/** A file of the tree as the architecture rules see it; its path starts at the tree's root. */
export type SourceFile = { readonly path: string; readonly text: string }

/** Every TypeScript file below a folder, in the order of their paths. */
export function readSources(folder: string): SourceFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => path.endsWith('.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

/** What a file imports in any form: statically, by re-export, by `import()`, or only as a type. */
export function importsOf(file: SourceFile): string[] {
  return nodesOf(file).flatMap((node) => {
    const specifier = specifierOf(node)
    return specifier !== undefined && ts.isStringLiteralLike(specifier) ? [specifier.text] : []
  })
}

/** Whether a file passes on whatever another file exports, named by nobody. */
export function hasStarExport(file: SourceFile): boolean {
  return nodesOf(file).some(
    (node) => ts.isExportDeclaration(node) && node.exportClause === undefined,
  )
}

/** Whether a file mentions a global by its bare name or through `globalThis`. */
export function mentionsGlobal(file: SourceFile, name: string): boolean {
  return nodesOf(file).some((node) => {
    if (!ts.isIdentifier(node) || node.text !== name) return false
    return !isOnlyAName(node) || isMemberOfGlobalThis(node)
  })
}

/** Whether a file asks the machine for the time or for chance, instead of being told. */
export function asksTheMachine(file: SourceFile): boolean {
  return nodesOf(file).some((node) => {
    if (ts.isNewExpression(node)) {
      return node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0
    }
    return ts.isPropertyAccessExpression(node) && ambientSource.test(node.getText())
  })
}

const ambientSource = /^(globalThis\.)?(Date\.now|Math\.random|performance\.\w+|crypto\.\w+)$/

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  const isImportCall =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isImportCall ? node.arguments[0] : undefined
}

/** A property, a key or a label called like a global does not touch it. */
function isOnlyAName(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) || ts.isMethodDeclaration(parent))
    return parent.name === node
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) return parent.name === node
  if (ts.isPropertyDeclaration(parent) || ts.isMethodSignature(parent)) return parent.name === node
  return ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)
}

function isMemberOfGlobalThis({ parent }: ts.Identifier): boolean {
  return ts.isPropertyAccessExpression(parent) && parent.expression.getText() === 'globalThis'
}

function nodesOf(file: SourceFile): ts.Node[] {
  const root = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true)
  const nodes: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return nodes
}
