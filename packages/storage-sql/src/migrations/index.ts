import { schema } from './0001-schema.ts'
import { statistics } from './0002-statistics.ts'
import type { Migration } from './migration.ts'

export type { Migration } from './migration.ts'

/** All migrations, in order. */
export const migrations: readonly Migration[] = [schema, statistics]
