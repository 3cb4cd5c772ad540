import { createScimServer, logScimEvents } from '@mintmark/scim'
import { type JsonObject, providerId } from '@mintmark/storage-interface'
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

/** Returns the devices that a directory has written. */
export async function devicesOf(provider: string) {
  const devices: JsonObject[] = []
  for (let after: string | undefined; ;) {
    const listed = await storage.customResources?.list({
      providerId: providerId(provider),
      resourceType: 'Device',
      filter: undefined,
      sort: undefined,
      page: { kind: 'cursor', after, limit: 100 },
    })
    if (listed?.outcome !== 'listed') throw new Error('The devices cannot be listed.')
    devices.push(...listed.records.map(({ resource }) => resource))
    if (listed.next === undefined) return devices
    after = listed.next
  }
}
