import { expectParts, type ValueType } from './type.ts'

// An error keeps its name, message, stack, cause, code and own enumerable properties. One whose class
// is not registered comes back as the nearest built-in error class it extends, under its own name.
// Symbol keys of errors mark a class, which is not kept: they are dropped.

/** What an error is stored as. `props` are its own enumerable properties; the others are hidden ones. */
interface ErrorParts {
  name?: unknown
  message?: unknown
  stack?: unknown
  code?: unknown
  cause?: unknown
  errors?: unknown
  props?: object
}

const HIDDEN = ['name', 'message', 'stack', 'code', 'cause', 'errors'] as const

/** The built-in error classes. */
export const errorTypes: readonly ValueType[] = [
  errorType(Error.prototype, () => new Error()),
  errorType(TypeError.prototype, () => new TypeError()),
  errorType(RangeError.prototype, () => new RangeError()),
  errorType(SyntaxError.prototype, () => new SyntaxError()),
  errorType(ReferenceError.prototype, () => new ReferenceError()),
  errorType(EvalError.prototype, () => new EvalError()),
  errorType(URIError.prototype, () => new URIError()),
  errorType(AggregateError.prototype, () => new AggregateError([])),
]

/** True for errors of any class and realm. */
export function isError(value: object): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}

function errorType(prototype: Error, create: () => Error): ValueType {
  const { name } = prototype
  return {
    name,
    prototype,
    incidental: 'stack',
    take(error: Error) {
      const parts = hiddenParts(error, name)
      const props = visibleParts(error)
      const keys = Object.keys(props)
      for (const key of keys) if (isHidden(key)) delete parts[key]
      return keys.length > 0 ? { ...parts, props } : parts
    },
    make(parts) {
      return fill(create(), checked(parts))
    },
  }
}

function hiddenParts(
  error: Error & { code?: unknown; errors?: unknown },
  className: string,
): ErrorParts {
  const { name, message, stack, code } = error
  const parts: ErrorParts = {}
  if (name !== className) parts.name = name
  if (message !== '' || Object.hasOwn(error, 'message')) parts.message = message
  if (stack !== undefined) parts.stack = stack
  if (typeof code === 'string' || typeof code === 'number') parts.code = code
  if (Object.hasOwn(error, 'cause')) parts.cause = error.cause
  if (Object.hasOwn(error, 'errors')) parts.errors = error.errors
  return parts
}

/** The own enumerable properties. An accessor stays one, to be refused when the parts are walked. */
function visibleParts(error: Error): object {
  const props = {}
  for (const key of Object.keys(error)) {
    const descriptor = Object.getOwnPropertyDescriptor(error, key)
    if (descriptor !== undefined) Object.defineProperty(props, key, descriptor)
  }
  return props
}

function isHidden(key: string): key is (typeof HIDDEN)[number] {
  return HIDDEN.some((hidden) => hidden === key)
}

function checked(parts: unknown): ErrorParts {
  expectParts(typeof parts === 'object' && parts !== null && !Array.isArray(parts), 'an object')
  expectParts(
    Object.keys(parts).every((key) => key === 'props' || isHidden(key)),
    'nothing but the parts of an error',
  )
  const { props }: ErrorParts = parts
  expectParts(
    props === undefined || (typeof props === 'object' && props !== null),
    'an object of properties',
  )
  return parts
}

function fill(error: Error, parts: ErrorParts): Error {
  // What the constructor made up here is not what the error was made with.
  Reflect.deleteProperty(error, 'stack')
  Reflect.deleteProperty(error, 'errors')
  for (const key of HIDDEN) {
    if (Object.hasOwn(parts, key)) define(error, key, { value: parts[key], enumerable: false })
  }
  for (const [key, value] of Object.entries(parts.props ?? {})) {
    define(error, key, { value, enumerable: true })
  }
  return error
}

function define(error: Error, key: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(error, key, { ...descriptor, writable: true, configurable: true })
}
