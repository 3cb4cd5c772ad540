import { readFileSync } from 'node:fs'

import { Command } from 'commander'

import { brandCommand } from './command/brand.ts'
import { clientCommand } from './command/client.ts'
import { completeCommand, completionCommand } from './command/completion.ts'
import { deliveryCommand } from './command/delivery.ts'
import { doctorCommand } from './command/doctor.ts'
import { grantCommand } from './command/grant.ts'
import { identityProviderCommand } from './command/identity-provider.ts'
import { initCommand } from './command/init.ts'
import { keysCommand } from './command/keys.ts'
import { loginCommand } from './command/login.ts'
import { migrateCommand, purgeCommand } from './command/database.ts'
import { organizationCommand } from './command/organization.ts'
import { provisioningCommand } from './command/provisioning.ts'
import { registrationCommand } from './command/registration.ts'
import { sessionCommand } from './command/session.ts'
import { userCommand } from './command/user.ts'
import { webhookCommand } from './command/webhook.ts'
import { workerCommand } from './doctor/check-atomicity.ts'
import type { Io } from './io.ts'

/** Creates the commands. Each run needs new commands, because Commander stores parsed options in them. */
export function createProgram(io: Io): Command {
  const program = new Command('mintmark')
    .description('Administers a Mintmark authorization server through its database, and checks its health.')
    .version(version(), '-V, --version', 'prints the version')
    .addHelpText('after', help)
  const commands = [
    initCommand(io),
    migrateCommand(io),
    clientCommand(io),
    registrationCommand(io),
    identityProviderCommand(io),
    userCommand(io),
    organizationCommand(io),
    keysCommand(io),
    grantCommand(io),
    sessionCommand(io),
    deliveryCommand(io),
    webhookCommand(io),
    brandCommand(io),
    provisioningCommand(io),
    purgeCommand(io),
    doctorCommand(io),
    loginCommand(io),
    completionCommand(io),
  ]
  for (const command of commands) program.addCommand(command)
  program.addCommand(workerCommand(io), { hidden: true })
  program.addCommand(completeCommand(io), { hidden: true })
  return redirectOutput(program, io)
}

/** Reads the version from package.json, which has the same relative path in the sources and in the build. */
const version = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string })
    .version

/** Makes Commander write to `io` only, and throw instead of ending the process. */
function redirectOutput(command: Command, io: Io): Command {
  for (const child of command.commands) redirectOutput(child, io)
  return command.exitOverride().configureOutput({
    writeOut: withoutLineBreak(io.out),
    writeErr: withoutLineBreak(io.err),
    outputError: (text, write) => write(`mintmark: ${text.trimEnd()}${hyphenHint(text)}`),
  })
}

/**
 * Identifiers of earlier versions may begin with a hyphen, and Commander takes them for options. Options with one hyphen
 * have one letter.
 */
const hyphenHint = (text: string): string =>
  /unknown option '-[^-']{2,}'/.test(text)
    ? ' Put -- before an argument that begins with a hyphen: mintmark keys drop -- -wX1…'
    : ''

/** Removes the line break that Commander adds, because `io` adds one too. */
const withoutLineBreak = (write: (line: string) => void) => (text: string) => write(text.trimEnd())

const help = `
The database and the issuer come from --sqlite, --postgres, --mariadb and --issuer, from MINTMARK_SQLITE,
MINTMARK_POSTGRES, MINTMARK_MARIADB and MINTMARK_ISSUER, or from mintmark.config.json (mintmark init). Secrets are never
arguments, because other users of the machine can see arguments. Set PGPASSWORD, MYSQL_PWD, MINTMARK_SEALING_KEY or
MINTMARK_SEALING_KEY_FILE, MINTMARK_SCIM_SECRET and MINTMARK_PARTNER_SECRET.`
