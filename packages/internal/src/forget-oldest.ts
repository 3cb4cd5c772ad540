/** Keeps a map that remembers things in their order of arrival to a size: what came first is forgotten first. */
export function forgetOldest(map: Map<unknown, unknown>, atMost: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= atMost) return
    map.delete(oldest)
  }
}
