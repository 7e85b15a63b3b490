/** A controller that has fired already where the signal around it has. */
export function controllerWithin(outer: AbortSignal | undefined): AbortController {
  const made = new AbortController()
  if (outer?.aborted === true) made.abort(outer.reason)
  return made
}
