import { DamagedError, NewerFormatError } from '../../core/errors.ts'
import type { Connection } from './driver.ts'

/** Format 1 had no audit log. */
const FORMAT = 2

// `runnable_at` is when a worker may claim a thread: its due time while it is ready, the end of its lease
// while somebody holds it, null while there is nothing to run. A record keeps its place when its value
// changes, so rows come back in order of their rowid. A change's events lie beside its body, so that reading
// them reads no values; `events` is the number of its last one.
const AUDIT = `
create table if not exists audit (n integer primary key, line text not null);
create trigger if not exists audit_kept before delete on audit
  begin select raise(abort, 'the audit log is append-only'); end;
create trigger if not exists audit_unchanged before update on audit
  begin select raise(abort, 'the audit log is append-only'); end;
`

const TABLES = `
create table hexagon (format integer not null, created_by text not null);
create table thread (
  id text not null unique,
  flow text not null,
  status text not null,
  version integer not null,
  fence integer not null,
  attempts integer not null,
  wake text not null,
  created_at text not null,
  updated_at text not null,
  meta text not null,
  run_after text,
  claimed_from text,
  open integer not null,
  answered integer not null,
  events integer not null,
  changes integer not null,
  lease text,
  lease_process text,
  lease_until integer,
  runnable_at integer
);
create index thread_runnable on thread (runnable_at) where runnable_at is not null;
create index thread_held on thread (lease_process) where lease_process is not null;
create index thread_status on thread (status, id);
create index thread_pending on thread (id)
  where open > 0 and status not in ('completed', 'cancelled');
create table record (
  thread text not null,
  key text not null,
  value text not null,
  unique (thread, key)
);
create table question (
  thread text not null,
  id text not null,
  ordinal integer not null,
  kind text not null,
  status text not null,
  expires_at text,
  body text not null,
  answer text,
  untold integer not null,
  unique (thread, id)
);
create index question_open on question (thread, ordinal) where status = 'open';
create index question_untold on question (thread) where untold = 1;
create table change (
  thread text not null,
  seq integer not null,
  version integer,
  at text not null,
  status text,
  label text,
  body text not null,
  events integer not null,
  event_bodies text,
  primary key (thread, seq)
);
create index change_version on change (thread, version) where version is not null;
create index change_events on change (thread, events) where event_bodies is not null;
create table blob (hash text primary key, bytes blob not null);
${AUDIT}`

/** A database's state before it is used. */
export type SchemaState = 'empty' | 'older' | 'ready'

/** Looks whether the tables are there. @throws NewerFormatError, DamagedError */
export function schemaOf(connection: Connection, path: string): SchemaState {
  const tables = connection.prepare("select name from sqlite_master where type = 'table'").all([])
  if (tables.length === 0) return 'empty'
  if (!tables.some(({ name }) => name === 'hexagon')) {
    throw new DamagedError(path, 'is a database of another program')
  }
  const format = connection.prepare('select format from hexagon').get([])?.['format']
  if (typeof format !== 'number') throw new DamagedError(path, 'does not say its format')
  if (format > FORMAT) throw new NewerFormatError(path, format)
  return format < FORMAT ? 'older' : 'ready'
}

/** Makes the tables that are missing; inside a transaction. */
export function makeTables(
  connection: Connection,
  { state, createdBy }: { readonly state: SchemaState; readonly createdBy: string },
): void {
  if (state === 'ready') return
  if (state === 'older') {
    connection.exec(AUDIT)
    connection.prepare('update hexagon set format = ?').run([FORMAT])
    return
  }
  connection.exec(TABLES)
  connection.prepare('insert into hexagon values (?, ?)').run([FORMAT, createdBy])
}
