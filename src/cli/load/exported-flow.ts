import { FLOW, isFlow, type Flow } from '../../core/flow.ts'
import { loadErrors } from './load-error.ts'
import type { Namespace } from './module-import.ts'

/** A bare function is a flow of one node. */
export type FlowFunction = (...args: never[]) => unknown

/** The flow among a module's exports. @throws HexagonError E1111 */
export function pickFlow(
  namespace: Namespace,
  exportName: string,
  path: string,
): Flow | FlowFunction {
  const found = candidates(namespace, exportName).find(isRunnable)
  if (found !== undefined) return readable(found)
  const names = exportNames(namespace)
  const flows = names.filter((name) => candidates(namespace, name).some(isRunnable))
  throw loadErrors.noFlow(path, exportName, { names, flows })
}

/** A flow that was bundled with its library shows only here what that library is. */
function readable<T extends Flow | FlowFunction>(found: T): T {
  if (isFlow(found) && found[FLOW].version !== 1) {
    throw loadErrors.otherFormat(found.name, found[FLOW].version)
  }
  return found
}

/** CommonJS puts everything below `default`, and TypeScript compiled to it once more. */
function candidates(namespace: Namespace, name: string): unknown[] {
  const inner = namespace['default']
  const outer = name === 'default' ? [inner] : [namespace[name]]
  return isNamespace(inner) && !isFlow(inner) ? [...outer, inner[name]] : outer
}

function isRunnable(value: unknown): value is Flow | FlowFunction {
  return isFlow(value) || (typeof value === 'function' && !isClass(value))
}

function isClass(value: object): boolean {
  return /^class\b/u.test(Function.prototype.toString.call(value))
}

function exportNames(namespace: Namespace): string[] {
  const inner = namespace['default']
  const nested = isNamespace(inner) && !isFlow(inner) ? Object.keys(inner) : []
  const names = [...Object.keys(namespace), ...nested].filter((name) => !name.startsWith('__'))
  return [...new Set(names)].filter((name) => name !== 'module.exports').toSorted()
}

function isNamespace(value: unknown): value is Namespace {
  return typeof value === 'object' && value !== null
}
