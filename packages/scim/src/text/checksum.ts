/**
 * FNV-1a, 64 bits, for non-adversarial input. Slow, so only for values computed once. Stored cache keys depend on it, so it must
 * not change.
 */
export function checksum(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(36)
}
