import { nodesAround, type Migrate, type Rewrite, type StoredValueKind } from './stored-value.ts'

type Fields = Readonly<Record<string, unknown>>

/** A record with what `migrate` makes of the values in it; see graph/records.ts for what is where. */
export function rewriteRecord(key: string, stored: unknown, migrate: Migrate): unknown {
  const [type = '', owner = ''] = key.split(' ', 2)
  const nodes = owner === '' ? [] : nodesAround(owner)
  const rewrite: Rewrite = (value, kind, name) =>
    migrate(value, { kind, nodes, record: key, ...(name === undefined ? {} : { key: name }) }) ??
    value
  return REWRITERS[type]?.(stored as Fields, rewrite) ?? stored
}

/** What changes the values of a record, by its type. */
const REWRITERS: Readonly<Record<string, (record: Fields, rewrite: Rewrite) => Fields>> = {
  run: runOf,
  c: (cell, rewrite) => ({
    ...cell,
    value: rewrite(cell['value'], 'state', String(cell['key'])),
  }),
  s: (overlay, rewrite) => eachOf(overlay, 'state', rewrite),
  w: writeOf,
  p: passedOnOf,
  t: taskOf,
  m: memoOf,
}

function runOf(run: Fields, rewrite: Rewrite): Fields {
  return {
    ...run,
    ...('input' in run ? { input: rewrite(run['input'], 'input') } : {}),
    ...('output' in run ? { output: rewrite(run['output'], 'output') } : {}),
  }
}

function writeOf(write: Fields, rewrite: Rewrite): Fields {
  const folds = write['folds'] as Readonly<Record<string, readonly unknown[]>> | undefined
  return {
    ...write,
    updates: listOf(write['updates']).map((update) => eachOf(update, 'update', rewrite)),
    ...(folds === undefined
      ? {}
      : {
          folds: Object.fromEntries(
            Object.entries(folds).map(([key, list]) => [
              key,
              list.map((update) => rewrite(update, 'update', key)),
            ]),
          ),
        }),
  }
}

function passedOnOf(passed: Fields, rewrite: Rewrite): Fields {
  return { ...passed, update: rewrite(passed['update'], 'update', String(passed['key'])) }
}

function taskOf(task: Fields, rewrite: Rewrite): Fields {
  const input = task['input'] as { readonly value: unknown } | undefined
  const jumps = task['jumps'] as readonly Fields[] | undefined
  return {
    ...task,
    ...(input === undefined ? {} : { input: { value: rewrite(input.value, 'input') } }),
    ...(jumps === undefined ? {} : { jumps: jumps.map((jump) => jumpOf(jump, rewrite)) }),
  }
}

function jumpOf(jump: Fields, rewrite: Rewrite): Fields {
  const send = jump['send'] as Fields | undefined
  return send === undefined
    ? jump
    : { ...jump, send: { ...send, input: rewrite(send['input'], 'input') } }
}

function memoOf(memo: Fields, rewrite: Rewrite): Fields {
  if (memo['kind'] === 'step')
    return { ...memo, value: rewrite(memo['value'], 'step', String(memo['name'])) }
  const state = memo['state'] as { readonly value: unknown } | undefined
  return {
    ...memo,
    ...(state === undefined ? {} : { state: { value: rewrite(state.value, 'component') } }),
    ...('info' in memo ? { info: rewrite(memo['info'], 'component', 'info') } : {}),
  }
}

function eachOf(fields: Fields, kind: StoredValueKind, rewrite: Rewrite): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, rewrite(value, kind, key)]),
  )
}

function listOf(value: unknown): readonly Fields[] {
  return (value ?? []) as readonly Fields[]
}
