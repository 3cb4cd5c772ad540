import { readdirSync } from 'node:fs'

/** Every migration, in order. The checksums in migrations.test.ts contain the names, so that none is renamed or removed. */
export const migrationNames: readonly string[] = readdirSync(new URL('../../src/migrations', import.meta.url))
  .filter((file) => /^\d{4}-.*\.ts$/.test(file))
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted()
