import type { ServerResponse } from './response.ts'

/** A response that is made once and given often, such as that of a public document: nobody can change what all others get. */
export const readyResponse = (response: ServerResponse): ServerResponse =>
  Object.freeze({ ...response, headers: Object.freeze([...response.headers]) })

/** Makes of a ready response the same each time. Of any other nothing is kept: it is somebody's, and may hold their tokens. */
export function onceForReady(
  derive: (response: ServerResponse) => ServerResponse,
): (response: ServerResponse) => ServerResponse {
  const kept = new WeakMap<ServerResponse, ServerResponse>()
  return (response) => {
    if (!Object.isFrozen(response)) return derive(response)
    const known = kept.get(response)
    if (known !== undefined) return known
    const derived = readyResponse(derive(response))
    kept.set(response, derived)
    return derived
  }
}
