/**
 * A module of Node's own, where the runtime has it: Node, Bun and Deno do; workerd when it is told to. Nothing here needs
 * one: where it is missing, what every runtime has does the same work.
 */
export const nodeBuiltin = (name: string): unknown =>
  (globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } }).process?.getBuiltinModule?.(name)
