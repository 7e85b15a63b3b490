/** The time, in milliseconds since 1970. */
export type Clock = () => number

/** Where ids come from; every call gives a new one. */
export interface Ids {
  /** 10 or more random characters of Crockford base32 in lower case. */
  thread(): string
  /** `i_` and 10 or more random characters, unique over all ever issued. */
  interrupt(): string
  /** Any unguessable unique text. */
  unique(): string
}

/** Hash of a text, as lower-case hexadecimal. */
export type Hash = (text: string) => string

/** What the core asks of the outside; injected, never imported. */
export interface Services {
  readonly clock: Clock
  readonly ids: Ids
  readonly hash: Hash
}
