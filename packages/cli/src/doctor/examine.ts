import { createSqlStorage } from '@mintmark/storage-sql'
import type { AdminStorage } from '@mintmark/storage-interface'

import type { Io } from '../io.ts'
import { withDialect } from '../config/open-storage.ts'
import type { DatabaseAddress, Settings } from '../config/settings.ts'
import { sentenceOf } from '../command-error.ts'
import { checkAddress, checkClock, checkDiscovery, discoveryUrls, checkProxy } from './check-discovery.ts'
import { checkAtomicity } from './check-atomicity.ts'
import { checkCookies, checkCrossOrigin } from './check-browser.ts'
import { checkErrors } from './check-errors.ts'
import { checkKeys, checkStoredKeys } from './check-keys.ts'
import { checkMigrations, checkWaits } from './check-database.ts'
import { checkScim } from './check-scim.ts'
import { checkSecrets } from './check-secrets.ts'
import { fail, ok, type Finding } from './finding.ts'
import { createProbe, type DoctorOptions, type DoctorTarget } from './target.ts'

/** The server to examine. */
export interface Examination {
  readonly issuer: string
  readonly settings: Settings
  readonly options: DoctorOptions
}

/** Examines a server and its database. It writes an authorization request, which expires, and rows of an issuer of its own. */
export async function examine(examination: Examination, io: Io): Promise<readonly Finding[]> {
  const { database } = examination.settings
  if (database === undefined) return examineServer({ ...examination, storage: undefined }, io)
  try {
    return await examineDatabase(database, examination, io)
  } catch (error) {
    const finding = fail(
      'storage.reachable',
      `The database cannot be used: ${sentenceOf(error)}`,
      'Check its address, its password (PGPASSWORD), and that it is running.',
    )
    return [...(await examineServer({ ...examination, storage: undefined }, io)), finding]
  }
}

const examineDatabase = (address: DatabaseAddress, examination: Examination, io: Io): Promise<readonly Finding[]> =>
  withDialect(address, 'status', async (dialect) => {
    const migrations = await checkMigrations(dialect)
    if (migrations.level !== 'ok')
      return [...(await examineServer({ ...examination, storage: undefined }, io)), migrations]

    const storage = await createSqlStorage({ dialect, issuer: examination.issuer })
    const server = await examineServer({ ...examination, storage }, io)
    io.progress?.('Testing concurrent use of codes and tokens …')
    return [
      ...server,
      ok('storage.reachable', 'The database answers.'),
      migrations,
      ...(await checkWaits(dialect)),
      ...(await checkAtomicity(dialect, address, io)),
    ]
  })

async function examineServer(
  examination: Examination & { readonly storage: AdminStorage | undefined },
  io: Io,
): Promise<readonly Finding[]> {
  const probe = createProbe(io.fetch)
  io.progress?.(`Checking ${examination.issuer} …`)
  const document = await probe(discoveryUrls(examination.issuer).openid)
  const target: DoctorTarget = { ...examination, probe, io, metadata: document?.json ?? {} }
  // A server that cannot be reached is reported once.
  const checks = document === undefined ? [checkDiscovery, checkSecrets] : allChecks

  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await check(target)))
  return findings
}

const allChecks: readonly ((target: DoctorTarget) => Promise<readonly Finding[]>)[] = [
  checkAddress,
  checkDiscovery,
  checkProxy,
  checkCookies,
  checkCrossOrigin,
  checkKeys,
  checkStoredKeys,
  checkErrors,
  checkScim,
  checkSecrets,
  checkClock,
]
