import type { AdminRoute } from './admin-route.ts'

/** What an address leads to. */
export type RouteMatch =
  | { readonly outcome: 'found'; readonly route: AdminRoute; readonly parts: ReadonlyMap<string, string> }
  /** With the methods that there are. */
  | { readonly outcome: 'other_method'; readonly allow: string }
  | { readonly outcome: 'absent' }

/**
 * Finds a route by method and address.
 * @param path below the base address, percent-encoding included.
 */
export function matchRoute(method: string, path: string, routes: readonly AdminRoute[]): RouteMatch {
  const segments = path.split('/')
  const matching = routes.flatMap((route) => {
    const parts = partsOf(segments, route.path.split('/'))
    return parts === undefined ? [] : [{ route, parts }]
  })
  const found = matching.find(({ route }) => route.method === (method === 'HEAD' ? 'GET' : method))
  if (found !== undefined) return { outcome: 'found', ...found }
  if (matching.length === 0) return { outcome: 'absent' }
  const methods = matching.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
  return { outcome: 'other_method', allow: methods.join(', ') }
}

function partsOf(segments: readonly string[], pattern: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (segments.length !== pattern.length) return undefined
  const parts = new Map<string, string>()
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(expected)?.[1]
    const value = name === undefined ? undefined : decoded(segment)
    if (name === undefined ? segment !== expected : value === undefined) return undefined
    if (name !== undefined && value !== undefined) parts.set(name, value)
  }
  return parts
}

/** Undefined for what is empty or not well-formed. */
function decoded(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment)
    return text === '' ? undefined : text
  } catch {
    // `decodeURIComponent` knows no other way to say that an escape is broken.
    return undefined
  }
}
