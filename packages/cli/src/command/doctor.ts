import type { AdminStorage } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { Command, Option } from 'commander'

import { CommandError, UsageError, sentenceOf } from '../command-error.ts'
import { withDialect } from '../config/open-storage.ts'
import {
  type ConfigOptions,
  type DatabaseAddress,
  type Settings,
  checkIssuer,
  readSettings,
  withDatabase,
} from '../config/settings.ts'
import { checkAtomicity } from '../doctor/check-atomicity.ts'
import { checkCookies, checkCrossOrigin } from '../doctor/check-browser.ts'
import { checkMigrations, checkServer } from '../doctor/check-database.ts'
import { checkDeliveries } from '../doctor/check-deliveries.ts'
import { checkAddress, checkClock, checkDiscovery, checkProxy, discoveryUrls } from '../doctor/check-discovery.ts'
import { checkErrors } from '../doctor/check-errors.ts'
import { checkKeys, checkStoredKeys } from '../doctor/check-keys.ts'
import { checkedProfiles, checkProfile } from '../doctor/check-profile.ts'
import { checkScim } from '../doctor/check-scim.ts'
import { checkSecrets } from '../doctor/check-secrets.ts'
import { type DoctorOptions, type DoctorTarget, type Finding, createProbe, fail, ok } from '../doctor/target.ts'
import type { Io } from '../io.ts'
import { type ShowOptions, printable } from '../show.ts'

type Options = ConfigOptions & ShowOptions & DoctorOptions

/** Creates `mintmark doctor`, which checks a running server. */
export const doctorCommand = (io: Io): Command =>
  withDatabase(new Command('doctor'))
    .description('checks a running server, and tells how to fix problems; the exit code is 1 if a check fails')
    .argument('[url]', 'the issuer; default: the configured issuer')
    .option('--client <id>', 'a client to start a sign-in for; default: a client from the database')
    .option('--redirect-uri <uri>', 'a redirect URI of this client; required with --client if no database is given')
    .option('--scim-secret-file <file>', 'a Secret Token of an identity provider; or set MINTMARK_SCIM_SECRET')
    .addOption(
      new Option('--profile <profile>', 'also checks the requirements of a security profile').choices(checkedProfiles),
    )
    .option('--json', 'print JSON')
    .action((url: string | undefined, options: Options) => doctor(url, options, io))

async function doctor(url: string | undefined, options: Options, io: Io): Promise<void> {
  const settings = await readSettings(options, io)
  const issuer = checkIssuer(url ?? settings.issuer)
  if (issuer === undefined) throw new UsageError('No server is given. Run: mintmark doctor URL')

  const findings = await examine({ issuer, settings, options }, io)
  io.progress?.('')
  const failed = findings.filter(({ level }) => level === 'fail').length
  io.out(
    options.json === true
      ? JSON.stringify({ issuer, healthy: failed === 0, findings }, undefined, 2)
      : reportOf(findings),
  )
  if (failed > 0) throw new CommandError(`${failed} of ${findings.length} checks failed.`)
}

function reportOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .flatMap(({ level, check, what, fix }) => [
      `${level.padEnd(4)}  ${check.padEnd(width)}  ${printable(what)}`,
      ...(fix === undefined ? [] : [`${' '.repeat(width + 8)}→ ${printable(fix)}`]),
    ])
    .join('\n')
}

/** A server to examine. */
interface Examination {
  readonly issuer: string
  readonly settings: Settings
  readonly options: DoctorOptions
}

/**
 * Examines a server and its database. It starts one authorization request, and writes rows under an issuer that no
 * server uses.
 */
async function examine(examination: Examination, io: Io): Promise<readonly Finding[]> {
  const { database } = examination.settings
  if (database === undefined) return examineServer({ ...examination, storage: undefined }, io)
  try {
    return await examineDatabase(database, examination, io)
  } catch (error) {
    const finding = fail(
      'storage.reachable',
      `The database cannot be used: ${sentenceOf(error)}`,
      'Check the address and password (PGPASSWORD, MYSQL_PWD) of the database, and that it is running.',
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
      ...(await checkServer(dialect, io)),
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
  // If the server cannot be reached, only one check reports it.
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
  checkProfile,
  checkDeliveries,
  checkScim,
  checkSecrets,
  checkClock,
]
