import { createSqlStorage } from '@mintmark/storage-sql'

import { createSite } from '#create-site'
import { openDatabase } from '#database'
import { logger } from '#logger'
import { settings } from '#settings'
import type { Site } from '#site'
import { openUsers } from '#users'

/** Opens the database, and creates the servers and pages. `setup.ts` has created the tables. */
export async function openSite(): Promise<Site> {
  const { issuer, environment } = settings
  const { dialect, tables } = openDatabase(environment)
  const storage = await createSqlStorage({ issuer, dialect })
  const sources = { tables, environment }
  return createSite({ ...settings, storage, users: await openUsers(sources), logger })
}
