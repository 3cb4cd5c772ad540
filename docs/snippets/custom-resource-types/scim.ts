import { createScimServer, logScimEvents } from '@mintmark/scim'
import { providerId } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { deviceType } from './device-type.ts'

const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'
export const storage = await createSqlStorage({
  issuer,
  dialect: openSqliteDialect(':memory:', { migrate: 'on-open' }),
})

export const scim = createScimServer({
  issuer,
  storage,
  resourceTypes: [deviceType],
  onEvent: logScimEvents(console),
})

/** Returns the first hundred devices that a directory has written. */
export async function devicesOf(provider: string) {
  const found = await storage.customResources?.list({
    providerId: providerId(provider),
    resourceType: 'Device',
    filter: undefined,
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 100 },
  })
  return found?.outcome === 'listed' ? found.records.map(({ resource }) => resource) : []
}
