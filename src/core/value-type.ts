import { HexagonError } from './errors.ts'
import { builtinTypes } from './value/builtin-type.ts'
import { TAG_NAMES } from './value/tag.ts'
import type { ValueType } from './value/type.ts'

// Which classes are kept, for the whole process: the map hangs on globalThis, so that a type
// registered with one copy of the package is known to all. It holds each type twice, under its name
// and under the prototype of its class. Nothing stored is constructed but through this map.

/** How the instances of a registered class are stored and made again. */
export interface TypeCodec<Instance, Data> {
  /** The instance as plainer data; it may hold any value that can be kept. */
  serialize(instance: Instance): Data
  /** The instance again, of exactly the registered class. `data` is a fresh copy. */
  deserialize(data: Data): Instance
}

/** A class, whatever its constructor takes, also a private one. */
export type ClassOf<Instance> = { readonly name: string; readonly prototype: Instance }

type Registry = Map<string | object, ValueType>

const REGISTRY = Symbol.for('hexagon.types.v1')

const builtins: Registry = new Map(
  builtinTypes.flatMap((type): [string | object, ValueType][] => [
    [type.name, type],
    [type.prototype, type],
  ]),
)

/**
 * Lets instances of `Class` be kept in state, questions and answers, stored under `name`. Subclasses
 * are types of their own. Registering the same pair again replaces how it is stored.
 *
 * @throws HexagonError (E2120) when the name or the class is taken.
 */
export function registerType<Instance extends object, Data>(
  name: string,
  Class: ClassOf<Instance>,
  codec: TypeCodec<Instance, Data>,
): void {
  const problem = nameProblem(name, Class) ?? classProblem(name, Class)
  if (problem !== undefined) {
    throw new HexagonError('E2120', `registerType(${JSON.stringify(name)}): ${problem}`, {
      hint: 'One name stands for one class, and one class has one name.',
      details: { name },
    })
  }
  const type = registeredType(name, Class.prototype, codec)
  const types = registry()
  types.set(name, type)
  types.set(type.prototype, type)
}

/** The type stored under a tag, or the type of the values with this very prototype. */
export function findType(key: string | object): ValueType | undefined {
  return builtins.get(key) ?? registry().get(key)
}

function nameProblem(name: string, Class: ClassOf<object>): string | undefined {
  if (typeof name !== 'string' || name === '') return 'a type needs a name'
  if (!isClass(Class)) return 'this is no class'
  if (TAG_NAMES.has(name) || builtins.has(name)) return "this name is one of hexagon's own"
  const known = registry().get(name)
  if (known === undefined || known.prototype === Class.prototype) return undefined
  return 'this name stands for another class'
}

function classProblem(name: string, Class: ClassOf<object>): string | undefined {
  const { prototype } = Class
  if (prototype === Object.prototype || prototype === Array.prototype || builtins.has(prototype)) {
    return `${Class.name} is kept without being registered`
  }
  const known = registry().get(prototype)
  if (known === undefined || known.name === name) return undefined
  return `class ${Class.name} is registered as ${JSON.stringify(known.name)}`
}

function isClass(value: unknown): boolean {
  return (
    typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null
  )
}

function registry(): Registry {
  const found: unknown = Reflect.get(globalThis, REGISTRY)
  if (found instanceof Map) return found
  const created: Registry = new Map()
  Reflect.set(globalThis, REGISTRY, created)
  return created
}

function registeredType<Instance extends object, Data>(
  name: string,
  prototype: object,
  codec: TypeCodec<Instance, Data>,
): ValueType {
  return {
    name,
    prototype,
    registered: true,
    take(instance: Instance) {
      return codec.serialize(instance)
    },
    make(data: Data) {
      const made: unknown = codec.deserialize(data)
      if (typeof made === 'object' && made !== null && Object.getPrototypeOf(made) === prototype) {
        return made
      }
      throw new TypeError('deserialize() gave something that is no instance of the class')
    },
  }
}
