import { epochSeconds } from '@mintmark/storage-interface'
import { aClientRecord, aDigest } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test } from 'vitest'

const now = epochSeconds(1_790_000_000)

test('records the use of a secret at most once an hour, because each record is a write', async () => {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  const { clients } = await createSqlStorage({ dialect, issuer: 'https://as.test' })
  const secret = { digest: aDigest('secret'), createdAt: now, expiresAt: undefined, lastUsedAt: undefined }
  const { clientId } = aClientRecord()
  await clients.insert(aClientRecord({ secrets: [secret] }))
  const usedAfter = async (seconds: number) => {
    await clients.touchSecret(clientId, secret.digest, epochSeconds(now + seconds))
    return Number((await clients.find(clientId))?.secrets[0]?.lastUsedAt) - now
  }

  expect([await usedAfter(1), await usedAfter(3600), await usedAfter(3601)]).toEqual([1, 1, 3601])
})
