import { formatAddress } from '../core/address.ts'
import { HexagonError, NoScopeError } from '../core/errors.ts'
import type { Choice, InterruptKind } from '../core/interrupt.ts'
import { checkNow, isSchema, jsonSchemaOf, type Infer, type Schema } from '../core/schema.ts'
import { currentScope } from './carrier.ts'
import type { TaskScope } from './engine.ts'
import { checkShape, durationOf, messageFor, type Question } from './question.ts'

/** Options of every question. */
export interface InterruptOptions<Answer = unknown> {
  /** Stable name: answers may use it instead of the id, and adding questions before it does not shift it. */
  readonly key?: string
  /** Any Standard Schema; the answer must pass it. */
  readonly schema?: Schema<Answer>
  /** Returns `false` or a text (or throws) to refuse an answer. May be async. */
  readonly validate?: (answer: Answer) => unknown
  /** How long it may wait: `'2h'`, milliseconds, or a Date. */
  readonly timeout?: string | number | Date
  /** The answer when the time is up. */
  readonly default?: Answer
  readonly multiline?: boolean
  readonly secret?: boolean
  readonly danger?: boolean
  readonly metadata?: unknown
  /** `'accept'` keeps an answer although the question has changed since. */
  readonly onChange?: 'reopen' | 'accept'
}

/** What a question with `detail: true` gives back. */
export interface Approval<Edited = unknown> {
  readonly approved: boolean
  readonly reason?: string
  readonly edited?: Edited
}

export interface ApprovalOptions extends Omit<InterruptOptions<boolean>, 'schema' | 'multiline'> {
  /** Shown under the question, and part of what is approved. */
  readonly payload?: unknown
  /** Gives `{ approved, reason, edited }` instead of a boolean. */
  readonly detail?: boolean
}

export interface InputOptions extends InterruptOptions<string> {
  readonly payload?: unknown
}

/** The asking functions of one scope; the free functions use the current one. */
export interface Asking {
  interrupt<T = unknown>(payload: unknown, options?: InterruptOptions<T>): Promise<T>
  interruptForApproval(
    content: string,
    options: ApprovalOptions & { readonly detail: true },
  ): Promise<Approval>
  interruptForApproval(content: string, options?: ApprovalOptions): Promise<boolean>
  interruptForChoice<T = string>(
    question: string,
    choices: readonly (T | Choice)[],
    options?: InterruptOptions<T>,
  ): Promise<T>
  interruptForInput(prompt: string, options?: InputOptions): Promise<string>
  interruptForForm<S extends Schema>(
    title: string,
    schema: S,
    options?: Omit<InterruptOptions<Infer<S>>, 'schema'>,
  ): Promise<Infer<S>>
}

/**
 * Waits for a person's (or a program's) answer to `payload`.
 * @throws InterruptTimeoutError when its time is up without a default, NoScopeError where nobody can answer
 */
export function interrupt<T = unknown>(
  payload: unknown,
  options: InterruptOptions<T> = {},
): Promise<T> {
  return askFor(here('interrupt()'), payload, options)
}

/** Waits for a yes or no. Nothing that is not a well-typed yes is a yes. */
export function interruptForApproval(
  content: string,
  options: ApprovalOptions & { readonly detail: true },
): Promise<Approval>
export function interruptForApproval(content: string, options?: ApprovalOptions): Promise<boolean>
export function interruptForApproval(
  content: string,
  options: ApprovalOptions = {},
): Promise<boolean | Approval> {
  return askForApproval(here('interruptForApproval()'), content, options)
}

/** Waits for one of `choices`: texts, other values, or `{ value, name, description }`. */
export function interruptForChoice<T = string>(
  question: string,
  choices: readonly (T | Choice)[],
  options: InterruptOptions<T> = {},
): Promise<T> {
  return askForChoice(here('interruptForChoice()'), { question, choices }, options)
}

/** Waits for a text. */
export function interruptForInput(prompt: string, options: InputOptions = {}): Promise<string> {
  return askForInput(here('interruptForInput()'), prompt, options)
}

/** Waits for an object that passes `schema`. */
export function interruptForForm<S extends Schema>(
  title: string,
  schema: S,
  options: Omit<InterruptOptions<Infer<S>>, 'schema'> = {},
): Promise<Infer<S>> {
  return askForForm(here('interruptForForm()'), { title, schema }, options)
}

/** The asking functions bound to a scope. */
export function askingIn(scope: TaskScope): Asking {
  return {
    interrupt: (payload, options = {}) => askFor(scope, payload, options),
    interruptForApproval: ((content: string, options?: ApprovalOptions) =>
      askForApproval(scope, content, options ?? {})) as Asking['interruptForApproval'],
    interruptForChoice: (question, choices, options = {}) =>
      askForChoice(scope, { question, choices }, options),
    interruptForInput: (prompt, options = {}) => askForInput(scope, prompt, options),
    interruptForForm: (title, schema, options = {}) =>
      askForForm(scope, { title, schema }, options),
  }
}

function here(what: string): TaskScope {
  const scope = currentScope()
  if (scope === undefined) throw new NoScopeError(what, 'outside a flow')
  // At once: who may not ask may not await either.
  if (scope.unaskable !== undefined) throw new NoScopeError(what, scope.unaskable)
  return scope
}

function askFor<T>(scope: TaskScope, payload: unknown, options: InterruptOptions<T>): Promise<T> {
  return put(scope, { kind: 'custom', message: messageFor(payload), payload }, options)
}

function askForApproval(
  scope: TaskScope,
  content: string,
  options: ApprovalOptions,
): Promise<boolean | Approval> {
  if (options.timeout !== undefined && options.default === true) {
    return refused(scope, {
      code: 'E2110',
      problem: 'an approval may not default to yes',
      hint: 'Leave default out, or use default: false.',
    })
  }
  const { detail, payload, ...rest } = options
  return put(
    scope,
    { kind: 'approval', message: content, payload, detail },
    rest as InterruptOptions<boolean>,
  )
}

function askForChoice<T>(
  scope: TaskScope,
  { question, choices }: { question: string; choices: readonly (T | Choice)[] },
  options: InterruptOptions<T>,
): Promise<T> {
  if (!Array.isArray(choices) || choices.length === 0) {
    return refused(scope, {
      code: 'E1409',
      problem: `the choice "${question}" has no options`,
      hint: 'Give at least one.',
    })
  }
  const normal = choices.map(choiceOf)
  return put(
    scope,
    { kind: 'choice', message: question, payload: undefined, choices: normal },
    options,
  )
}

function askForInput(
  scope: TaskScope,
  prompt: string,
  { payload, ...options }: InputOptions,
): Promise<string> {
  return put(scope, { kind: 'input', message: prompt, payload }, options)
}

function askForForm<S extends Schema>(
  scope: TaskScope,
  { title, schema }: { title: string; schema: S },
  options: Omit<InterruptOptions<Infer<S>>, 'schema'>,
): Promise<Infer<S>> {
  if (!isSchema(schema))
    return refused(scope, {
      code: 'E2111',
      problem: `the form "${title}" has no Standard Schema`,
      hint: 'Pass a zod, valibot or arktype schema.',
    })
  const typed = schema as Schema<Infer<S>>
  return put(
    scope,
    { kind: 'form', message: title, payload: undefined },
    { ...options, schema: typed },
  )
}

type Asked = Pick<Question, 'message' | 'payload' | 'choices' | 'detail'> & {
  readonly kind: InterruptKind
}

function put<T>(scope: TaskScope, asked: Asked, options: InterruptOptions<T>): Promise<T> {
  const { timeout, schema } = options
  if (timeout !== undefined && !(timeout instanceof Date) && durationOf(timeout) === undefined) {
    return refused(scope, {
      code: 'E2112',
      problem: `timeout ${JSON.stringify(timeout)} is not a duration`,
      hint: "Use '30s', '15m', '2h', '3d', milliseconds or a Date.",
    })
  }
  const question: Question = {
    ...asked,
    schema,
    jsonSchema: schema === undefined ? undefined : jsonSchemaOf(schema),
    validate: options.validate,
    default: options.default,
    hasDefault: 'default' in options && options.default !== undefined,
    multiline: options.multiline,
    secret: options.secret,
    danger: options.danger,
    metadata: options.metadata,
    key: options.key,
    timeout,
    onChange: options.onChange ?? 'reopen',
  }
  const misfit = question.hasDefault ? complaintAbout(question) : undefined
  if (misfit !== undefined) {
    return refused(scope, {
      code: 'E2136',
      problem: `the default of "${asked.message}" is no answer to it: ${misfit}`,
      hint: 'Give a default that the question itself accepts.',
    })
  }
  return scope.frame.run.questions.ask(scope, question) as Promise<T>
}

/** What is wrong with a question's default, as far as it shows at once. */
function complaintAbout(question: Question): string | undefined {
  const { schema, default: value } = question
  const checked = schema === undefined ? undefined : checkNow(schema, value)
  const problems =
    checkShape(question, value)?.problems ?? (checked?.ok === false ? checked.problems : [])
  return problems.length === 0 ? undefined : problems.map(({ message }) => message).join('; ')
}

function refused(
  scope: TaskScope,
  { code, problem, hint }: { code: string; problem: string; hint: string },
): Promise<never> {
  const where = formatAddress(scope.address) || 'the flow'
  return Promise.reject(new HexagonError(code, `${where}: ${problem}`, { hint }))
}

function choiceOf(choice: unknown): Choice {
  if (typeof choice === 'object' && choice !== null && 'value' in choice) {
    const { value } = choice
    const name = 'name' in choice && typeof choice.name === 'string' ? choice.name : textOf(value)
    const description =
      'description' in choice && typeof choice.description === 'string'
        ? choice.description
        : undefined
    return description === undefined ? { value, name } : { value, name, description }
  }
  return { value: choice, name: textOf(choice) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}
