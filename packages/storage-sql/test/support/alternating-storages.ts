import type { SqlDialect } from '@mintmark/storage-sql'

/**
 * Returns a function that opens storages, which alternate between the connections, as those of two servers would. It opens a storage
 * once for each connection and issuer, because that takes as long as a law.
 */
export function alternatingStorages<Storage>(
  dialects: readonly [SqlDialect, SqlDialect],
  create: (options: { readonly dialect: SqlDialect; readonly issuer: string }) => Promise<Storage>,
): (issuer: string) => Promise<Storage> {
  const storages = [new Map<string, Promise<Storage>>(), new Map<string, Promise<Storage>>()] as const
  let opened = 0

  return (issuer) => {
    const server = opened % 2 === 0 ? 0 : 1
    opened += 1
    const existing = storages[server].get(issuer)
    if (existing !== undefined) return existing

    const storage = create({ dialect: dialects[server], issuer })
    storages[server].set(issuer, storage)
    return storage
  }
}
