import { Command } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import type { DoctorOptions } from '../doctor/target.ts'
import type { Io } from '../io.ts'
import { withDatabase, checkedIssuer, readSettings, type ConfigOptions } from '../config/settings.ts'
import { printable, type ShowOptions } from '../show.ts'

type Options = ConfigOptions & ShowOptions & DoctorOptions

/** `mintmark doctor`: checks a running server. */
export const doctorCommand = (io: Io): Command =>
  withDatabase(new Command('doctor'))
    .description('checks a running server, and says how to fix problems; exit code 1 when a check fails')
    .argument('[url]', 'the issuer; default: the configured one')
    .option('--client <id>', 'a client to start a sign-in for, with --redirect-uri; default: one from the database')
    .option('--redirect-uri <uri>', 'one of its redirect URIs')
    .option('--scim-secret-file <file>', 'a Secret Token of an identity provider; or set MINTMARK_SCIM_SECRET')
    .option('--json', 'print JSON')
    .action((url: string | undefined, options: Options) => doctor(url, options, io))

async function doctor(url: string | undefined, options: Options, io: Io): Promise<void> {
  const settings = await readSettings(options, io)
  const issuer = checkedIssuer(url ?? settings.issuer)
  if (issuer === undefined) throw new UsageError('No server is given: mintmark doctor URL.')

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
