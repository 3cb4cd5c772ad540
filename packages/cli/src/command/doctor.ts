import { Command } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import type { DoctorOptions } from '../doctor/patient.ts'
import type { Io } from '../io.ts'
import { withDatabase, type ConfigOptions } from '../place/place-options.ts'
import { checkedIssuer, readSettings } from '../place/settings.ts'
import type { ShowOptions } from '../show.ts'
import { printable } from '../table.ts'

type Options = ConfigOptions & ShowOptions & DoctorOptions

/** `mintmark doctor`: looks whether a running server is well. */
export const doctorCommand = (io: Io): Command =>
  withDatabase(new Command('doctor'))
    .description(
      'looks whether a running server is well, and says how to mend what is not; exit code 1 when something fails',
    )
    .argument('[url]', 'the issuer; default: the configured one')
    .option('--client <id>', 'a client to begin a sign-in for, with --redirect-uri; default: one from the database')
    .option('--redirect-uri <uri>', 'one of its redirect URIs')
    .option('--scim-secret-file <file>', 'a Secret Token of an identity provider; or set MINTMARK_SCIM_SECRET')
    .option('--json', 'print JSON')
    .action((url: string | undefined, options: Options) => doctor(url, options, io))

async function doctor(url: string | undefined, options: Options, io: Io): Promise<void> {
  const settings = await readSettings(options, io)
  const issuer = checkedIssuer(url ?? settings.issuer)
  if (issuer === undefined) throw new UsageError('No server is named: mintmark doctor URL.')

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
    .flatMap(({ level, check, what, mend }) => [
      `${level.padEnd(4)}  ${check.padEnd(width)}  ${printable(what)}`,
      ...(mend === undefined ? [] : [`${' '.repeat(width + 8)}→ ${printable(mend)}`]),
    ])
    .join('\n')
}
