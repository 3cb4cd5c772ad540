/** Limits the size of a map: deletes the entries that were inserted first. */
export function forgetOldest(map: Map<unknown, unknown>, atMost: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= atMost) return
    map.delete(oldest)
  }
}
