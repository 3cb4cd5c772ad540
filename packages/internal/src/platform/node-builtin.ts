/**
 * A module of Node's own, where the runtime has it: Node, Bun and Deno. Nothing here needs one: where it is missing, what
 * every runtime has does the same work. workerd's are imitations, which test/runtimes shows: its `crypto.verify` takes no
 * key object beside an encoding (seen 2026-11).
 */
export const nodeBuiltin = (name: string): unknown =>
  isWorkerd() ? undefined : runtime.process?.getBuiltinModule?.(name)

/** WinterTC: how a runtime says what it is. Older ones have no such word. */
const isWorkerd = (): boolean => runtime.navigator?.userAgent === 'Cloudflare-Workers'

const runtime = globalThis as {
  readonly process?: { getBuiltinModule?(name: string): unknown }
  readonly navigator?: { readonly userAgent?: string }
}
