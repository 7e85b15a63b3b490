/** What JSON text can say. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** An object of JSON text. */
export type JsonObject = { readonly [key: string]: JsonValue }
