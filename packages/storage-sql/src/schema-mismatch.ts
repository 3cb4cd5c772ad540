/**
 * The database's schema is not the one that this version works on.
 * - `behind`: migrations are pending.
 * - `ahead`: a newer version has migrated it.
 * - `changed`: a migration that it ran is not the one of that number here; its schema cannot be known.
 */
export type SchemaMismatch = 'behind' | 'ahead' | 'changed'

/** The storage refuses to work; the message names the command, or what to do instead. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError'
  readonly kind: SchemaMismatch
  readonly migrations: readonly string[]

  constructor(mismatch: {
    readonly kind: SchemaMismatch
    readonly migrations: readonly string[]
    readonly command: string
  }) {
    super(describe(mismatch))
    this.kind = mismatch.kind
    this.migrations = mismatch.migrations
  }
}

function describe({
  kind,
  migrations,
  command,
}: {
  kind: SchemaMismatch
  migrations: readonly string[]
  command: string
}): string {
  const names = migrations.join(', ')
  switch (kind) {
    case 'behind':
      return `The database lacks the migrations ${names}. Run: npx ${command}`
    case 'ahead':
      return `The database has run the migrations ${names}, which this version does not know. Update @mintmark/storage-sql.`
    case 'changed':
      return `The database has run other migrations by the names ${names} than this version holds. Restore the released files; do not edit migrations.`
    default:
      return kind satisfies never
  }
}
