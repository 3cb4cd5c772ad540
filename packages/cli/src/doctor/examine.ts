import { createSqlStorage } from '@mintmark/storage-sql'
import type { AdminStorage } from '@mintmark/storage-interface'

import type { Io } from '../io.ts'
import { withDialect } from '../place/open-storage.ts'
import type { DatabaseAddress, Settings } from '../place/settings.ts'
import { sentenceOf } from '../explain-error.ts'
import { checkAddress } from './check-address.ts'
import { checkAtomicity } from './check-atomicity.ts'
import { checkClock } from './check-clock.ts'
import { checkCookies } from './check-cookies.ts'
import { checkCrossOrigin } from './check-cross-origin.ts'
import { checkDiscovery, discoveryUrls } from './check-discovery.ts'
import { checkErrors } from './check-errors.ts'
import { checkKeys } from './check-keys.ts'
import { checkMigrations } from './check-migrations.ts'
import { checkProxy } from './check-proxy.ts'
import { checkScim } from './check-scim.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkStoredKeys } from './check-stored-keys.ts'
import { checkWaits } from './check-waits.ts'
import { fail, ok, type Finding } from './finding.ts'
import type { DoctorOptions, DoctorTarget } from './patient.ts'
import { createProbe } from './probe.ts'

/** Which server is examined. */
export interface Examination {
  readonly issuer: string
  readonly settings: Settings
  readonly options: DoctorOptions
}

/** Looks a server and its database over. What it writes are a request that expires and, in the database, rows of an issuer of its own. */
export async function examine(examination: Examination, io: Io): Promise<readonly Finding[]> {
  const { database } = examination.settings
  if (database === undefined) return examineServer({ ...examination, storage: undefined }, io)
  try {
    return await examineDatabase(database, examination, io)
  } catch (error) {
    const finding = fail(
      'storage.reachable',
      `The database cannot be used: ${sentenceOf(error)}`,
      'Look at its address, its password (PGPASSWORD) and whether it runs.',
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
    io.progress?.('Racing for codes and tokens …')
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
  io.progress?.(`Asking ${examination.issuer} …`)
  const document = await probe(discoveryUrls(examination.issuer).openid)
  const patient: DoctorTarget = { ...examination, probe, io, metadata: document?.json ?? {} }
  // What nobody answers is said once.
  const checks = document === undefined ? [checkDiscovery, checkSecrets] : allChecks

  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await check(patient)))
  return findings
}

const allChecks: readonly ((patient: DoctorTarget) => Promise<readonly Finding[]>)[] = [
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
