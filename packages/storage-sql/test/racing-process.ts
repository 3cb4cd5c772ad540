// A server process of processes.test.ts. It presents the code, the refresh token and the `jti` a number of times, and prints
// the results.
import { seconds } from '@mintmark/storage-interface'
import { aCodeRecord, aDigest, aFamilyRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

const [file = '', times = '0', self = ''] = process.argv.slice(2)
const dialect = openSqliteDialect(file)
const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
const { digest, clientId, issuedAt: now, expiresAt } = aCodeRecord()

process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))

const presented = await each(() => storage.codes.consume(digest, clientId, now))
const rotated = await each((index) =>
  storage.families.rotate({
    handleDigest: aDigest('handle-1'),
    presentedDigest: aDigest('refresh-1'),
    clientId,
    successorDigest: aDigest(`child-${self}-${index}`),
    successorSalt: `${self}-${index}`,
    expiresAt: aFamilyRecord().expiresAt,
    now,
    retryWindow: seconds(10),
  }),
)
const claimed = await each(() =>
  storage.replays.markUsed({ purpose: 'client_assertion_jti', value: 'jti-1', expiresAt, now }),
)

await dialect.close()
process.stdout.write(`${JSON.stringify({ presented, rotated, claimed })}\n`)
process.stdin.destroy()

async function each(start: (index: number) => Promise<{ readonly outcome: string }>): Promise<readonly string[]> {
  const results = await Promise.all(Array.from({ length: Number(times) }, (_, index) => start(index)))
  return results.map(({ outcome }) => outcome)
}
